/// 512 words of 64 bits, written once and read twice a cycle: two block RAMs with the same contents.
///
/// A word comes two cycles after its address. What is written in the cycle of the address is not seen.
module scalar_memory
  import scalar_code_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   write_i,
    input  logic [AddressBits-1:0] write_address_i,
    input  logic [           63:0] word_i,
    input  logic [AddressBits-1:0] a_address_i,
    input  logic [AddressBits-1:0] b_address_i,
    output logic [           63:0] a_o,
    output logic [           63:0] b_o
);
  logic [63:0] copy_a[2**AddressBits];
  logic [63:0] copy_b[2**AddressBits];
  logic [63:0] a_q, b_q;
  always_ff @(posedge clk_i) begin
    if (write_i) copy_a[write_address_i] <= word_i;
    a_q <= copy_a[a_address_i];
    a_o <= a_q;
  end
  always_ff @(posedge clk_i) begin
    if (write_i) copy_b[write_address_i] <= word_i;
    b_q <= copy_b[b_address_i];
    b_o <= b_q;
  end
endmodule
