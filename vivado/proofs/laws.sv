// What each adder of the popcount conserves: the weighted sum of its bits. Each module is one law; ok_o must always
// be 1.

module law_count_products (
    input  logic [5:0] a_i, b_i,
    output logic       ok_o
);
  logic one;
  logic [2:0] two;
  count_products u_dut (.a_i, .b_i, .one_o(one), .two_o(two));
  assign ok_o = 4'($countones(a_i & b_i)) == 4'(one) + 2 * 4'($countones(two));
endmodule

module law_full_adder (
    input  logic [2:0] x_i,
    output logic       ok_o
);
  logic [1:0] sum;
  full_adder u_dut (.x_i, .sum_o(sum));
  assign ok_o = sum == 2'($countones(x_i));
endmodule

module law_compress_6 (
    input  logic [5:0] x_i,
    output logic       ok_o
);
  logic [2:0] sum;
  compress_6 u_dut (.x_i, .sum_o(sum));
  assign ok_o = sum == 3'($countones(x_i));
endmodule

module law_compress_36 (
    input  logic [2:0] one_i,
    input  logic [5:0] two_i,
    output logic       ok_o
);
  logic [3:0] sum;
  compress_36 u_dut (.one_i, .two_i, .sum_o(sum));
  assign ok_o = sum == 4'($countones(one_i)) + 2 * 4'($countones(two_i));
endmodule

module law_compress_66 (
    input  logic [5:0] one_i, four_i,
    output logic       ok_o
);
  logic [4:0] sum;
  compress_66 u_dut (.one_i, .four_i, .sum_o(sum));
  assign ok_o = sum == 5'($countones(one_i)) + 4 * 5'($countones(four_i));
endmodule

module law_ternary_add #(
    parameter int unsigned Width = 6
) (
    input  logic [2:0][Width-1:0] x_i,
    output logic                  ok_o
);
  logic [Width+1:0] sum;
  ternary_add #(.Width(Width)) u_dut (.x_i, .sum_o(sum));
  assign ok_o = sum == (Width + 2)'(x_i[0]) + (Width + 2)'(x_i[1]) + (Width + 2)'(x_i[2]);
endmodule

module law_compress_7 (
    input  logic [6:0] x_i,
    output logic       ok_o
);
  logic [2:0] sum;
  compress_7 u_dut (.x_i, .sum_o(sum));
  assign ok_o = sum == 3'($countones(x_i));
endmodule

module law_compress_76 (
    input  logic [6:0] one_i,
    input  logic [5:0] four_i,
    output logic       ok_o
);
  logic [4:0] sum;
  compress_76 u_dut (.one_i, .four_i, .sum_o(sum));
  assign ok_o = sum == 5'($countones(one_i)) + 4 * 5'($countones(four_i));
endmodule
