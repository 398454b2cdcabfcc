/// saturate(round(acc / 2^shift)) to out_bits: half to even, or stochastic. Latency 3.
///
/// The quotient is rounded up where the 32 highest bits of the fraction and 32 bits of noise carry; half to even, the
/// noise is 2^31 - 1 and one more if the quotient is odd or lower bits of the fraction are set.
module requantise
  import rounding_pkg::*;
(
    input  logic        clk_i,
    input  rounding_t   rounding_i,
    input  logic [47:0] acc_i,
    input  logic [31:0] mixed_i,     ///< the noise is mixed ^ (mixed >> 16)
    output logic [15:0] value_o      ///< extended to 16 bits by its sign, or by 0 if unsigned
);
  // Stage 1: quotient and fraction, by four-to-one multiplexers.
  logic [94:0] wide;
  logic [62:0] by_16;
  logic [50:0] by_4;
  logic [47:0] by_1;
  assign wide = {{15{acc_i[47]}}, acc_i, 32'd0};
  for (genvar i = 0; i < 63; i++) begin : gen_by_16
    assign by_16[i] = rounding_i.shift[5] ? wide[i+32] : rounding_i.shift[4] ? wide[i+16] : wide[i];
  end
  select_four #(.Width(51)) u_by_4 (
      .data_i  ({by_16[62:12], by_16[58:8], by_16[54:4], by_16[50:0]}),
      .select_i(rounding_i.shift[3:2]),
      .data_o  (by_4)
  );
  select_four #(.Width(48)) u_by_1 (
      .data_i  ({by_4[50:3], by_4[49:2], by_4[48:1], by_4[47:0]}),
      .select_i(rounding_i.shift[1:0]),
      .data_o  (by_1)
  );

  logic [31:0] fraction_q, mixed_q;
  logic [15:0] quotient_q;
  logic negative_q, outside_q, sticky_q;
  always_ff @(posedge clk_i) begin
    {quotient_q, fraction_q} <= by_1;
    mixed_q    <= mixed_i;
    negative_q <= acc_i[47];
    outside_q  <= ((acc_i ^ {48{acc_i[47] && rounding_i.is_signed}}) & rounding_i.outside) != '0;
    sticky_q   <= (acc_i[14:0] & rounding_i.sticky) != '0;
  end

  // Stage 2: whether to round up, and whether to saturate.
  logic [31:0] addend, unused_sum;
  logic first, carry, unused_first, up_q, most_q, least_q;
  logic [15:0] floor_q;
  assign addend = rounding_i.stochastic ? mixed_q ^ (mixed_q >> 16) : 32'h7fff_ffff;
  assign first  = !rounding_i.stochastic && (quotient_q[0] || sticky_q);
  assign {carry, unused_sum, unused_first} = {1'b0, fraction_q, 1'b1} + {1'b0, addend, first};
  always_ff @(posedge clk_i) begin
    floor_q <= quotient_q;
    most_q  <= outside_q && !negative_q;
    least_q <= negative_q && (outside_q || !rounding_i.is_signed);
    up_q    <= carry && !(outside_q && !negative_q) && !(negative_q && (outside_q || !rounding_i.is_signed))
        && quotient_q != rounding_i.most;
  end

  // Stage 3: the value.
  logic [15:0] bound;
  for (genvar i = 0; i < 16; i++) begin : gen_bound
    assign bound[i] = most_q ? rounding_i.most[i]
                             : least_q ? rounding_i.is_signed && !rounding_i.most[i] : floor_q[i];
  end
  always_ff @(posedge clk_i) value_o <= bound + 16'(up_q);

  logic unused;
  assign unused = &{1'b0, unused_sum, unused_first};
endmodule
