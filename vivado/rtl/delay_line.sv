/// What came in `Cycles` cycles ago.
module delay_line #(
    parameter int unsigned Bits   = 1,
    parameter int unsigned Cycles = 1
) (
    input  logic            clk_i,
    input  logic [Bits-1:0] data_i,
    output logic [Bits-1:0] data_o
);
  logic [Cycles-1:0][Bits-1:0] line_q;
  if (Cycles == 1) begin : gen_one
    always_ff @(posedge clk_i) line_q <= data_i;
  end else begin : gen_line
    always_ff @(posedge clk_i) line_q <= {line_q[Cycles-2:0], data_i};
  end
  assign data_o = line_q[Cycles-1];
endmodule
