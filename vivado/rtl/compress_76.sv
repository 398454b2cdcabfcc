/// Adds seven bits of weight 1 and six of weight 4: four LUTs, five bits of weights 1 to 16.
module compress_76 (
    input  logic [6:0] one_i,
    input  logic [5:0] four_i,
    output logic [4:0] sum_o
);
  logic [3:0] s, di;

  count_six u_one (.x_i(one_i[5:0]), .s_o(s[1:0]), .di_o(di[1:0]));
  count_six u_four (.x_i(four_i), .s_o(s[3:2]), .di_o(di[3:2]));
  carry_chain #(.Width(4)) u_chain (
      .first_i(one_i[6]), .s_i(s), .di_i(di), .sum_o(sum_o[3:0]), .carry_o(sum_o[4])
  );
endmodule
