/// Momentum SGD on a weight a cycle (contract, section 10):
///
///     v <- sat(near(v * momentum + w * decay, 24) + sat(near(acc * G, g)))     w <- sat(w - near(v * rate, 24))
///
/// A word that is no weight goes through unchanged. Results come UpdateLatency cycles after their operands.
module weight_update_lane
  import weight_pkg::*;
(
    input  logic        clk_i,
    // Of the command.
    input  logic [24:0] multiplier_i,  ///< G
    input  logic        up_i,          ///< g <= 0
    input  logic [ 6:0] shift_i,       ///< g, or 32 + g with up_i
    input  logic [31:0] momentum_i,
    input  logic [31:0] decay_i,
    input  logic [31:0] rate_i,
    // Of a weight.
    input  logic        live_i,        ///< it is one
    input  logic [47:0] acc_i,
    input  logic [31:0] w_i,
    input  logic [31:0] v_i,
    output logic [31:0] w_o,
    output logic [31:0] v_o
);
  // What happens when, in cycles after the operands.
  localparam int unsigned Product  = 5;
  localparam int unsigned Kept     = 6;              // the products of momentum and decay
  localparam int unsigned Placed   = Product + 1;
  localparam int unsigned Gradient = Placed + 6;
  localparam int unsigned Moved    = Gradient + 2;   // the new v
  localparam int unsigned Step     = Moved + 6;
  localparam int unsigned Result   = Step + 4;
  if (Result != UpdateLatency) begin : gen_bad_latency
    $error("weight_update_lane: UpdateLatency is not that of the stages");
  end

  // What waits for what.
  logic [31:0] w_before, w_late, v_late, new_v_q, new_v_late;
  logic live_late;
  delay_line #(.Bits(32), .Cycles(Step + 2)) u_before (.clk_i, .data_i(w_i), .data_o(w_before));
  delay_line #(.Bits(32), .Cycles(Result - Step - 3)) u_w (.clk_i, .data_i(w_before), .data_o(w_late));
  delay_line #(.Bits(33), .Cycles(Result - 1)) u_v (.clk_i, .data_i({live_i, v_i}), .data_o({live_late, v_late}));
  delay_line #(.Bits(32), .Cycles(Result - Moved - 1)) u_new (.clk_i, .data_i(new_v_q), .data_o(new_v_late));

  // The gradient. To be multiplied by a power of two it is placed 32 bits up: what does not fit there is far beyond the
  // limits.
  logic [72:0] product;
  logic [73:0] placed_q;
  logic [31:0] gradient;
  logic wide;
  wide_product #(.ABits(25), .BBits(48)) u_gradient (.clk_i, .a_i(multiplier_i), .b_i(acc_i), .product_o(product));
  assign wide = product[72:32] != {41{product[72]}};
  always_ff @(posedge clk_i) begin
    if (!up_i) placed_q <= 74'($signed(product));
    else placed_q <= 74'($signed({product[72], wide ? {32{!product[72]}} : product[31:0], 32'd0}));
  end
  near_shift #(.Bits(74), .OutBits(32), .ShiftBits(7)) u_shift (
      .clk_i,
      .value_i(placed_q),
      .shift_i,
      .near_i (1'b1),
      .value_o(gradient)
  );

  // Momentum and decay.
  logic [64:0] kept, decayed;
  logic [65:0] sum_q;
  logic [41:0] whole_q;
  logic [42:0] rounded_q, rounded_late;
  logic up_q;
  wide_product #(.ABits(32), .BBits(33)) u_momentum (.clk_i, .a_i(v_i), .b_i({1'b0, momentum_i}), .product_o(kept));
  wide_product #(.ABits(32), .BBits(33)) u_decay (.clk_i, .a_i(w_i), .b_i({1'b0, decay_i}), .product_o(decayed));
  function automatic logic half_up(logic [24:0] low);
    return low[23] && (low[24] || low[22:0] != '0);
  endfunction
  always_ff @(posedge clk_i) begin
    sum_q     <= 66'($signed(kept)) + 66'($signed(decayed));
    whole_q   <= sum_q[65:24];
    up_q      <= half_up(sum_q[24:0]);
    rounded_q <= 43'($signed(whole_q)) + 43'(up_q);
  end
  delay_line #(.Bits(43), .Cycles(Gradient - Kept - 3)) u_sum (
      .clk_i,
      .data_i(rounded_q),
      .data_o(rounded_late)
  );

  // The new v, and w.
  function automatic logic [31:0] saturated(logic [43:0] value);
    return value[43:31] == {13{value[43]}} ? value[31:0] : {value[43], {31{!value[43]}}};
  endfunction
  logic [43:0] moved_q, stepped_q;
  logic [64:0] step;
  logic [40:0] step_whole_q;
  logic [41:0] step_q;
  logic step_up_q;
  wide_product #(.ABits(32), .BBits(33)) u_rate (
      .clk_i,
      .a_i      (new_v_q),
      .b_i      ({1'b0, rate_i}),
      .product_o(step)
  );
  always_ff @(posedge clk_i) begin
    moved_q      <= 44'($signed(rounded_late)) + 44'($signed(gradient));
    new_v_q      <= saturated(moved_q);
    step_whole_q <= step[64:24];
    step_up_q    <= half_up(step[24:0]);
    step_q       <= 42'($signed(step_whole_q)) + 42'(step_up_q);
    stepped_q    <= 44'($signed(w_before)) - 44'($signed(step_q));
    w_o          <= live_late ? saturated(stepped_q) : w_late;
    v_o          <= live_late ? new_v_late : v_late;
  end
endmodule
