/// A signed product, a result a cycle: a cascade of DSP48E1, each with a piece of either operand. It comes `Latency`
/// cycles after its operands, 2 and one for each DSP48E1.
///
/// Pieces have 17 bits but for the top ones; a sum's low 17 bits are done when the next pieces weigh 2^17 more. Each
/// place of the cascade gets its pieces a cycle after the one before.
module wide_product #(
    parameter  int unsigned ABits = 25,                     ///< at most 25, or 42 with both operands in two pieces
    parameter  int unsigned BBits = 18,                     ///< of two pieces at most 35
    localparam bit          Both  = ABits > 25,
    localparam int unsigned Rows  = BBits <= 18 ? 1 : (BBits - 18 + 16) / 17 + 1,
    localparam int unsigned Dsps  = Both ? 4 : Rows
) (
    input  logic                   clk_i,
    input  logic [      ABits-1:0] a_i,
    input  logic [      BBits-1:0] b_i,
    output logic [ABits+BBits-1:0] product_o
);
  localparam int unsigned Bits    = ABits + BBits;
  localparam int unsigned Latency = 2 + Dsps;

  if (Both && (ABits > 42 || Rows != 2)) begin : gen_bad_bits
    $error("wide_product: more than 25 x any or 42 x 35 bits");
  end

`ifdef SYNTHESIS
`ifndef DOT_PRODUCT_MODELS
`define PRODUCTS_IN_DSPS
`endif
`endif
`ifdef PRODUCTS_IN_DSPS
  // Pieces below the top one are unsigned: they get a sign of 0.
  localparam int unsigned Wide = 17 * 8;
  logic [Wide-1:0] a_wide, b_wide;
  logic [Dsps:0][47:0] cascade;
  logic [Dsps-1:0][47:0] sum;
  assign a_wide     = Wide'($signed(a_i));
  assign b_wide     = Wide'($signed(b_i));
  assign cascade[0] = '0;
  for (genvar k = 0; k < Dsps; k++) begin : gen_dsp
    localparam int unsigned A = Both ? k / 2 : 0;            // pieces
    localparam int unsigned B = Both ? k % 2 : k;
    localparam bit Moves = k != 0 && !(Both && k == 2);      // the weight grows
    localparam logic [2:0] Before = k == 0 ? 3'b000 : Moves ? 3'b101 : 3'b001;  // nothing, PCIN / 2^17, PCIN
    localparam int unsigned Registers = k == 0 ? 1 : 2;      // before the multiplier, in the DSP48E1
    logic [24:0] a_piece, a;
    logic [17:0] b_piece, b;
    assign a_piece = !Both ? a_wide[24:0] : A == 0 ? {8'd0, a_wide[16:0]} : a_wide[17+:25];
    assign b_piece = B == Rows - 1 ? b_wide[17*B+:18] : {1'b0, b_wide[17*B+:17]};
    if (k < 2) begin : gen_now
      assign {a, b} = {a_piece, b_piece};
    end else begin : gen_later
      delay_line #(.Bits(43), .Cycles(k - 1)) u_late (.clk_i, .data_i({a_piece, b_piece}), .data_o({a, b}));
    end
    // verilator lint_off PINCONNECTEMPTY
    DSP48E1 #(
        .ACASCREG     (1),
        .ADREG        (0),
        .ALUMODEREG   (0),
        .AREG         (Registers),
        .BCASCREG     (1),
        .BREG         (Registers),
        .CARRYINREG   (0),
        .CARRYINSELREG(0),
        .CREG         (0),
        .DREG         (0),
        .INMODEREG    (0),
        .MREG         (1),
        .OPMODEREG    (0),
        .PREG         (1),
        .USE_DPORT    ("FALSE"),
        .USE_MULT     ("MULTIPLY")
    ) u_dsp (
        .CLK          (clk_i),
        .A            (30'($signed(a))),
        .B            (b),
        .C            ('0),
        .D            ('0),
        .P            (sum[k]),
        .INMODE       (5'd0),
        .OPMODE       ({Before, 4'b0101}),
        .ALUMODE      (4'd0),
        .CARRYIN      (1'b0),
        .CARRYINSEL   (3'd0),
        .CEA1         (1'b1),
        .CEA2         (1'b1),
        .CEAD         (1'b0),
        .CEALUMODE    (1'b0),
        .CEB1         (1'b1),
        .CEB2         (1'b1),
        .CEC          (1'b0),
        .CECARRYIN    (1'b0),
        .CECTRL       (1'b0),
        .CED          (1'b0),
        .CEINMODE     (1'b0),
        .CEM          (1'b1),
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
        .PCIN         (cascade[k]),
        .CARRYCASCIN  (1'b0),
        .MULTSIGNIN   (1'b0),
        .ACOUT        (),
        .BCOUT        (),
        .PCOUT        (cascade[k+1]),
        .CARRYCASCOUT (),
        .CARRYOUT     (),
        .MULTSIGNOUT  (),
        .OVERFLOW     (),
        .PATTERNBDETECT(),
        .PATTERNDETECT(),
        .UNDERFLOW    ()
    );
    // verilator lint_on PINCONNECTEMPTY
  end

  // Low bits wait for the top ones.
  localparam int unsigned Parts = Both ? 2 : Dsps;
  for (genvar i = 0; i < Parts; i++) begin : gen_bits
    localparam int unsigned Of = Both ? (i == 0 ? 0 : 3) : i;  // the place that has these bits
    if (i == Parts - 1) begin : gen_top
      assign product_o[Bits-1:17*(Both?2 : i)] = sum[Of][Bits-1-17*(Both?2 : i):0];
    end else begin : gen_low
      delay_line #(.Bits(17), .Cycles(Dsps - 1 - Of)) u_low (
          .clk_i,
          .data_i(sum[Of][16:0]),
          .data_o(product_o[17*i+:17])
      );
    end
  end
  if (Both) begin : gen_middle
    delay_line #(.Bits(17), .Cycles(1)) u_middle (.clk_i, .data_i(sum[2][16:0]), .data_o(product_o[33:17]));
  end

  logic unused;
  assign unused = &{1'b0, a_wide, b_wide, cascade, sum};
`else
  logic [Bits-1:0] product;
  assign product = Bits'($signed(a_i)) * Bits'($signed(b_i));
  delay_line #(.Bits(Bits), .Cycles(Latency)) u_late (.clk_i, .data_i(product), .data_o(product_o));
`endif
endmodule
