/// x * factor + addend with a factor of 40 bits, in two DSP48E1: a result a cycle, four cycles later.
module scaled_product (
    input  logic               clk_i,
    input  logic signed [16:0] x_i,
    input  logic        [39:0] factor_i,  ///< signed; stays while products with it are made, like addend_i
    input  logic        [46:0] addend_i,  ///< not negative
    output logic        [56:0] product_o
);
  logic signed [16:0] x_q, x2_q;
  logic signed [17:0] factor_low;
  logic signed [22:0] factor_high;
  logic signed [34:0] low_product_q;
  logic signed [39:0] high_product_q, high_q;
  logic signed [47:0] low_q;
  logic [16:0] lowest_q;
  assign factor_low  = {1'b0, factor_i[16:0]};
  assign factor_high = factor_i[39:17];
  always_ff @(posedge clk_i) begin
    x_q            <= x_i;
    low_product_q  <= x_q * factor_low;
    low_q          <= 48'(low_product_q) + $signed({1'b0, addend_i});
    x2_q           <= x_q;
    high_product_q <= x2_q * factor_high;
    high_q         <= high_product_q + 40'(low_q >>> 17);
    lowest_q       <= low_q[16:0];
  end
  assign product_o = {high_q, lowest_q};
endmodule
