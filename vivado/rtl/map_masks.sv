/// Masks of strips, words of all banks at one address, in block RAM: four banks each. A read takes two cycles.
module map_masks #(
    parameter  int unsigned Banks    = 16,
    parameter  int unsigned Depth    = 8,
    localparam int unsigned AddrBits = $clog2(Depth)
) (
    input  logic                   clk_i,
    input  logic [Banks-1:0]       write_i,
    input  logic [AddrBits-1:0]    write_addr_i,
    input  logic [Banks-1:0][15:0] data_i,
    input  logic [AddrBits-1:0]    read_addr_i,
    output logic [Banks-1:0][15:0] data_o
);
  for (genvar b = 0; b < Banks; b += 4) begin : gen_bank
    (* ram_style = "block" *) logic [3:0][15:0] words_q[Depth];
    logic [3:0][15:0] word_q;
    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < 4; i++) if (write_i[b+i]) words_q[write_addr_i][i] <= data_i[b+i];
      word_q         <= words_q[read_addr_i];
      data_o[b+3-:4] <= word_q;
    end
  end
endmodule
