/// acc = (first ? 0 : acc) + count * 2^(16 * high) * weight, in one DSP48E1; four cycles from count to acc.
///
/// The count is wired to port A and, 16 places up, to port D; INMODE lets one of them into the pre-adder.
module accumulate_dsp #(
    parameter int unsigned CountBits = 8  ///< at most 8
) (
    input  logic                 clk_i,
    input  logic [CountBits-1:0] count_i,
    input  logic [         17:0] weight_i,  ///< with count_i
    input  logic                 high_i,    ///< with count_i
    input  logic                 first_i,   ///< two cycles after count_i
    input  logic                 valid_i,   ///< three cycles after count_i
    output logic [         47:0] acc_o
);
  logic [29:0] port_a;
  logic [24:0] port_d;
  assign port_a = 30'(count_i);
  assign port_d = 25'({count_i, 16'd0});

  // verilator lint_off PINCONNECTEMPTY
  DSP48E1 #(
      .ACASCREG     (1),
      .ADREG        (1),
      .ALUMODEREG   (0),
      .AREG         (1),
      .BCASCREG     (2),
      .BREG         (2),
      .CARRYINREG   (0),
      .CARRYINSELREG(0),
      .CREG         (0),
      .DREG         (1),
      .INMODEREG    (1),
      .MREG         (1),
      .OPMODEREG    (1),
      .PREG         (1),
      .USE_DPORT    ("TRUE"),
      .USE_MULT     ("MULTIPLY")
  ) u_dsp (
      .CLK          (clk_i),
      .A            (port_a),
      .B            (weight_i),
      .C            ('0),
      .D            (port_d),
      .P            (acc_o),
      .INMODE       ({2'b00, high_i, high_i, 1'b0}),
      .OPMODE       ({1'b0, !first_i, 5'b00101}),
      .ALUMODE      (4'd0),
      .CARRYIN      (1'b0),
      .CARRYINSEL   (3'd0),
      .CEA1         (1'b0),
      .CEA2         (1'b1),
      .CEAD         (1'b1),
      .CEALUMODE    (1'b0),
      .CEB1         (1'b1),
      .CEB2         (1'b1),
      .CEC          (1'b0),
      .CECARRYIN    (1'b0),
      .CECTRL       (1'b1),
      .CED          (1'b1),
      .CEINMODE     (1'b1),
      .CEM          (1'b1),
      .CEP          (valid_i),
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
endmodule
