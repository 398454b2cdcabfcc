/// One of eight words, by two LUTs and a multiplexer of their slice (MUXF7) for each bit.
module select_eight #(
    parameter int unsigned Width = 16
) (
    input  logic [7:0][Width-1:0] data_i,
    input  logic [2:0]            select_i,
    output logic [Width-1:0]      data_o
);
`ifdef SYNTHESIS
  logic [1:0][Width-1:0] half;
  for (genvar h = 0; h < 2; h++) begin : gen_half
    select_four #(.Width(Width)) u_four (.data_i(data_i[4*h+:4]), .select_i(select_i[1:0]), .data_o(half[h]));
  end
  for (genvar i = 0; i < Width; i++) begin : gen_bit
    MUXF7 u_half (.I0(half[0][i]), .I1(half[1][i]), .S(select_i[2]), .O(data_o[i]));
  end
`else
  assign data_o = data_i[select_i];
`endif
endmodule
