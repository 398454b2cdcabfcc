/// Shifts a product to the right by 15, 31 or 47 bits and limits it to a word, three cycles later.
///
/// The product has a half of the divisor in it already. So it is the nearest integer; if nothing is left below, it was
/// a tie, and the even one is below.
module near_limit
  import rounding_pkg::*;
(
    input  logic        clk_i,
    input  logic [56:0] product_i,
    input  logic [1:0]  place_i,      ///< 0, 1 or 2: 15, 31 or 47 bits
    input  rounding_t   rounding_i,   ///< most, is_signed
    input  logic        symmetric_i,  ///< the least code is left out
    output logic [15:0] value_o
);
  // Stage 1: quotient, whether bits above it differ from its sign, whether bits below it are 0.
  logic negative, high, middle, zero_15, zero_31, zero_47;
  logic [15:0] quotient_q, kept_q;
  logic negative_q, over_q, tie_q, most_q, least_q, spared_q;
  assign negative = product_i[56];
  assign high     = product_i[55:47] != {9{negative}};
  assign middle   = product_i[46:31] != {16{negative}};
  assign zero_15  = product_i[14:0] == '0;
  assign zero_31  = product_i[30:15] == '0;
  assign zero_47  = product_i[46:31] == '0;

  // Stage 2: what to take.
  logic [15:0] least;
  logic outside;
  assign least   = rounding_i.is_signed ? ~rounding_i.most : '0;
  assign outside = over_q || ((quotient_q ^ {16{negative_q && rounding_i.is_signed}}) & ~rounding_i.most) != '0;

  always_ff @(posedge clk_i) begin
    unique case (place_i)
      2'd0:    quotient_q <= product_i[30:15];
      2'd1:    quotient_q <= product_i[46:31];
      default: quotient_q <= {{6{negative}}, product_i[56:47]};
    endcase
    negative_q <= negative;
    over_q     <= (place_i == 2'd0 && middle) || (!place_i[1] && high);
    tie_q      <= zero_15 && (place_i == 2'd0 || zero_31) && (!place_i[1] || zero_47);

    kept_q   <= {quotient_q[15:1], quotient_q[0] && !tie_q};
    most_q   <= outside && !negative_q;
    least_q  <= negative_q && (outside || !rounding_i.is_signed);
    spared_q <= symmetric_i && negative_q && (outside || {quotient_q[15:1], quotient_q[0] && !tie_q} == least);

    value_o    <= most_q ? rounding_i.most : least_q ? least : kept_q;
    if (spared_q) value_o[0] <= 1'b1;
  end

  logic unused;
  assign unused = &{1'b0, rounding_i};
endmodule
