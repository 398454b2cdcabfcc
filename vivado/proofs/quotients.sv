// The divider and the root against what defines them, narrower than they are; ok_o must always be 1.

module floor_divider #(
    parameter int unsigned Width  = 4,
    parameter int unsigned Digits = 2
) (
    input  logic             clk_i,
    input  logic             start_i,
    input  logic [Width-2:0] a_i,      ///< below the leading one
    input  logic [Width-2:0] b_i,
    output logic             ok_o
);
  localparam int unsigned Cycles = Digits + 2;
  logic [Cycles-1:0] since_q;          // a bit that moves on from the start to the result
  logic start, done;
  logic [Width-1:0] a_q, b_q, rest;
  logic [2*Digits:0] quotient;
  assign start = start_i && since_q == '0;
  scalar_divider #(.Width(Width), .Digits(Digits)) u_dut (
      .clk_i, .rst_ni(1'b1), .start_i(start), .a_i({1'b1, a_i}), .b_i({1'b1, b_i}), .done_o(done),
      .quotient_o(quotient), .rest_o(rest)
  );
  always_ff @(posedge clk_i) begin
    since_q <= {since_q[Cycles-2:0], start};
    if (start) {a_q, b_q} <= {1'b1, a_i, 1'b1, b_i};
  end
  localparam int unsigned Wide = Width + 2 * Digits + 2;
  assign ok_o = !since_q[Cycles-1]
      || (done && rest < b_q && Wide'(quotient) * Wide'(b_q) + Wide'(rest) == {2'b00, a_q, {2 * Digits{1'b0}}});
endmodule

module floor_root #(
    parameter int unsigned Width = 4
) (
    input  logic               clk_i,
    input  logic               start_i,
    input  logic [2*Width-1:0] x_i,
    output logic               ok_o
);
  localparam int unsigned Cycles = Width + 1;
  logic [Cycles-1:0] since_q;
  logic start, done;
  logic [2*Width-1:0] x_q;
  logic [Width-1:0] root;
  logic [Width:0] rest;
  assign start = start_i && since_q == '0;
  scalar_root #(.Width(Width)) u_dut (
      .clk_i, .rst_ni(1'b1), .start_i(start), .x_i, .done_o(done), .root_o(root), .rest_o(rest)
  );
  always_ff @(posedge clk_i) begin
    since_q <= {since_q[Cycles-2:0], start};
    if (start) x_q <= x_i;
  end
  // root^2 + rest = x, and the rest is less than what the next root would take.
  localparam int unsigned Wide = 2 * Width + 1;
  assign ok_o = !since_q[Cycles-1]
      || (done && rest <= {root, 1'b0} && Wide'(root) * Wide'(root) + Wide'(rest) == Wide'(x_q));
endmodule
