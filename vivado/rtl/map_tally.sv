/// Sums and ends of a channel over the pixels of a block: sum v, sum v * x2, least and most v.
module map_tally (
    input  logic               clk_i,
    input  logic               clear_i,
    input  logic               valid_i,
    input  logic signed [16:0] v_i,
    input  logic signed [15:0] x2_i,
    output logic [255:0]       record_o  ///< as memory holds it
);
  logic valid_q, product_valid_q;
  logic signed [32:0] product_q, addend_q;
  logic signed [36:0] sum_q;
  logic signed [52:0] second_q;
  logic signed [16:0] v_q, least_q, most_q;
  always_ff @(posedge clk_i) begin
    v_q             <= v_i;
    valid_q         <= valid_i;
    product_q       <= v_i * x2_i;
    addend_q        <= product_q;
    product_valid_q <= valid_q;
    if (valid_q) begin
      sum_q <= sum_q + 37'(v_q);
      if (v_q < least_q) least_q <= v_q;
      if (v_q > most_q) most_q <= v_q;
    end
    if (product_valid_q) second_q <= second_q + 53'(addend_q);
    if (clear_i) begin
      sum_q    <= '0;
      second_q <= '0;
      least_q  <= 17'h0ffff;
      most_q   <= 17'h10000;
    end
  end
  assign record_o = {64'd0, 32'(most_q), 32'(least_q), 64'(second_q), 64'(sum_q)};
endmodule
