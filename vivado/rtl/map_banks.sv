/// Memory banks with addresses of their own, in block RAM. A read takes two cycles.
module map_banks #(
    parameter  int unsigned Banks    = 16,
    parameter  int unsigned Depth    = 128,
    parameter  int unsigned Width    = 16,
    localparam int unsigned AddrBits = $clog2(Depth)
) (
    input  logic                           clk_i,
    input  logic [Banks-1:0]               write_i,
    input  logic [Banks-1:0][AddrBits-1:0] write_addr_i,
    input  logic [Banks-1:0][Width-1:0]    data_i,
    input  logic [Banks-1:0][AddrBits-1:0] read_addr_i,
    output logic [Banks-1:0][Width-1:0]    data_o
);
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    (* ram_style = "block" *) logic [Width-1:0] words_q[Depth];
    logic [Width-1:0] word_q;
    always_ff @(posedge clk_i) begin
      if (write_i[b]) words_q[write_addr_i[b]] <= data_i[b];
      word_q    <= words_q[read_addr_i[b]];
      data_o[b] <= word_q;
    end
  end
endmodule
