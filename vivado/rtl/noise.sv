/// 32 random bits of an element: noise(seed, e) of the contract's section 5. One element a cycle, latency 7.
module noise
  import noise_pkg::*;
(
    input  logic        clk_i,
    input  logic [31:0] key_0_i,
    input  logic [31:0] key_1_i,
    input  logic [31:0] element_i,
    output logic [31:0] bits_o
);
  logic [31:0] a_q, b_q, c_q, d_q, e_q, f_q, g_q;
  always_ff @(posedge clk_i) begin
    a_q <= mix_step(element_i ^ key_0_i, 14, 13);
    b_q <= mix_step(a_q, 11, 5);
    c_q <= mix_step(b_q, 16, 4);
    d_q <= c_q + key_1_i;
    e_q <= mix_step(d_q, 14, 13);
    f_q <= mix_step(e_q, 11, 5);
    g_q <= mix_step(f_q, 16, 4);
  end
  assign bits_o = g_q ^ (g_q >> 16);
endmodule
