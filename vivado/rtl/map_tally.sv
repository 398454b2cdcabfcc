/// Sums and ends of a channel over the pixels of a block: sum v, sum v * x2, least and most v.
///
/// The second sum is that of a DSP48E1, modulo 2^48, and how often it has wrapped: a product has 33 bits, so its two
/// highest bits go from 11 to 00 or back only then.
module map_tally
  import map_pkg::*;
(
    input  logic               clk_i,
    input  logic               clear_i,  ///< a block begins
    input  logic               valid_i,
    input  logic               first_i,  ///< of its values
    input  logic signed [16:0] v_i,
    input  logic signed [15:0] x2_i,
    output sums_t              sums_o
);
  logic valid_q, first_q, product_valid_q, summed_q;
  logic signed [36:0] sum_q;
  logic signed [16:0] v_q, least_q, most_q;
  logic [47:0] low;
  logic [1:0] ends_q;
  logic signed [4:0] wraps_q;
  product_sum #(.Bits(48)) u_second (
      .clk_i, .value_i(v_i), .by_i(17'(x2_i)), .first_i(first_q), .valid_i(product_valid_q), .sum_o(low)
  );
  always_ff @(posedge clk_i) begin
    v_q             <= v_i;
    valid_q         <= valid_i;
    first_q         <= first_i;
    product_valid_q <= valid_q;
    summed_q        <= product_valid_q;
    if (valid_q) begin
      sum_q <= sum_q + 37'(v_q);
      if (v_q < least_q) least_q <= v_q;
      if (v_q > most_q) most_q <= v_q;
    end
    if (summed_q) begin
      ends_q <= low[47:46];
      if (ends_q == 2'b11 && low[47:46] == 2'b00) wraps_q <= wraps_q + 5'd1;
      if (ends_q == 2'b00 && low[47:46] == 2'b11) wraps_q <= wraps_q - 5'd1;
    end
    if (clear_i) begin
      sum_q   <= '0;
      ends_q  <= '0;
      wraps_q <= '0;
      least_q <= 17'h0ffff;
      most_q  <= 17'h10000;
    end
  end
  assign sums_o = '{most: most_q, least: least_q, second: {wraps_q, low}, sum: sum_q};
endmodule
