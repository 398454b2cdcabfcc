/// The code of a weight, one a cycle: w * M / 2^s, to the nearest integer or rounded down, limited. Codes come
/// CodeLatency cycles after their operands.
module weight_code_lane
  import weight_pkg::*;
(
    input  logic        clk_i,
    input  logic        near_i,   ///< of the command: else down
    input  logic [16:0] least_i,  ///< of the command: the code's limits
    input  logic [16:0] most_i,
    input  logic [31:0] w_i,
    input  scale_t      scale_i,
    output logic [15:0] code_o
);
  localparam int unsigned Product = 4;
  localparam int unsigned Shift   = 6;
  if (Product + Shift + 1 != CodeLatency) begin : gen_bad_latency
    $error("weight_code_lane: CodeLatency is not that of the stages");
  end

  logic [56:0] product;
  logic [5:0] shift;
  logic [16:0] code, limited;
  wide_product #(.ABits(25), .BBits(32)) u_product (
      .clk_i,
      .a_i      ({1'b0, scale_i.multiplier}),
      .b_i      (w_i),
      .product_o(product)
  );
  delay_line #(.Bits(6), .Cycles(Product)) u_shift_late (.clk_i, .data_i(scale_i.shift), .data_o(shift));
  near_shift #(.Bits(57), .OutBits(17), .ShiftBits(6)) u_shift (
      .clk_i,
      .value_i(product),
      .shift_i(shift),
      .near_i,
      .value_o(code)
  );
  assign limited = $signed(code) < $signed(least_i) ? least_i : $signed(code) > $signed(most_i) ? most_i : code;
  always_ff @(posedge clk_i) code_o <= limited[15:0];

  logic unused;
  assign unused = limited[16];
endmodule
