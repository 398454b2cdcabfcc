/// Adds 48 products of bits to four bits each of weights 1, 2, 4 and 8: 34 LUTs.
module count_48 (
    input  logic [47:0]     a_i,
    input  logic [47:0]     b_i,
    output logic [3:0][3:0] column_o  ///< by weight
);
  logic [7:0]      one;
  logic [7:0][2:0] two;
  for (genvar i = 0; i < 8; i++) begin : gen_products
    count_products u_products (.a_i(a_i[6*i+:6]), .b_i(b_i[6*i+:6]), .one_o(one[i]), .two_o(two[i]));
  end

  for (genvar i = 0; i < 2; i++) begin : gen_both
    compress_36 u_compress (
        .one_i(one[3*i+:3]),
        .two_i(two[2*i+:2]),
        .sum_o({column_o[3][i], column_o[2][i], column_o[1][i], column_o[0][i]})
    );
  end
  assign column_o[0][3:2] = one[7:6];
  for (genvar i = 2; i < 4; i++) begin : gen_twos
    compress_6 u_compress (
        .x_i  (two[2*i+:2]),
        .sum_o({column_o[3][i], column_o[2][i], column_o[1][i]})
    );
  end
endmodule
