/// sum = (first ? 0 : sum) + value * by, in one DSP48E1: three cycles from the factors to the sum with their product.
module product_sum #(
    parameter int unsigned Bits = 37  ///< of the sum, at most 48
) (
    input  logic               clk_i,
    input  logic signed [16:0] value_i,
    input  logic signed [16:0] by_i,
    input  logic               first_i,  ///< a cycle after value_i
    input  logic               valid_i,  ///< two cycles after value_i, else the sum stays
    output logic [Bits-1:0]    sum_o
);
`ifdef SYNTHESIS
`ifndef DOT_PRODUCT_MODELS
`define PRODUCTS_IN_DSPS
`endif
`endif
`ifdef PRODUCTS_IN_DSPS
  logic [47:0] sum;
  assign sum_o = sum[Bits-1:0];
  logic unused;
  assign unused = &{1'b0, sum};
  // verilator lint_off PINCONNECTEMPTY
  DSP48E1 #(
      .ACASCREG     (1),
      .ADREG        (0),
      .ALUMODEREG   (0),
      .AREG         (1),
      .BCASCREG     (1),
      .BREG         (1),
      .CARRYINREG   (0),
      .CARRYINSELREG(0),
      .CREG         (0),
      .DREG         (0),
      .INMODEREG    (0),
      .MREG         (1),
      .OPMODEREG    (1),
      .PREG         (1),
      .USE_DPORT    ("FALSE"),
      .USE_MULT     ("MULTIPLY")
  ) u_dsp (
      .CLK          (clk_i),
      .A            (30'(value_i)),
      .B            (18'(by_i)),
      .C            ('0),
      .D            ('0),
      .P            (sum),
      .INMODE       (5'd0),
      .OPMODE       ({1'b0, !first_i, 5'b00101}),
      .ALUMODE      (4'd0),
      .CARRYIN      (1'b0),
      .CARRYINSEL   (3'd0),
      .CEA1         (1'b0),
      .CEA2         (1'b1),
      .CEAD         (1'b0),
      .CEALUMODE    (1'b0),
      .CEB1         (1'b0),
      .CEB2         (1'b1),
      .CEC          (1'b0),
      .CECARRYIN    (1'b0),
      .CECTRL       (1'b1),
      .CED          (1'b0),
      .CEINMODE     (1'b0),
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
`else
  logic signed [16:0] value_q, by_q;
  logic signed [33:0] product_q;
  logic first_q;
  always_ff @(posedge clk_i) begin
    value_q   <= value_i;
    by_q      <= by_i;
    product_q <= 34'(value_q) * 34'(by_q);
    first_q   <= first_i;
    if (valid_i) sum_o <= (first_q ? '0 : sum_o) + Bits'(product_q);
  end
`endif
endmodule
