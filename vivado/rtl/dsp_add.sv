/// A sum of 48 bits in one DSP48E1, a cycle later.
module dsp_add (
    input  logic        clk_i,
    input  logic [47:0] a_i,
    input  logic [47:0] b_i,
    output logic [47:0] sum_o
);
`ifdef SYNTHESIS
`ifndef DOT_PRODUCT_MODELS
`define SUMS_IN_DSPS
`endif
`endif
`ifdef SUMS_IN_DSPS
  // verilator lint_off PINCONNECTEMPTY
  DSP48E1 #(
      .ACASCREG     (0),
      .ADREG        (0),
      .ALUMODEREG   (0),
      .AREG         (0),
      .BCASCREG     (0),
      .BREG         (0),
      .CARRYINREG   (0),
      .CARRYINSELREG(0),
      .CREG         (0),
      .DREG         (0),
      .INMODEREG    (0),
      .MREG         (0),
      .OPMODEREG    (0),
      .PREG         (1),
      .USE_DPORT    ("FALSE"),
      .USE_MULT     ("NONE")
  ) u_dsp (
      .CLK          (clk_i),
      .A            (a_i[47:18]),
      .B            (a_i[17:0]),
      .C            (b_i),
      .D            ('0),
      .P            (sum_o),
      .INMODE       (5'd0),
      .OPMODE       (7'b0110011),
      .ALUMODE      (4'd0),
      .CARRYIN      (1'b0),
      .CARRYINSEL   (3'd0),
      .CEA1         (1'b0),
      .CEA2         (1'b0),
      .CEAD         (1'b0),
      .CEALUMODE    (1'b0),
      .CEB1         (1'b0),
      .CEB2         (1'b0),
      .CEC          (1'b0),
      .CECARRYIN    (1'b0),
      .CECTRL       (1'b0),
      .CED          (1'b0),
      .CEINMODE     (1'b0),
      .CEM          (1'b0),
      .CEP          (1'b1),
      .RSTA         (1'b0),
      .RSTALLCARRYIN(1'b0),
      .RSTALUMODE   (1'b0),
      .RSTB         (1'b0),
      .RSTC         (1'b0),
      .RSTCTRL      (1'b0),
      .RSTD         (1'b0),
      .RSTINMODE    (1'b0),
      .RSTM         (1'b0),
      .RSTP         (1'b0),
      .ACIN         ('0),
      .BCIN         ('0),
      .PCIN         ('0),
      .CARRYCASCIN  (1'b0),
      .MULTSIGNIN   (1'b0),
      .ACOUT        (),
      .BCOUT        (),
      .PCOUT        (),
      .CARRYCASCOUT (),
      .CARRYOUT     (),
      .MULTSIGNOUT  (),
      .OVERFLOW     (),
      .PATTERNBDETECT(),
      .PATTERNDETECT(),
      .UNDERFLOW    ()
  );
  // verilator lint_on PINCONNECTEMPTY
`else
  always_ff @(posedge clk_i) sum_o <= a_i + b_i;
`endif
endmodule
