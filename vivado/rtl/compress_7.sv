/// Adds seven bits: two LUTs, three bits of weights 1, 2, 4.
module compress_7 (
    input  logic [6:0] x_i,
    output logic [2:0] sum_o
);
  logic [1:0] s, di;

  count_six u_one (.x_i(x_i[5:0]), .s_o(s), .di_o(di));
  carry_chain #(.Width(2)) u_chain (
      .first_i(x_i[6]), .s_i(s), .di_i(di), .sum_o(sum_o[1:0]), .carry_o(sum_o[2])
  );
endmodule
