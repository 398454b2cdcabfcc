/// One dot product: acc = sum of +-2^shift * popcount(a & b), exact modulo 2^48. Latency core_pkg::DpuLatency.
module dpu #(
    parameter int unsigned Bits = 144  ///< of a slice
) (
    input  logic            clk_i,
    input  logic            valid_i,   ///< add this pair, else keep
    input  logic            first_i,   ///< begin a new sum with it
    input  logic            negate_i,
    input  logic [     4:0] shift_i,
    input  logic [Bits-1:0] a_i,
    input  logic [Bits-1:0] b_i,
    output logic [    47:0] acc_o
);
  localparam int unsigned CountBits = $clog2(Bits + 1);
  logic [CountBits-1:0] count_q, count2_q;
  logic [2:0] valid_q, first_q;
  logic [1:0] negate_q;
  logic [1:0][4:0] shift_q;
  logic [47:0] term_q;

  always_ff @(posedge clk_i) begin
    valid_q  <= {valid_q[1:0], valid_i};
    first_q  <= {first_q[1:0], first_i};
    negate_q <= {negate_q[0], negate_i};
    shift_q  <= {shift_q[0], shift_i};
    count_q  <= CountBits'($countones(a_i & b_i));
    count2_q <= count_q;
    term_q   <= negate_q[1] ? -(48'(count2_q) << shift_q[1]) : 48'(count2_q) << shift_q[1];
    if (valid_q[2]) acc_o <= first_q[2] ? term_q : acc_o + term_q;
  end
endmodule
