/// a * b in three stages: 24 by 17 bits a multiplier, and what is above in small ones.
///
/// The product must have less than 80 bits; and a no more than 48 bits, or b no more than 34.
module scalar_product
  import scalar_code_pkg::*;
(
    input  logic                clk_i,
    input  logic [        52:0] a_i,
    input  logic [        36:0] b_i,
    output logic [WideBits-1:0] product_o
);
  logic [40:0] low_low_q, low_high_q, high_low_q, high_high_q;
  logic [21:0] top_low_q, top_high_q;    // a's top 5 bits
  logic [26:0] low_top_q, high_top_q;    // b's top 3 bits
  always_ff @(posedge clk_i) begin
    low_low_q   <= 41'(a_i[23:0]) * 41'(b_i[16:0]);
    low_high_q  <= 41'(a_i[23:0]) * 41'(b_i[33:17]);
    high_low_q  <= 41'(a_i[47:24]) * 41'(b_i[16:0]);
    high_high_q <= 41'(a_i[47:24]) * 41'(b_i[33:17]);
    top_low_q   <= 22'(a_i[52:48]) * 22'(b_i[16:0]);
    top_high_q  <= 22'(a_i[52:48]) * 22'(b_i[33:17]);
    low_top_q   <= 27'(a_i[23:0]) * 27'(b_i[36:34]);
    high_top_q  <= 27'(a_i[47:24]) * 27'(b_i[36:34]);
  end

  // Only one of the two sums in top_q is not 0.
  logic [WideBits-1:0] ends_q, middle_q, top_q;
  logic [38:0] a_top;
  logic [50:0] b_top;
  assign a_top = {17'd0, top_low_q} + {top_high_q, 17'd0};
  assign b_top = {24'd0, low_top_q} + {high_top_q, 24'd0};
  always_ff @(posedge clk_i) begin
    ends_q    <= {high_high_q[38:0], low_low_q};
    middle_q  <= {22'd0, low_high_q, 17'd0} + {15'd0, high_low_q, 24'd0};
    top_q     <= {a_top[31:0], 48'd0} | {b_top[45:0], 34'd0};
    product_o <= ends_q + middle_q + top_q;
  end

  logic unused;
  assign unused = &{1'b0, high_high_q[40:39], a_top[38:32], b_top[50:46]};
endmodule
