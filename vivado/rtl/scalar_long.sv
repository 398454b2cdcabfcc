/// Quotients and roots of mantissas, several at a time: units of each kind take turns.
///
/// Operations may come DivideEvery or RootEvery cycles apart (scalar_code_pkg), of one kind until all have ended.
module scalar_long
  import scalar_code_pkg::*;
#(
    parameter int unsigned TagBits = 8
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               divide_i,  ///< begin a_i * 2^32 / b_i, rounded down
    input  logic               root_i,    ///< begin the root of a_i * 2^31 if odd_i, else of a_i * 2^32, rounded down
    input  logic               odd_i,
    input  logic [       30:0] a_i,
    input  logic [       30:0] b_i,
    input  logic [TagBits-1:0] tag_i,
    output logic               busy_o,
    output logic               done_o,    ///< one cycle: a result, in the order in which they began
    output logic [       32:0] value_o,
    output logic [TagBits-1:0] tag_o
);
  localparam int unsigned Units = Dividers + Roots;
  if (Dividers * DivideEvery < 19 || Roots * RootEvery < 35) begin : gen_bad_rate
    $error("scalar_long: too few units for this rate");
  end

  logic [Units-1:0] start, done, busy_q;
  logic [Units-1:0][32:0] value;
  logic [Units-1:0][TagBits-1:0] tags_q;
  logic [$clog2(Dividers)-1:0] divider_q;
  logic [$clog2(Roots)-1:0] root_q;

  for (genvar i = 0; i < Dividers; i++) begin : gen_divider
    logic [30:0] unused_rest;
    assign start[i] = divide_i && 32'(divider_q) == i;
    scalar_divider u_divider (
        .clk_i,
        .rst_ni,
        .start_i   (start[i]),
        .a_i,
        .b_i,
        .done_o    (done[i]),
        .quotient_o(value[i]),
        .rest_o    (unused_rest)
    );
  end
  for (genvar i = 0; i < Roots; i++) begin : gen_root
    logic [32:0] unused_rest;
    assign start[Dividers+i] = root_i && 32'(root_q) == i;
    assign value[Dividers+i][32] = 1'b0;
    scalar_root u_root (
        .clk_i,
        .rst_ni,
        .start_i(start[Dividers+i]),
        .x_i    (odd_i ? {2'd0, a_i, 31'd0} : {1'b0, a_i, 32'd0}),
        .done_o (done[Dividers+i]),
        .root_o (value[Dividers+i][31:0]),
        .rest_o (unused_rest)
    );
  end

  assign busy_o = busy_q != '0;
  always_ff @(posedge clk_i) begin
    if (divide_i) divider_q <= 32'(divider_q) == Dividers - 1 ? '0 : divider_q + 1'b1;
    if (root_i) root_q <= 32'(root_q) == Roots - 1 ? '0 : root_q + 1'b1;
    for (int unsigned i = 0; i < Units; i++) if (start[i]) tags_q[i] <= tag_i;
    busy_q <= (busy_q & ~done) | start;
    if (!rst_ni) begin
      divider_q <= '0;
      root_q    <= '0;
      busy_q    <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    done_o  <= done != '0 && rst_ni;
    value_o <= '0;
    tag_o   <= '0;
    for (int unsigned i = 0; i < Units; i++) begin
      if (done[i]) begin
        value_o <= value[i];
        tag_o   <= tags_q[i];
      end
    end
  end
endmodule
