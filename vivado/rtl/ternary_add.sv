/// Adds three numbers on one carry chain: a LUT for each place and one more, as LUTs also carry from place to place.
module ternary_add
  import compressor_pkg::*;
#(
    parameter int unsigned Width = 6  ///< of the numbers
) (
    input  logic [2:0][Width-1:0] x_i,
    output logic [Width+1:0]      sum_o
);
  logic [Width:0] s, between;
  assign between[0] = 1'b0;
  assign s[Width]   = between[Width];

  for (genvar i = 0; i < Width; i++) begin : gen_place
    LUT6_2 #(.INIT(Ternary)) u_lut (
        .I5(1'b1),
        .I4(1'b0),
        .I3(between[i]),
        .I2(x_i[2][i]),
        .I1(x_i[1][i]),
        .I0(x_i[0][i]),
        .O6(s[i]),
        .O5(between[i+1])
    );
  end
  carry_chain #(.Width(Width + 1)) u_chain (
      .first_i(1'b0), .s_i(s), .di_i(between), .sum_o(sum_o[Width:0]), .carry_o(sum_o[Width+1])
  );
endmodule
