/// The sum of a row of A: sum of +-2^shift * popcount(a), in step with the dot products beside it.
module row_sum
  import core_pkg::*;
#(
    parameter int unsigned Bits = 144  ///< of a slice
) (
    input  logic            clk_i,
    input  logic            valid_i,   ///< add this slice, else keep
    input  logic            first_i,   ///< begin a new sum with it
    input  logic            negate_i,
    input  logic [     3:0] shift_i,
    input  logic [Bits-1:0] a_i,
    output logic [    31:0] sum_o
);
  localparam int unsigned CountBits = $clog2(Bits + 1);
  typedef struct packed {
    logic       valid;
    logic       first;
    logic       negate;
    logic [3:0] shift;
  } control_t;
  control_t [DpuLatency-2:0] control_q;
  logic [DpuLatency-3:0][CountBits-1:0] count_q;
  logic [31:0] term_q, weighted;

  assign weighted = 32'(count_q[DpuLatency-3]) << control_q[DpuLatency-3].shift;
  always_ff @(posedge clk_i) begin
    control_q <= {control_q[DpuLatency-3:0], valid_i, first_i, negate_i, shift_i};
    count_q   <= {count_q[DpuLatency-4:0], CountBits'($countones(a_i))};
    term_q    <= control_q[DpuLatency-3].negate ? -weighted : weighted;
    if (control_q[DpuLatency-2].valid) sum_o <= control_q[DpuLatency-2].first ? term_q : sum_o + term_q;
  end
endmodule
