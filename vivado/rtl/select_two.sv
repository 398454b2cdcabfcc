/// One of two words, by a LUT for every two bits.
///
/// The LUTs are named, as Yosys spends one on each bit; simulators get the choice itself.
module select_two #(
    parameter int unsigned Width = 16
) (
    input  logic [Width-1:0] zero_i,    ///< taken where select_i is 0
    input  logic [Width-1:0] one_i,
    input  logic             select_i,
    output logic [Width-1:0] data_o
);
`ifdef SYNTHESIS
  localparam int unsigned Pairs = (Width + 1) / 2;
  logic [2*Pairs-1:0] zero, one, data;
  assign zero   = (2 * Pairs)'(zero_i);
  assign one    = (2 * Pairs)'(one_i);
  assign data_o = data[Width-1:0];
  for (genvar i = 0; i < Pairs; i++) begin : gen_pair
    // Inputs {1, select, one, zero, one, zero}; O6 is of the lower two, O5 of the upper two.
    LUT6_2 #(.INIT(64'hcccc_aaaa_ff00_f0f0)) u_lut (
        .I0(zero[2*i]),
        .I1(one[2*i]),
        .I2(zero[2*i+1]),
        .I3(one[2*i+1]),
        .I4(select_i),
        .I5(1'b1),
        .O6(data[2*i]),
        .O5(data[2*i+1])
    );
  end
  logic unused;
  assign unused = &{1'b0, data};
`else
  assign data_o = select_i ? one_i : zero_i;
`endif
endmodule
