/// S(x, e) of a number of 80 bits, or a word that passes as it is. Four stages: shifts by 16s, 4s, 1s, and the limits.
module scalar_normalise
  import contract_pkg::*;
  import scalar_code_pkg::*;
(
    input  logic                clk_i,
    input  logic                raw_i,       ///< pass the low 64 bits
    input  logic [WideBits-1:0] size_i,
    input  logic                negative_i,
    input  exponent_t           e_i,         ///< plus 49: size's top 31 bits become the mantissa
    output logic [        63:0] word_o
);
  logic [WideBits-1:0] w1_q, w2_q, w3_q;
  logic raw1_q, raw2_q, raw3_q, negative1_q, negative2_q, negative3_q;
  exponent_t e1_q, e2_q, e3_q;

  // How many units of a step are zero on top, one less than all at most.
  logic [2:0] by_16;
  logic [1:0] by_4, by_1;
  always_comb begin
    if (raw_i || size_i[79-:16] != '0) by_16 = 3'd0;
    else if (size_i[63-:16] != '0) by_16 = 3'd1;
    else if (size_i[47-:16] != '0) by_16 = 3'd2;
    else if (size_i[31-:16] != '0) by_16 = 3'd3;
    else by_16 = 3'd4;
    if (raw1_q || w1_q[79-:4] != '0) by_4 = 2'd0;
    else if (w1_q[75-:4] != '0) by_4 = 2'd1;
    else if (w1_q[71-:4] != '0) by_4 = 2'd2;
    else by_4 = 2'd3;
    if (raw2_q || w2_q[79]) by_1 = 2'd0;
    else if (w2_q[78]) by_1 = 2'd1;
    else if (w2_q[77]) by_1 = 2'd2;
    else by_1 = 2'd3;
  end

  logic above, below;
  logic [30:0] mantissa;
  logic signed [31:0] e;
  assign above    = e3_q > exponent_t'(MAX_EXPONENT);
  assign below    = e3_q < -exponent_t'(MAX_EXPONENT);
  assign mantissa = above ? '1 : w3_q[79-:31];
  assign e        = above ? 32'(MAX_EXPONENT) : e3_q[31:0];
  always_ff @(posedge clk_i) begin
    {w1_q, raw1_q, negative1_q, e1_q} <= {size_i << {by_16, 4'd0}, raw_i, negative_i, e_i - exponent_t'({by_16, 4'd0})};
    {w2_q, raw2_q, negative2_q, e2_q} <= {w1_q << {by_4, 2'd0}, raw1_q, negative1_q, e1_q - exponent_t'({by_4, 2'd0})};
    {w3_q, raw3_q, negative3_q, e3_q} <= {w2_q << by_1, raw2_q, negative2_q, e2_q - exponent_t'({1'b0, by_1})};
    if (raw3_q) word_o <= w3_q[63:0];
    else if (!w3_q[79] || below) word_o <= '0;
    else word_o <= {e, negative3_q ? -{1'b0, mantissa} : {1'b0, mantissa}};
  end
endmodule
