/// The arithmetic of a MAP for one channel, a pixel a cycle (contract, section 8):
///
///     t = x * A + floor(x1 * C * 2^j) + B,   out0 = limit(round(t / 2^k)),   out1 = limit(near(out0 * M, s))
///
/// Of the shifts, what is less than 16 is in the factors; the rest are choices of a word. The first rounding is done
/// elsewhere: sum_o leaves 7 cycles after the operands, rounded_i is 4 cycles behind it. out0_o and positive_o are
/// `Outs` cycles behind the operands, out1_o `SecondOuts`.
module map_lane
  import map_pkg::*;
  import rounding_pkg::*;
(
    input  logic               clk_i,
    input  logic signed [16:0] x0_i,
    input  logic signed [16:0] x1_i,
    input  logic               zero_x0_i,     ///< x0 counts as 0
    input  logic               zero_out_i,    ///< out0 is 0; Outs - 1 cycles later
    input  logic signed [24:0] a_i,
    input  logic        [39:0] c_i,           ///< C * 2^(j modulo 16)
    input  logic signed [47:0] b_i,
    input  logic        [ 2:0] up_i,          ///< floor(j / 16), signed: -3 to 2
    input  logic        [39:0] multiplier_i,  ///< M * 2^(15 - s modulo 16)
    input  logic        [ 1:0] down_i,        ///< floor(s / 16)
    input  logic        [46:0] half_i,        ///< of 2^(15 + 16 * down_i)
    input  rounding_t          first_i,       ///< of out0
    input  rounding_t          second_i,      ///< of out1
    input  logic               symmetric_i,   ///< the least code is left out
    output logic [47:0]        sum_o,
    input  logic [15:0]        rounded_i,
    output logic [15:0]        out0_o,
    output logic               positive_o,    ///< t > 0
    output logic [15:0]        out1_o
);
  // Stages 1 to 5: the second product, shifted by words.
  logic [56:0] product;
  logic [79:0] wide;  // its sign in front
  logic [15:0] by_low;
  logic [31:0] by_high;
  logic [47:0] by_q;
  scaled_product u_second (.clk_i, .x_i(x1_i), .factor_i(c_i), .addend_i('0), .product_o(product));
  assign wide = 80'($signed(product));
  select_four #(.Width(16)) u_by_low (
      .data_i({wide[31:16], wide[47:32], wide[63:48], wide[15:0]}), .select_i(up_i[1:0]), .data_o(by_low)
  );
  select_eight #(.Width(32)) u_by_high (
      .data_i({wide[63:32], wide[79:48], {32{wide[79]}}, wide[47:16], wide[47:16], {wide[15:0], 16'd0}, wide[31:0],
               wide[47:16]}),
      .select_i(up_i),
      .data_o(by_high)
  );
  always_ff @(posedge clk_i) begin
    by_q <= {by_high, by_low};
    if (up_i inside {3'd1, 3'd2}) by_q[15:0] <= '0;
  end

  // The first product in the meantime. Stages 6 and 7: the sum.
  logic signed [16:0] wait_q, wait2_q, x0_q;
  logic signed [41:0] product0_q;
  logic signed [47:0] sum0_q;
  logic [47:0] sum;
  dsp_add u_sum (.clk_i, .a_i(sum0_q), .b_i(by_q), .sum_o(sum));
  logic [5:0] positive_q;
  always_ff @(posedge clk_i) begin
    wait_q     <= zero_x0_i ? 17'd0 : x0_i;
    wait2_q    <= wait_q;
    x0_q       <= wait2_q;
    product0_q <= x0_q * a_i;
    sum0_q     <= 48'(product0_q) + b_i;
    sum_o      <= sum;
    positive_q <= {positive_q[4:0], !sum[47] && sum != '0};
  end
  assign positive_o = positive_q[5];

  // Stage 12: the first output.
  always_ff @(posedge clk_i) begin
    out0_o <= {rounded_i[15:1], rounded_i[0] || (symmetric_i && rounded_i == ~first_i.most)};
    if (zero_out_i) out0_o <= '0;
  end

  // Stages 13 to 19: the second.
  logic signed [16:0] value;
  logic [56:0] product2;
  assign value = {first_i.is_signed && out0_o[15], out0_o};
  scaled_product u_scale (.clk_i, .x_i(value), .factor_i(multiplier_i), .addend_i(half_i), .product_o(product2));
  near_limit u_limit (
      .clk_i, .product_i(product2), .place_i(down_i), .rounding_i(second_i), .symmetric_i, .value_o(out1_o)
  );

  logic unused;
  assign unused = &{1'b0, first_i};
endmodule
