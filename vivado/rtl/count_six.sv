/// Two places of a carry chain that add six bits of one weight and the carry from below: s, 2 * s', 4 * carry. Two
/// LUTs.
///
/// The first place adds x[5] and the parity of the others; the second adds half of the number of those others, 0 to 2.
/// Where the first place does not propagate, x[5] and that parity are alike, so its carry is the parity: the LUT's own
/// second output. The slice's pin AX stays free for the carry from below.
module count_six
  import compressor_pkg::*;
(
    input  logic [5:0] x_i,
    output logic [1:0] s_o,   ///< propagate inputs of the chain
    output logic [1:0] di_o   ///< what becomes the carry where it does not propagate
);
  LUT6_2 #(.INIT(Parity)) u_parity (
      .I5(x_i[5]),
      .I4(x_i[4]),
      .I3(x_i[3]),
      .I2(x_i[2]),
      .I1(x_i[1]),
      .I0(x_i[0]),
      .O6(s_o[0]),
      .O5(di_o[0])
  );

  LUT6_2 #(.INIT(Five)) u_five (
      .I5(1'b1),
      .I4(x_i[4]),
      .I3(x_i[3]),
      .I2(x_i[2]),
      .I1(x_i[1]),
      .I0(x_i[0]),
      .O6(s_o[1]),
      .O5(di_o[1])
  );
endmodule
