/// A carry chain of any length: sum = s ^ carry, the next carry is the one before where s is 1, else di.
module carry_chain #(
    parameter int unsigned Width = 4  ///< places
) (
    input  logic             first_i,  ///< carry into the lowest place
    input  logic [Width-1:0] s_i,
    input  logic [Width-1:0] di_i,
    output logic [Width-1:0] sum_o,
    output logic             carry_o   ///< out of the highest place
);
  localparam int unsigned Slices = (Width + 3) / 4;

  logic [4*Slices-1:0] s, di, sum, carry;
  assign s       = (4 * Slices)'(s_i);
  assign di      = (4 * Slices)'(di_i);
  assign sum_o   = sum[Width-1:0];
  assign carry_o = carry[Width-1];

  for (genvar i = 0; i < Slices; i++) begin : gen_slice
    if (i == 0) begin : gen_first
      CARRY4 u_carry (
          .CI    (1'b0),
          .CYINIT(first_i),
          .S     (s[3:0]),
          .DI    (di[3:0]),
          .O     (sum[3:0]),
          .CO    (carry[3:0])
      );
    end else begin : gen_next
      CARRY4 u_carry (
          .CI    (carry[4*i-1]),
          .CYINIT(1'b0),
          .S     (s[4*i+:4]),
          .DI    (di[4*i+:4]),
          .O     (sum[4*i+:4]),
          .CO    (carry[4*i+:4])
      );
    end
  end

  logic unused;
  assign unused = &{1'b0, sum, carry};
endmodule
