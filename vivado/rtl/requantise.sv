/// saturate(round(acc / 2^shift)) to out_bits: half to even, or stochastic. Latency 3.
///
/// Half to even is floor((acc + 2^(shift-1) - 1 + bit `shift` of acc) / 2^shift).
module requantise (
    input  logic        clk_i,
    input  logic [47:0] acc_i,
    input  logic [31:0] noise_i,
    input  logic        stochastic_i,
    input  logic [ 5:0] shift_i,
    input  logic        signed_i,
    input  logic [ 4:0] out_bits_i,
    output logic [15:0] value_o       ///< extended to 16 bits by its sign, or by 0 if unsigned
);
  // Stage 1: add what makes the floor of the quotient the rounded value.
  logic [48:0] addend, sum_q;
  logic [47:0] half, ones;
  assign half = 48'd1 << shift_i;
  assign ones = (half >> 1) - 48'(shift_i != '0);
  always_comb begin
    if (shift_i == '0) addend = '0;
    else if (!stochastic_i) addend = 49'(ones) + 49'((acc_i & half) != '0);
    else if (shift_i <= 6'd32) addend = 49'(noise_i >> (6'd32 - shift_i));
    else addend = 49'(noise_i) << (shift_i - 6'd32);
  end
  always_ff @(posedge clk_i) sum_q <= {acc_i[47], acc_i} + addend;

  // Stage 2: the quotient.
  logic signed [48:0] quotient_q;
  always_ff @(posedge clk_i) quotient_q <= $signed(sum_q) >>> shift_i;

  // Stage 3: saturate.
  logic [15:0] most;
  logic [48:0] outside;  // bits that a value in range has all equal to its sign
  logic negative, fits;
  assign most     = 16'(17'd1 << (out_bits_i - 5'(signed_i))) - 16'd1;
  assign outside  = quotient_q & ~49'(most);
  assign negative = quotient_q[48];
  assign fits     = outside == '0 || (signed_i && (outside | 49'(most)) == '1);
  always_ff @(posedge clk_i) begin
    if (fits) value_o <= quotient_q[15:0];
    else if (!negative) value_o <= most;
    else value_o <= signed_i ? ~most : '0;
  end
endmodule
