// For timing only: a LUT6_2 as the two functions it is, so that each has its own delays.
(* techmap_celltype = "LUT6_2" *)
module lut6_2_as_two #(
    parameter [63:0] INIT = 64'd0
) (
    input  I0, I1, I2, I3, I4, I5,
    output O5, O6
);
  \$lut #(.WIDTH(5), .LUT(INIT[31:0])) upper (.A({I4, I3, I2, I1, I0}), .Y(O5));
  \$lut #(.WIDTH(6), .LUT(INIT)) both (.A({I5, I4, I3, I2, I1, I0}), .Y(O6));
endmodule
