/// The square root of a number, rounded down, one bit of it a cycle.
module scalar_root #(
    parameter int unsigned Width = 32  ///< bits of the root
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               start_i,  ///< take x_i; only when idle
    input  logic [2*Width-1:0] x_i,
    output logic               done_o,   ///< one cycle, Width + 1 after start_i: the root is there
    output logic [  Width-1:0] root_o,
    output logic [  Width  :0] rest_o    ///< x - root^2
);
  logic [2*Width-1:0] x_q;
  logic [Width-1:0] root_q;
  logic [Width+1:0] rest_q;
  logic [Width+2:0] trial;
  logic [$clog2(Width+1)-1:0] left_q;
  logic busy_q;

  // Two more bits of x behind the rest, less root * 4 + 1.
  assign trial  = {1'b0, rest_q[Width-1:0], x_q[2*Width-1-:2]} - {1'b0, root_q, 2'b01};
  assign done_o = busy_q && left_q == '0;
  assign root_o = root_q;
  assign rest_o = rest_q[Width:0];

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      x_q    <= x_i;
      root_q <= '0;
      rest_q <= '0;
      left_q <= ($bits(left_q))'(Width);
    end else if (left_q != '0) begin
      x_q    <= {x_q[2*Width-3:0], 2'b00};
      root_q <= {root_q[Width-2:0], !trial[Width+2]};
      rest_q <= trial[Width+2] ? {rest_q[Width-1:0], x_q[2*Width-1-:2]} : trial[Width+1:0];
      left_q <= left_q - 1'b1;
    end
    if (!rst_ni) busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (done_o) busy_q <= 1'b0;
  end

  logic unused;
  assign unused = &{1'b0, rest_q[Width+1]};
endmodule
