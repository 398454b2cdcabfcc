/// A signed number divided by a power of two, to the nearest integer (a tie to the even one) or rounded down, then
/// limited to `OutBits` bits. A result a cycle, six cycles later.
///
/// Two bits ride behind the point: the half, and whether anything lies below it.
module near_shift #(
    parameter  int unsigned Bits       = 74,
    parameter  int unsigned OutBits    = 32,
    parameter  int unsigned ShiftBits  = 7  ///< 6 or 7
) (
    input  logic                 clk_i,
    input  logic [     Bits-1:0] value_i,
    input  logic [ShiftBits-1:0] shift_i,
    input  logic                 near_i,   ///< else down
    output logic [  OutBits-1:0] value_o
);
  typedef logic signed [Bits+1:0] wide_t;

  function automatic wide_t shifted(wide_t value, int unsigned by);
    wide_t below;
    below = value & ~('1 << by);
    return (value >>> by) | wide_t'(below != '0);
  endfunction

  function automatic wide_t one_of(wide_t value, logic [1:0] by, int unsigned unit);
    unique case (by)
      2'd0: return value;
      2'd1: return shifted(value, unit);
      2'd2: return shifted(value, 2 * unit);
      default: return shifted(value, 3 * unit);
    endcase
  endfunction

  // Once 7 places at most are left, what lies above the result's bits can only be its sign, or too much.
  localparam int unsigned Kept = OutBits + 9;  // bits and two behind the point, and the places that are left
  typedef logic signed [Kept:0] kept_t;
  if (Bits + 1 < Kept + 24) begin : gen_bad_bits
    $error("near_shift: Bits is less than OutBits + 32");
  end

  wide_t by_32_q, by_8;
  kept_t by_8_q, by_2_q, by_1_q;
  logic [6:0] shift;
  logic [4:0] shift_32_q;
  logic [2:0] shift_8_q;
  logic shift_2_q;
  logic [3:0] near_q;
  logic [3:0] above;  // bits that come to lie above the kept ones, by the shift
  logic [2:0] above_q;
  assign shift = 7'(shift_i);
  assign by_8  = one_of(by_32_q, shift_32_q[4:3], 8);
  always_comb begin
    for (int unsigned i = 0; i < 3; i++) above[i] = by_32_q[Kept+8*i+:8] != {8{by_32_q[Bits+1]}};
    above[3] = by_32_q[Bits+1:Kept+24] != {(Bits - Kept - 22) {by_32_q[Bits+1]}};
  end

  function automatic kept_t kept_by(kept_t value, int unsigned by);
    kept_t below;
    below = value & ~('1 << by);
    return (value >>> by) | kept_t'(below != '0);
  endfunction

  function automatic kept_t kept_one_of(kept_t value, logic [1:0] by);
    unique case (by)
      2'd0: return value;
      2'd1: return kept_by(value, 2);
      2'd2: return kept_by(value, 4);
      default: return kept_by(value, 6);
    endcase
  endfunction

  // The sum of the integer and its rounding has one bit more.
  logic signed [Kept-2:0] whole;
  logic up, far, far_q, negative_q;
  logic [OutBits:0] sum_q;
  assign whole = by_1_q[Kept:2];
  assign up    = near_q[3] && by_1_q[1] && (by_1_q[0] || by_1_q[2]);
  assign far   = above_q[2] || whole[Kept-2:OutBits-1] != {(Kept - OutBits) {whole[Kept-2]}};

  always_ff @(posedge clk_i) begin
    by_32_q    <= one_of({value_i, 2'b00}, shift[6:5], 32);
    shift_32_q <= shift[4:0];
    by_8_q     <= {by_32_q[Bits+1], by_8[Kept-1:0]};
    above_q    <= {above_q[1:0], above[3] || (above[2] && shift_32_q[4:3] != 2'd3)
                   || (above[1] && !shift_32_q[4]) || (above[0] && shift_32_q[4:3] == 2'd0)};
    shift_8_q  <= shift_32_q[2:0];
    by_2_q     <= kept_one_of(by_8_q, shift_8_q[2:1]);
    shift_2_q  <= shift_8_q[0];
    by_1_q     <= shift_2_q ? kept_by(by_2_q, 1) : by_2_q;
    near_q     <= {near_q[2:0], near_i};
    sum_q      <= {whole[OutBits-1], whole[OutBits-1:0]} + (OutBits + 1)'(up);
    far_q      <= far;
    negative_q <= whole[Kept-2];
    value_o    <= sum_q[OutBits-1:0];
    if (far_q || sum_q[OutBits] != sum_q[OutBits-1]) value_o <= {negative_q, {OutBits - 1{!negative_q}}};
  end

  logic unused;
  assign unused = &{1'b0, by_8};
endmodule
