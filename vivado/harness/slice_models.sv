// What the primitives of a slice do, for simulating the core as it is synthesised. Proofs use Yosys' own models.
// verilator lint_off DECLFILENAME

module LUT6 #(
    parameter logic [63:0] INIT = '0
) (
    input  logic I0, I1, I2, I3, I4, I5,
    output logic O
);
  assign O = INIT[{I5, I4, I3, I2, I1, I0}];
endmodule

module LUT6_2 #(
    parameter logic [63:0] INIT = '0
) (
    input  logic I0, I1, I2, I3, I4, I5,
    output logic O5, O6
);
  assign O6 = INIT[{I5, I4, I3, I2, I1, I0}];
  assign O5 = INIT[{1'b0, I4, I3, I2, I1, I0}];
endmodule

module MUXF7 (
    input  logic I0, I1, S,
    output logic O
);
  assign O = S ? I1 : I0;
endmodule

module MUXF8 (
    input  logic I0, I1, S,
    output logic O
);
  assign O = S ? I1 : I0;
endmodule

module FDRE (
    input  logic C, CE, D, R,
    output logic Q
);
  always_ff @(posedge C) if (R) Q <= 1'b0; else if (CE) Q <= D;
endmodule

module CARRY4 (
    input  logic       CI, CYINIT,
    input  logic [3:0] DI, S,
    output logic [3:0] CO, O
);
  logic carry_0, carry_1, carry_2, carry_3;
  assign carry_0 = S[0] ? CI | CYINIT : DI[0];
  assign carry_1 = S[1] ? carry_0 : DI[1];
  assign carry_2 = S[2] ? carry_1 : DI[2];
  assign carry_3 = S[3] ? carry_2 : DI[3];
  assign CO      = {carry_3, carry_2, carry_1, carry_0};
  assign O       = S ^ {carry_2, carry_1, carry_0, CI | CYINIT};
endmodule
