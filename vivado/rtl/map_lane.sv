/// The arithmetic of a MAP for one channel, a pixel a cycle (contract, section 8):
///
///     t = x * A + floor(x1 * C * 2^j) + B,   out0 = limit(round(t / 2^k)),   out1 = limit(near(out0 * M, s))
///
/// out0_o and positive_o are `Outs` cycles behind the operands, out1_o `SecondOuts`.
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
    input  logic signed [24:0] c_i,
    input  logic signed [47:0] b_i,
    input  logic [6:0]         right_i,       ///< 47 - j
    input  logic signed [24:0] multiplier_i,
    input  rounding_t          first_i,       ///< of out0
    input  rounding_t          second_i,      ///< of out1
    input  logic               symmetric_i,   ///< the least code is left out
    input  logic [31:0]        mixed_i,       ///< noise, 7 cycles later
    output logic [15:0]        out0_o,
    output logic               positive_o,    ///< t > 0
    output logic [15:0]        out1_o
);
  // Stages 1 to 3: the second product.
  logic signed [16:0] x1_q;
  logic signed [41:0] product1_q, second_q;
  always_ff @(posedge clk_i) begin
    x1_q       <= x1_i;
    product1_q <= x1_q * c_i;
    second_q   <= product1_q;
  end

  // Stages 4 to 6: times 2^j, as 2^47 and then to the right by 0..94.
  logic [141:0] wide;
  logic [78:0] by_32_q;
  logic [54:0] by_8_q, by_8;
  logic [47:0] by_1_q, by_1;
  assign wide = {{53{second_q[41]}}, second_q, 47'd0};
  select_four #(.Width(55)) u_by_8 (
      .data_i({by_32_q[78:24], by_32_q[70:16], by_32_q[62:8], by_32_q[54:0]}), .select_i(right_i[4:3]), .data_o(by_8)
  );
  select_eight #(.Width(48)) u_by_1 (
      .data_i({by_8_q[54:7], by_8_q[53:6], by_8_q[52:5], by_8_q[51:4], by_8_q[50:3], by_8_q[49:2], by_8_q[48:1],
               by_8_q[47:0]}),
      .select_i(right_i[2:0]),
      .data_o(by_1)
  );
  always_ff @(posedge clk_i) begin
    by_32_q <= right_i[6] ? {wide[141], wide[141:64]} : right_i[5] ? wide[110:32] : wide[78:0];
    by_8_q  <= by_8;
    by_1_q  <= by_1;
  end

  // The first product in the meantime, and stage 7: the sum.
  logic signed [2:0][16:0] waits_q;
  logic signed [16:0] x0_q;
  logic signed [41:0] product0_q;
  logic [47:0] sum0_q, sum_q;
  always_ff @(posedge clk_i) begin
    waits_q    <= {waits_q[1:0], zero_x0_i ? 17'd0 : x0_i};
    x0_q       <= waits_q[2];
    product0_q <= x0_q * a_i;
    sum0_q     <= 48'(product0_q) + b_i;
    sum_q      <= sum0_q + by_1_q;
  end

  // Stages 8 to 11: its sign, and the first output.
  logic [3:0] positive_q;
  logic [15:0] rounded, out0;
  requantise u_first (.clk_i, .rounding_i(first_i), .acc_i(sum_q), .mixed_i, .value_o(rounded));
  assign out0 = {rounded[15:1], rounded[0] || (symmetric_i && rounded == ~first_i.most)};
  always_ff @(posedge clk_i) begin
    positive_q <= {positive_q[2:0], !sum_q[47] && sum_q != '0};
    out0_o     <= zero_out_i ? '0 : out0;
  end
  assign positive_o = positive_q[3];

  // Stages 12 to 17: the second.
  logic signed [16:0] value;
  logic signed [41:0] product2_q, scaled_q;
  logic [15:0] rounded1;
  assign value = {first_i.is_signed && out0_o[15], out0_o};
  requantise u_second (.clk_i, .rounding_i(second_i), .acc_i(48'(scaled_q)), .mixed_i('0), .value_o(rounded1));
  always_ff @(posedge clk_i) begin
    product2_q <= value * multiplier_i;
    scaled_q   <= product2_q;
    out1_o     <= {rounded1[15:1], rounded1[0] || (symmetric_i && rounded1 == ~second_i.most)};
  end
endmodule
