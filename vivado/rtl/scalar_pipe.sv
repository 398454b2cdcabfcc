/// Arithmetic of the scalar engine (contract, section 6): an element a cycle, PipeLatency cycles each.
///
///   1, 2  operands: sign, magnitude, exponent (scalar_operand)      6     sums
///   3, 4  products; what is added to what, and how far apart        7     magnitude, or saturation; the accumulators
///   5     products; the greater exponent's number is shifted        8-11  scalar_normalise
///
/// Quotients and roots (scalar_long) leave behind stage 4 and come back in stage 6: of those, elements must come apart
/// as scalar_code_pkg says, and nothing else until all have ended.
module scalar_pipe
  import contract_pkg::*;
  import scalar_code_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  tag_t                   tag_i,
    input  logic [           63:0] a_word_i,
    input  logic [           63:0] b_word_i,
    input  source_t                a_source_i,  ///< kind and sign
    input  source_t                b_source_i,
    output logic                   busy_o,      ///< something is on its way
    output logic                   valid_o,     ///< word_o is a result, for d_o
    output logic [           63:0] word_o,
    output logic [AddressBits-1:0] d_o
);
  localparam int unsigned Last = 11;
  tag_t [Last:1] tag_q;

  // Stages 1, 2.
  operand_t a, b;
  scalar_operand u_a (.clk_i, .word_i(a_word_i), .kind_i(a_source_i.kind), .sign_i(a_source_i.sign), .operand_o(a));
  scalar_operand u_b (.clk_i, .word_i(b_word_i), .kind_i(b_source_i.kind), .sign_i(b_source_i.sign), .operand_o(b));

  // Stage 3: exponents against each other; integers with their sign.
  op_e op3;
  operand_t a3_q, b3_q;
  exponent_t ahead_q, behind_q, sum_e_q, power_q, root_e_q, x3_q, y3_q;
  logic size_greater_q;
  exponent_t a_signed, b_signed;
  assign op3      = tag_q[2].op;
  assign a_signed = a.negative ? -exponent_t'({1'b0, a.size[34:0]}) : exponent_t'({1'b0, a.size[34:0]});
  assign b_signed = b.negative ? -exponent_t'({1'b0, b.size[34:0]}) : exponent_t'({1'b0, b.size[34:0]});
  always_ff @(posedge clk_i) begin
    {a3_q, b3_q}   <= {a, b};
    ahead_q        <= exponent_t'(a.e) - exponent_t'(b.e);
    behind_q       <= exponent_t'(b.e) - exponent_t'(a.e);
    sum_e_q        <= exponent_t'(a.e) + exponent_t'(b.e);
    power_q        <= exponent_t'(a.e) + b_signed;
    root_e_q       <= (exponent_t'(a.e) - (a.e[0] ? 36'sd31 : 36'sd32)) >>> 1;
    size_greater_q <= a.size[31:0] > b.size[31:0];
    x3_q           <= op3 == OpRoom ? -36'sd7 - exponent_t'(a.e)
                      : op3 == OpFraction ? -36'sd31 - exponent_t'(a.e) : a_signed;
    y3_q           <= b_signed;
  end

  // Stage 4: the first number of a sum is the one with the greater exponent, or the one that alone counts.
  op_e op4;
  logic far, alone, a_greater, a_first;
  exponent_t up;
  logic [5:0] int_bits;
  assign op4      = tag_q[3].op;
  assign far      = ahead_q >= 36'sd32 || behind_q >= 36'sd32;
  assign alone    = a3_q.zero || b3_q.zero || far || op4 != OpAdd;
  assign up       = power_q;
  assign int_bits = op4 == OpInt25 ? 6'd25 : op4 == OpInt32 ? 6'd32 : 6'd47;
  always_comb begin
    if (a3_q.zero) a_greater = !b3_q.zero && b3_q.negative;
    else if (b3_q.zero || a3_q.negative != b3_q.negative) a_greater = !a3_q.negative;
    else a_greater = (behind_q[35] || (ahead_q == '0 && size_greater_q)) != a3_q.negative;
    unique case (op4)
      OpMax:   a_first = a_greater;
      OpMin:   a_first = !a_greater;
      OpElse:  a_first = !a3_q.zero;
      OpAdd:   a_first = b3_q.zero || (!a3_q.zero && !ahead_q[35]);
      default: a_first = 1'b1;
    endcase
  end

  logic [52:0] first_q, second_q;
  logic [5:0] places_q;                  // to shift the first
  logic negative4_q, subtract4_q, none4_q, limit4_q, less_q, zero4_q, odd_q;
  exponent_t e4_q, x4_q, y4_q, sum4_q;
  logic signed [32:0] addend_q;          // of OpSettle
  always_ff @(posedge clk_i) begin
    first_q     <= a_first ? a3_q.size : b3_q.size;
    second_q    <= alone ? '0 : a_first ? b3_q.size : a3_q.size;
    subtract4_q <= a3_q.negative != b3_q.negative;
    negative4_q <= a_first ? a3_q.negative : b3_q.negative;
    none4_q     <= 1'b0;
    limit4_q    <= 1'b0;
    places_q    <= '0;
    odd_q       <= a3_q.e[0];
    e4_q        <= a_first ? exponent_t'(a3_q.e) : exponent_t'(b3_q.e);
    unique case (op4)
      OpMul, OpMulW, OpMacW: begin
        negative4_q <= a3_q.negative != b3_q.negative;
        e4_q        <= sum_e_q;
      end
      OpDiv: begin
        negative4_q <= a3_q.negative != b3_q.negative;
        none4_q     <= a3_q.zero || b3_q.zero;
        e4_q        <= ahead_q;
      end
      OpRoot: begin
        none4_q <= a3_q.zero || a3_q.negative;
        e4_q    <= root_e_q;
      end
      OpAdd: if (!alone) begin
        places_q <= a_first ? ahead_q[5:0] : behind_q[5:0];
        e4_q     <= a_first ? exponent_t'(b3_q.e) : exponent_t'(a3_q.e);
      end
      OpLift: e4_q <= power_q;
      OpLiftW: begin
        e4_q        <= '0;
        negative4_q <= 1'b0;
      end
      OpInt25, OpInt32, OpInt47: begin
        limit4_q <= !a3_q.zero && up > exponent_t'({1'b0, int_bits}) - 36'sd32;
        none4_q  <= up < -36'sd31;
        places_q <= 6'(up + 36'sd32);
      end
      default: ;
    endcase
    // Integers.
    sum4_q   <= x3_q + y3_q;
    less_q   <= x3_q < y3_q;
    zero4_q  <= a3_q.zero;
    {x4_q, y4_q} <= {x3_q, y3_q};
    addend_q <= x3_q[32:0];
  end

  logic [WideBits-1:0] product;
  scalar_product u_product (.clk_i, .a_i(a.size), .b_i(b.size[36:0]), .product_o(product));

  // The accumulators are read in stage 4.
  logic [WideBits-1:0] wide_q[Lanes];
  logic [WideBits-1:0] wide4_q, w6_q;
  always_ff @(posedge clk_i) begin
    wide4_q <= wide_q[tag_q[3].lane];
    if (tag_q[6].valid && tag_q[6].op inside {OpMulW, OpMacW}) wide_q[tag_q[6].lane] <= w6_q;
  end

  // Quotients and roots.
  typedef struct packed {
    tag_t      tag;
    logic      negative;
    logic      none;
    exponent_t e;
  } long_t;
  logic long_busy, long_done;
  logic [32:0] long_value;
  long_t long_in, long_out;
  assign long_in = '{tag: tag_q[4], negative: negative4_q && tag_q[4].op == OpDiv, none: none4_q, e: e4_q};
  logic [30:0] divisor_q;
  always_ff @(posedge clk_i) divisor_q <= b3_q.size[30:0];
  scalar_long #(.TagBits($bits(long_t))) u_long (
      .clk_i,
      .rst_ni,
      .divide_i(tag_q[4].valid && tag_q[4].op == OpDiv),
      .root_i  (tag_q[4].valid && tag_q[4].op == OpRoot),
      .odd_i   (odd_q),
      .a_i     (first_q[30:0]),
      .b_i     (divisor_q),
      .tag_i   (long_in),
      .busy_o  (long_busy),
      .done_o  (long_done),
      .value_o (long_value),
      .tag_o   (long_out)
  );

  // Stage 5: both terms of the sum, but for products.
  op_e op5;
  logic [WideBits-1:0] shifted, near, left5_q, right5_q;
  logic [63:0] whole;
  logic [47:0] limit;
  exponent_t e5_q, limited;
  logic is_long, is_product, is_whole, product5_q, invert_q, carry_q, negative5_q, whole5_q, settle5_q;
  assign op5        = tag_q[4].op;
  assign is_product = op5 inside {OpMul, OpMulW, OpMacW};
  assign is_long    = op5 inside {OpDiv, OpRoot};
  assign is_whole   = op5 inside {OpInt25, OpInt32, OpInt47, OpRoom, OpFraction, OpPlus, OpLimit, OpPack};
  assign shifted    = WideBits'(first_q) << places_q;
  assign near       = {{24{wide4_q[WideBits-1]}}, wide4_q[WideBits-1:24]};
  assign limit      = op5 == OpInt25 ? 48'h00_0000_FFFFFF : op5 == OpInt32 ? 48'h0000_7FFFFFFF : 48'h3FFF_FFFFFFFF;
  assign limited    = sum4_q > 36'sd47 ? 36'sd47 : sum4_q < -36'sd47 ? -36'sd47 : sum4_q;
  always_comb begin
    unique case (op5)
      OpInt25, OpInt32, OpInt47: whole = {16'd0, limit4_q ? limit : none4_q ? 48'd0 : shifted[79:32]};
      OpRoom:     whole = zero4_q ? 64'(y4_q) : x4_q[35] ? '0 : less_q ? 64'(x4_q) : 64'(y4_q);
      OpFraction: whole = zero4_q ? '0 : 64'(sum4_q);
      OpLimit:    whole = 64'(limited);
      OpPack:     whole = {y4_q[31:0], x4_q[31:0]};
      default:    whole = 64'(sum4_q);
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (op5 == OpSettle) left5_q <= near;
    else if (op5 inside {OpMacW, OpLiftW}) left5_q <= wide4_q;
    else if (is_whole) left5_q <= {16'd0, whole};
    else left5_q <= is_product || is_long ? '0 : shifted;
    right5_q    <= op5 == OpSettle ? WideBits'(addend_q) : op5 == OpAdd ? WideBits'(second_q) : '0;
    product5_q  <= is_product;
    invert_q    <= op5 == OpAdd ? subtract4_q : op5 inside {OpMulW, OpMacW} && negative4_q;
    carry_q     <= op5 == OpSettle ? wide4_q[23] && (wide4_q[24] || wide4_q[22:0] != '0)
                   : op5 == OpAdd ? subtract4_q : op5 inside {OpMulW, OpMacW} && negative4_q;
    negative5_q <= negative4_q && !(op5 inside {OpRoom, OpFraction, OpPlus, OpLimit, OpPack, OpSettle});
    e5_q        <= e4_q + 36'sd49;
    whole5_q    <= is_whole || op5 == OpSettle;
    settle5_q   <= op5 == OpSettle;
    if (long_done) begin  // and tag_q[4] is none, or begins another
      left5_q     <= '0;
      right5_q    <= long_out.none ? '0 : WideBits'(long_value);
      negative5_q <= long_out.negative;
      e5_q        <= long_out.e + (long_out.tag.op == OpDiv ? 36'sd17 : 36'sd49);
      {product5_q, invert_q, carry_q, whole5_q, settle5_q} <= '0;
    end
  end

  // Stage 6: the sum.
  logic raw6_q, settle6_q, negative6_q;
  logic [WideBits-1:0] right;
  exponent_t e6_q;
  assign right = product5_q ? product : right5_q;
  always_ff @(posedge clk_i) begin
    w6_q        <= left5_q + (right ^ {WideBits{invert_q}}) + WideBits'(carry_q);
    negative6_q <= negative5_q;
    e6_q        <= e5_q;
    raw6_q      <= whole5_q;
    settle6_q   <= settle5_q;
  end

  // Stage 7.
  logic [WideBits-1:0] w7_q;
  logic negative7_q, raw7_q, turn;
  exponent_t e7_q;
  assign turn = raw6_q ? negative6_q : w6_q[WideBits-1];
  always_ff @(posedge clk_i) begin
    w7_q        <= turn ? -w6_q : w6_q;
    negative7_q <= negative6_q != w6_q[WideBits-1];
    e7_q        <= e6_q;
    raw7_q      <= raw6_q;
    if (settle6_q) begin
      w7_q <= w6_q;
      if (w6_q[79:31] != {49{w6_q[79]}}) w7_q <= w6_q[79] ? {49'h1_FFFF_FFFF_FFFF, 31'd0} : 80'h7FFF_FFFF;
    end
  end

  scalar_normalise u_normalise (
      .clk_i,
      .raw_i     (raw7_q),
      .size_i    (w7_q),
      .negative_i(negative7_q),
      .e_i       (e7_q),
      .word_o
  );

  // Tags.
  logic [Last:1] valids;
  always_comb for (int unsigned i = 1; i <= Last; i++) valids[i] = tag_q[i].valid;
  assign busy_o  = valids != '0 || long_busy || long_done;
  assign valid_o = tag_q[Last].valid && tag_q[Last].write && !(tag_q[Last].op inside {OpMulW, OpMacW});
  assign d_o     = tag_q[Last].d;
  always_ff @(posedge clk_i) begin
    tag_q <= {tag_q[Last-1:1], tag_i};
    if (tag_q[4].op inside {OpDiv, OpRoot}) tag_q[5].valid <= 1'b0;
    if (long_done) tag_q[5] <= long_out.tag;
    if (!rst_ni) for (int unsigned i = 1; i <= Last; i++) tag_q[i].valid <= 1'b0;
  end

  logic unused;
  assign unused = &{1'b0, a_source_i, b_source_i};
endmodule
