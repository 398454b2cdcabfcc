/// A channel of a MAP with its rounding, half to even, and its tally: what the unit bench drives.
module map_lane_bench
  import map_pkg::*;
  import rounding_pkg::*;
(
    input  logic         clk,
    input  logic [16:0]  x0,
    input  logic [16:0]  x1,
    input  logic         zero_x0,
    input  logic         zero_out,   ///< of the pixel whose x0 it comes with
    input  logic [24:0]  a,
    input  logic [39:0]  c,          ///< C * 2^(j modulo 16)
    input  logic [47:0]  b,
    input  logic [ 2:0]  up,
    input  logic [39:0]  multiplier, ///< M * 2^(15 - s modulo 16)
    input  logic [ 1:0]  down,
    input  logic [ 5:0]  shift,      ///< k
    input  logic         is_signed,
    input  logic [ 4:0]  out0_bits,
    input  logic [ 4:0]  out1_bits,
    output logic [15:0]  out0,       ///< Outs cycles behind x0
    output logic         positive,
    output logic [15:0]  out1,       ///< SecondOuts cycles behind x0
    input  logic         clear,
    input  logic         tally_valid,
    input  logic         tally_first,
    input  logic [16:0]  tally_v,
    input  logic [15:0]  tally_x2,
    output logic [255:0] record
);
  sums_t sums;
  assign record = record_of(sums);
  rounding_t first, second;
  logic [47:0] sum, sum_q;
  logic [15:0] rounded;
  logic [Outs-2:0] zero_q;
  always_ff @(posedge clk) begin
    sum_q  <= sum;
    zero_q <= {zero_q[Outs-3:0], zero_out};
  end
  rounding_control u_first (
      .clk_i(clk), .stochastic_i(1'b0), .shift_i(shift), .signed_i(is_signed), .out_bits_i(out0_bits),
      .rounding_o(first)
  );
  rounding_control u_second (
      .clk_i(clk), .stochastic_i(1'b0), .shift_i('0), .signed_i(is_signed), .out_bits_i(out1_bits), .rounding_o(second)
  );
  requantise u_requantise (.clk_i(clk), .rounding_i(first), .acc_i(sum_q), .mixed_i('0), .value_o(rounded));
  map_lane u_lane (
      .clk_i       (clk),
      .x0_i        (x0),
      .x1_i        (x1),
      .zero_x0_i   (zero_x0),
      .zero_out_i  (zero_q[Outs-2]),
      .a_i         (a),
      .c_i         (c),
      .b_i         (b),
      .up_i        (up),
      .multiplier_i(multiplier),
      .down_i      (down),
      .half_i      (47'd1 << (15 + 16 * down - 1)),
      .first_i     (first),
      .second_i    (second),
      .symmetric_i (is_signed),
      .sum_o       (sum),
      .rounded_i   (rounded),
      .out0_o      (out0),
      .positive_o  (positive),
      .out1_o      (out1)
  );
  map_tally u_tally (
      .clk_i   (clk),
      .clear_i (clear),
      .valid_i (tally_valid),
      .first_i (tally_first),
      .v_i     (tally_v),
      .x2_i    (tally_x2),
      .sums_o  (sums)
  );
endmodule
