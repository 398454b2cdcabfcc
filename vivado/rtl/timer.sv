/// Tells in a register whether a number of cycles has passed.
module timer #(
    parameter int unsigned Bits = 4
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            start_i,
    input  logic [Bits-1:0] cycles_i,  ///< from 1: done_o is low in one cycle less
    output logic            done_o
);
  logic [Bits-1:0] left_q;
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      left_q <= cycles_i - 1'b1;
      done_o <= cycles_i == Bits'(1);
    end else if (!done_o) begin
      left_q <= left_q - 1'b1;
      done_o <= left_q == Bits'(1);
    end
    if (!rst_ni) done_o <= 1'b1;
  end
endmodule
