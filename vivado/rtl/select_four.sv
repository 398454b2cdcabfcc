/// One of four words, by a LUT6 for each bit.
///
/// The LUTs are named, as Yosys takes rows of multiplexers apart into more of them; simulators get the choice itself.
module select_four #(
    parameter int unsigned Width = 16
) (
    input  logic [3:0][Width-1:0] data_i,
    input  logic [1:0]            select_i,
    output logic [Width-1:0]      data_o
);
`ifdef SYNTHESIS
  for (genvar i = 0; i < Width; i++) begin : gen_bit
    LUT6 #(.INIT(64'hfedc_ba98_7654_3210)) u_lut (
        .I0(select_i[0]),
        .I1(select_i[1]),
        .I2(data_i[0][i]),
        .I3(data_i[1][i]),
        .I4(data_i[2][i]),
        .I5(data_i[3][i]),
        .O (data_o[i])
    );
  end
`else
  assign data_o = data_i[select_i];
`endif
endmodule
