/// Codes of a line, 16 output channels of one input channel and tap, as planes: a word has a bit of each channel.
module weight_lines #(
    parameter int unsigned Lanes = 2
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   valid_i,   ///< codes, the first channels first
    input  logic                   last_i,    ///< of the line
    input  logic [Lanes-1:0][15:0] codes_i,
    output logic                   valid_o,   ///< one cycle: a line is complete
    output logic [15:0][15:0]      planes_o
);
  always_ff @(posedge clk_i) begin
    valid_o <= valid_i && last_i && rst_ni;
    if (valid_i) begin
      for (int unsigned plane = 0; plane < 16; plane++) begin
        for (int unsigned i = 0; i < 16 - Lanes; i++) planes_o[plane][i] <= planes_o[plane][i+Lanes];
        for (int unsigned i = 0; i < Lanes; i++) planes_o[plane][16-Lanes+i] <= codes_i[i][plane];
      end
    end
  end
endmodule
