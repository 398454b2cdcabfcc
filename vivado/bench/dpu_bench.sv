/// A row of two dot products with flat pins.
module dpu_bench #(
    parameter int unsigned Bits = 144
) (
    input  logic              clk,
    input  logic              valid,
    input  logic              first,
    input  logic              negate,
    input  logic [       4:0] shift,
    input  logic [  Bits-1:0] a,
    input  logic [2*Bits-1:0] b,
    output logic [      95:0] acc
);
  logic [Bits-1:0] columns[2];
  logic [47:0] sums[2];
  assign columns[0] = b[Bits-1:0];
  assign columns[1] = b[2*Bits-1:Bits];
  assign acc = {sums[1], sums[0]};

  dpu_row #(.Bits(Bits), .Columns(2)) u_row (
      .clk_i(clk), .valid_i(valid), .first_i(first), .negate_i(negate), .shift_i(shift), .a_i(a), .b_i(columns),
          .acc_o(sums)
  );
endmodule
