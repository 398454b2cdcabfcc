/// One step of the noise's mix: y + (y << Left), where y = x ^ (x >> Right).
///
/// A LUT for each bit of the sum, which Yosys does not find by itself, and one for two bits below the sum.
module mix_add
  import noise_pkg::*;
#(
    parameter int unsigned Right = 14,
    parameter int unsigned Left  = 13
) (
    input  logic [31:0] x_i,
    output logic [31:0] sum_o
);
`ifdef SYNTHESIS
  logic [63:0] x;
  logic [31:Left] s, di;
  logic unused_carry;
  assign x = {32'd0, x_i};

  for (genvar i = Left; i < 32; i++) begin : gen_sum
    // O6: parity of four bits, O5: of the lower two.
    LUT6_2 #(.INIT(64'h6996_6996_6666_6666)) u_lut (
        .I5(1'b1), .I4(1'b0), .I3(x[i-Left+Right]), .I2(x[i-Left]), .I1(x[i+Right]), .I0(x[i]), .O6(s[i]), .O5(di[i])
    );
  end
  carry_chain #(.Width(32 - Left)) u_chain (
      .first_i(1'b0), .s_i(s), .di_i(di), .sum_o(sum_o[31:Left]), .carry_o(unused_carry)
  );
  for (genvar i = 0; i < Left; i += 2) begin : gen_below
    logic upper;
    // O6: parity of the lower two bits, O5: of the upper two.
    LUT6_2 #(.INIT(64'h6666_6666_0ff0_0ff0)) u_lut (
        .I5(1'b1), .I4(1'b0), .I3(x[i+1+Right]), .I2(x[i+1]), .I1(x[i+Right]), .I0(x[i]), .O6(sum_o[i]), .O5(upper)
    );
    if (i + 1 < Left) begin : gen_both
      assign sum_o[i+1] = upper;
    end else begin : gen_one
      logic unused;
      assign unused = upper;
    end
  end
`else
  assign sum_o = mix_step(x_i, Right, Left);
`endif
endmodule
