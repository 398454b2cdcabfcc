/// Adds six products of bits: sum of a & b = one + 2 * (two[0] + two[1] + two[2]). Three LUTs.
module count_products
  import compressor_pkg::*;
(
    input  logic [5:0] a_i,
    input  logic [5:0] b_i,
    output logic       one_o,
    output logic [2:0] two_o
);
  logic [3:0] parity;   // of the products below
  assign parity[0] = 1'b0;
  assign one_o     = parity[3];

  for (genvar i = 0; i < 3; i++) begin : gen_pair
    LUT6_2 #(.INIT(TwoProducts)) u_lut (
        .I5(1'b1),
        .I4(parity[i]),
        .I3(a_i[2*i]),
        .I2(b_i[2*i]),
        .I1(a_i[2*i+1]),
        .I0(b_i[2*i+1]),
        .O6(parity[i+1]),
        .O5(two_o[i])
    );
  end
endmodule
