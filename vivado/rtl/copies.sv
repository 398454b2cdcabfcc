/// Registers with the same contents, for more loads, or loads further apart, than one should have.
///
/// They are flip-flops by name, as tools make one register of equal ones; simulators get an ordinary one.
module copies #(
    parameter int unsigned Bits   = 1,
    parameter int unsigned Copies = 2
) (
    input  logic                        clk_i,
    input  logic [Bits-1:0]             data_i,
    output logic [Copies-1:0][Bits-1:0] data_o
);
`ifdef SYNTHESIS
  for (genvar n = 0; n < Copies; n++) begin : gen_copy
    for (genvar i = 0; i < Bits; i++) begin : gen_bit
      (* dont_touch = "true" *) FDRE u_bit (.C(clk_i), .CE(1'b1), .R(1'b0), .D(data_i[i]), .Q(data_o[n][i]));
    end
  end
`else
  always_ff @(posedge clk_i) data_o <= {Copies{data_i}};
`endif
endmodule
