/// The programs of the scalar engine as a memory: an instruction two cycles after its address.
module scalar_program
  import scalar_code_pkg::*;
  import scalar_program_pkg::*;
(
    input  logic                   clk_i,
    input  logic [ProgramBits-1:0] address_i,
    output instruction_t           instruction_o
);
  logic [$bits(instruction_t)-1:0] rom[2**ProgramBits];
  logic [$bits(instruction_t)-1:0] word_q;
  initial for (int unsigned i = 0; i < 2 ** ProgramBits; i++) rom[i] = i < ProgramLength ? Program[i] : '0;

  always_ff @(posedge clk_i) begin
    word_q        <= rom[address_i];
    instruction_o <= instruction_t'(word_q);
  end
endmodule
