/// What an instruction takes of a word of memory, as sign, magnitude and exponent. Two stages.
module scalar_operand
  import scalar_code_pkg::*;
(
    input  logic        clk_i,
    input  logic [63:0] word_i,
    input  kind_e       kind_i,
    input  sign_e       sign_i,
    output operand_t    operand_o
);
  logic signed [52:0] value_q;
  logic signed [31:0] e_q;
  sign_e sign_q;
  always_ff @(posedge clk_i) begin
    sign_q <= sign_i;
    e_q    <= kind_i == KindScalar ? word_i[63:32] : '0;
    unique case (kind_i)
      KindHigh:     value_q <= 53'(signed'(word_i[63:32]));
      KindULow:     value_q <= {21'd0, word_i[31:0]};
      KindUHigh:    value_q <= {21'd0, word_i[63:32]};
      KindSum:      value_q <= 53'(signed'(word_i[36:0]));
      KindSecond:   value_q <= word_i[52:0];
      KindCodeLow:  value_q <= 53'(signed'(word_i[16:0]));
      KindCodeHigh: value_q <= 53'(signed'(word_i[48:32]));
      default:      value_q <= 53'(signed'(word_i[31:0]));
    endcase
  end

  always_ff @(posedge clk_i) begin
    operand_o.negative <= sign_q != SignSize && value_q[52] != (sign_q == SignMinus);
    operand_o.zero     <= value_q == '0;
    operand_o.size     <= value_q[52] ? -value_q : value_q;
    operand_o.e        <= 34'(e_q);
  end

  logic unused;
  assign unused = &{1'b0, word_i};
endmodule
