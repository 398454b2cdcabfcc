/// Turns an operation into what the DSP48E1s of a row of dot products need, each signal in its cycle.
///
/// The weight is 2^shift = 2^(16 * high) * 2^(shift mod 16): the upper factor is a choice of the DSP's input ports, the
/// lower one, signed, its multiplier's B operand.
module dpu_control (
    input  logic        clk_i,
    input  logic        valid_i,
    input  logic        first_i,
    input  logic        negate_i,
    input  logic [ 4:0] shift_i,
    output logic [17:0] weight_o,  ///< two cycles later, with the popcount
    output logic        high_o,    ///< with it
    output logic        first_o,   ///< four cycles later
    output logic        valid_o    ///< five cycles later
);
  logic [4:0] valid_q;
  logic [3:0] first_q;
  logic       negate_q, high_q;
  logic [3:0] shift_q;
  logic [17:0] power;

  assign power   = 18'd1 << shift_q;
  assign first_o = first_q[3];
  assign valid_o = valid_q[4];

  always_ff @(posedge clk_i) begin
    valid_q           <= {valid_q[3:0], valid_i};
    first_q           <= {first_q[2:0], first_i};
    negate_q          <= negate_i;
    {high_q, shift_q} <= shift_i;
    weight_o          <= negate_q ? -power : power;
    high_o            <= high_q;
  end
endmodule
