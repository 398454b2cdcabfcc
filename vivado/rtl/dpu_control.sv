/// Turns an operation into what the DSP48E1s of a row of dot products need, each signal in its cycle.
///
/// The weight is 2^shift = 2^(16 * high) * 2^(shift mod 16): the upper factor is a choice of the DSP's input ports, the
/// lower one, signed, its multiplier's B operand.
module dpu_control
  import core_pkg::*;
(
    input  logic        clk_i,
    input  logic        valid_i,
    input  logic        first_i,
    input  logic        negate_i,
    input  logic [ 4:0] shift_i,
    output logic [17:0] weight_o,  ///< CountLatency cycles later, with the popcount
    output logic        high_o,    ///< with it
    output logic        first_o,   ///< two cycles after it
    output logic        valid_o    ///< three cycles after it
);
  typedef struct packed {
    logic       negate;
    logic       high;
    logic [3:0] shift;
  } power_t;

  logic   [DpuLatency-2:0]   valid_q;
  logic   [DpuLatency-3:0]   first_q;
  power_t [CountLatency-2:0] power_q;
  power_t                    power;

  assign power   = power_q[CountLatency-2];
  assign first_o = first_q[DpuLatency-3];
  assign valid_o = valid_q[DpuLatency-2];

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[DpuLatency-3:0], valid_i};
    first_q <= {first_q[DpuLatency-4:0], first_i};
    power_q <= {power_q[CountLatency-3:0], negate_i, shift_i};
    high_o  <= power.high;
    // -2^n has ones from place n on.
    for (int unsigned i = 0; i < 18; i++) weight_o[i] <= power.negate ? i >= 32'(power.shift) : i == 32'(power.shift);
  end
endmodule
