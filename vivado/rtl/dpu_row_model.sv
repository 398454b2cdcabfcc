/// What a row of dot products computes, for simulation: acc[c] adds +-2^shift * popcount(a & b[c]), modulo 2^48.
///
/// Written for speed: loops that stay loops, and counts that wait in a ring instead of moving from register to
/// register.
module dpu_row_model
  import core_pkg::*;
#(
    parameter int unsigned Bits    = 144,  ///< of a slice of K
    parameter int unsigned Columns = 16
) (
    input  logic            clk_i,
    input  logic            valid_i,
    input  logic            first_i,
    input  logic            negate_i,
    input  logic [     4:0] shift_i,
    input  logic [Bits-1:0] a_i,
    input  logic [Bits-1:0] b_i[Columns],
    output logic [    47:0] acc_o[Columns]
);
  typedef struct packed {
    logic       valid;
    logic       first;
    logic       negate;
    logic [4:0] shift;
  } operation_t;

  localparam int unsigned Wait     = DpuLatency - 1;    // cycles from a count to its use
  localparam int unsigned RingBits = $clog2(Wait + 1);

  operation_t [Wait-1:0] operation_q;
  logic [7:0] counts_q[2**RingBits][Columns];
  logic [RingBits-1:0] now_q;

  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin
    if (operation_q[Wait-1].valid) begin
      /* verilator unroll_disable */
      for (int c = 0; c < Columns; c++) begin
        acc_o[c] = (operation_q[Wait-1].first ? '0 : acc_o[c])
            + (48'(counts_q[now_q - RingBits'(Wait)][c]) << operation_q[Wait-1].shift
               ^ {48{operation_q[Wait-1].negate}})
            + 48'(operation_q[Wait-1].negate);
      end
    end
    if (valid_i) begin
      /* verilator unroll_disable */
      for (int c = 0; c < Columns; c++) counts_q[now_q][c] = 8'($countones(a_i & b_i[c]));
    end
    now_q       = now_q + RingBits'(1);
    operation_q = {operation_q[Wait-2:0], valid_i, first_i, negate_i, shift_i};
  end
  // verilator lint_on BLKSEQ

  initial now_q = '0;
endmodule
