/// Adds three bits: one LUT, two bits of weights 1 and 2.
module full_adder
  import compressor_pkg::*;
(
    input  logic [2:0] x_i,
    output logic [1:0] sum_o
);
  LUT6_2 #(.INIT(Ternary)) u_lut (
      .I5(1'b1), .I4(1'b0), .I3(1'b0), .I2(x_i[2]), .I1(x_i[1]), .I0(x_i[0]), .O6(sum_o[0]), .O5(sum_o[1])
  );
endmodule
