/// Adds three bits of weight 1, six of weight 2 and six of weight 8: five LUTs, six bits of weights 1 to 32.
module compress_366
  import compressor_pkg::*;
(
    input  logic [2:0] one_i,
    input  logic [5:0] two_i,
    input  logic [5:0] eight_i,
    output logic [5:0] sum_o
);
  logic [4:0] s, di;

  LUT6_2 #(.INIT(Pair)) u_pair (
      .I5(1'b1), .I4(1'b0), .I3(1'b0), .I2(1'b0), .I1(one_i[1]), .I0(one_i[0]), .O6(s[0]), .O5(di[0])
  );
  count_six u_two (.x_i(two_i), .s_o(s[2:1]), .di_o(di[2:1]));
  count_six u_eight (.x_i(eight_i), .s_o(s[4:3]), .di_o(di[4:3]));
  carry_chain #(.Width(5)) u_chain (
      .first_i(one_i[2]), .s_i(s), .di_i(di), .sum_o(sum_o[4:0]), .carry_o(sum_o[5])
  );
endmodule
