/// One loop of a nest: tells in a register whether this is its last round, so that a nest's ends are a few ANDs.
///
/// After the last round it begins again, with `count_i` rounds of then.
module loop_counter #(
    parameter int unsigned Bits = 12
) (
    input  logic            clk_i,
    input  logic            restart_i,  ///< the next cycle's round is the first
    input  logic            next_i,     ///< this round ends
    input  logic [Bits-1:0] count_i,    ///< rounds, from 1
    output logic            last_o
);
  logic [Bits-1:0] left_q;  // rounds after this one
  always_ff @(posedge clk_i) begin
    if (restart_i || (next_i && last_o)) begin
      left_q <= count_i - 1'b1;
      last_o <= count_i == Bits'(1);
    end else if (next_i) begin
      left_q <= left_q - 1'b1;
      last_o <= left_q == Bits'(1);
    end
  end
endmodule
