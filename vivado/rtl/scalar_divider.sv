/// The quotient of two mantissas, rounded down: a * 2^(2 * Digits) / b, two bits a cycle.
///
/// Done 2 + Digits cycles after start_i. Both numbers have their top bit set, so the quotient's first bit is a >= b,
/// and the rest stays below b from there on.
module scalar_divider #(
    parameter int unsigned Width  = 31,  ///< bits of the mantissas
    parameter int unsigned Digits = 16   ///< of two bits, behind the point
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,     ///< take a_i, b_i; only when idle
    input  logic [   Width-1:0] a_i,
    input  logic [   Width-1:0] b_i,
    output logic                done_o,      ///< one cycle: the quotient is there
    output logic [2*Digits : 0] quotient_o,
    output logic [   Width-1:0] rest_o       ///< a * 2^(2 * Digits) - quotient * b
);
  logic [Width-1:0] b_q, rest_q;
  logic [Width+1:0] triple_q;
  logic [2*Digits:0] quotient_q;
  logic [$clog2(Digits+2)-1:0] left_q;
  logic busy_q, first_q;

  // Four times the rest, less one, two and three times the divisor: the sign of each says whether it fits.
  logic [Width+2:0] less_1, less_2, less_3, kept;
  logic [Width:0] less_first;
  logic [1:0] digit;
  assign less_first = {1'b0, rest_q} - {1'b0, b_q};
  assign less_1     = {1'b0, rest_q, 2'b00} - {3'b000, b_q};
  assign less_2     = {1'b0, rest_q, 2'b00} - {2'b00, b_q, 1'b0};
  assign less_3     = {1'b0, rest_q, 2'b00} - {1'b0, triple_q};
  assign digit      = {!less_2[Width+2], less_2[Width+2] ? !less_1[Width+2] : !less_3[Width+2]};
  always_comb begin
    unique case (digit)
      2'd0: kept = {1'b0, rest_q, 2'b00};
      2'd1: kept = less_1;
      2'd2: kept = less_2;
      default: kept = less_3;
    endcase
  end

  assign done_o     = busy_q && left_q == '0;
  assign quotient_o = quotient_q;
  assign rest_o     = rest_q;

  always_ff @(posedge clk_i) begin
    first_q <= start_i;
    if (start_i) begin
      b_q    <= b_i;
      rest_q <= a_i;
      left_q <= ($bits(left_q))'(Digits + 1);
    end else if (first_q) begin
      triple_q   <= {2'b00, b_q} + {1'b0, b_q, 1'b0};
      quotient_q <= {{2 * Digits{1'b0}}, !less_first[Width]};
      if (!less_first[Width]) rest_q <= less_first[Width-1:0];
      left_q     <= left_q - 1'b1;
    end else if (left_q != '0) begin
      quotient_q <= {quotient_q[2*Digits-2:0], digit};
      rest_q     <= kept[Width-1:0];
      left_q     <= left_q - 1'b1;
    end
    if (!rst_ni) busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (done_o) busy_q <= 1'b0;
    if (!rst_ni) first_q <= 1'b0;
  end

  logic unused;
  assign unused = &{1'b0, kept[Width+2:Width]};
endmodule
