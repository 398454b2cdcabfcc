/// What the 16 elements of a pixel share of their noise: the first step of the mix without their four lowest bits.
///
/// Elements e and e + c differ in these bits only, and so do y = x ^ (x >> 14) of x = e ^ key_0. Latency 2.
module noise_base (
    input  logic        clk_i,
    input  logic [31:0] key_0_i,
    input  logic [27:0] element_i,  ///< without its four lowest bits
    output logic [31:4] mixed_o,    ///< y * (1 + 2^13), if the lowest four bits of y are taken for 0
    output logic [ 3:0] low_o       ///< these bits, of the first element
);
  logic [31:0] x, y_q;
  assign x = {element_i, 4'd0} ^ key_0_i;
  always_ff @(posedge clk_i) begin
    y_q     <= x ^ (x >> 14);
    mixed_o <= y_q[31:4] + {y_q[18:4], 13'd0};
    low_o   <= y_q[3:0];
  end
endmodule
