// Interfaces of the 7-series primitives that the core uses, for Yosys' SystemVerilog front end. Their contents are
// the vendor's: in Vivado they are built in, in proofs they are Yosys' own models (+/xilinx/cells_sim.v).
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDPARAM
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNDRIVEN

(* blackbox *)
module LUT6 #(
    parameter logic [63:0] INIT = '0
) (
    input  logic I0, I1, I2, I3, I4, I5,
    output logic O
);
endmodule

(* blackbox *)
module LUT6_2 #(
    parameter logic [63:0] INIT = '0
) (
    input  logic I0, I1, I2, I3, I4, I5,
    output logic O5, O6
);
endmodule

(* blackbox *)
module MUXF7 (
    input  logic I0, I1, S,
    output logic O
);
endmodule

(* blackbox *)
module MUXF8 (
    input  logic I0, I1, S,
    output logic O
);
endmodule

(* blackbox *)
module CARRY4 (
    input  logic       CI, CYINIT,
    input  logic [3:0] DI, S,
    output logic [3:0] CO, O
);
endmodule

(* blackbox *)
module FDRE (
    input  logic C, CE, D, R,
    output logic Q
);
endmodule

(* blackbox *)
module DSP48E1 #(
    parameter int ACASCREG = 1, ADREG = 1, ALUMODEREG = 1, AREG = 1, BCASCREG = 1, BREG = 1, CARRYINREG = 1,
    parameter int CARRYINSELREG = 1, CREG = 1, DREG = 1, INMODEREG = 1, MREG = 1, OPMODEREG = 1, PREG = 1,
    parameter USE_DPORT = "FALSE", USE_MULT = "MULTIPLY"
) (
    input  logic        CLK,
    input  logic [29:0] A, ACIN,
    input  logic [17:0] B, BCIN,
    input  logic [47:0] C, PCIN,
    input  logic [24:0] D,
    input  logic [ 4:0] INMODE,
    input  logic [ 6:0] OPMODE,
    input  logic [ 3:0] ALUMODE,
    input  logic [ 2:0] CARRYINSEL,
    input  logic        CARRYIN, CARRYCASCIN, MULTSIGNIN,
    input  logic        CEA1, CEA2, CEAD, CEALUMODE, CEB1, CEB2, CEC, CECARRYIN, CECTRL, CED, CEINMODE, CEM, CEP,
    input  logic        RSTA, RSTALLCARRYIN, RSTALUMODE, RSTB, RSTC, RSTCTRL, RSTD, RSTINMODE, RSTM, RSTP,
    output logic [29:0] ACOUT,
    output logic [17:0] BCOUT,
    output logic [47:0] P, PCOUT,
    output logic [ 3:0] CARRYOUT,
    output logic        CARRYCASCOUT, MULTSIGNOUT, OVERFLOW, PATTERNBDETECT, PATTERNDETECT, UNDERFLOW
);
endmodule
