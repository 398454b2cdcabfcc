/// Rounds the 16 sums of a pixel: their noise and their requantisers, with what these share.
///
/// With `Lends` it works for another unit while that says so, a cycle later than for its own.
module rounding_lane
  import rounding_pkg::*;
#(
    parameter bit Lends = 1'b0
) (
    input  logic              clk_i,
    input  rounds_t           rounds_i,
    input  logic [31:4]       base_i,    ///< of the noise, 7 cycles ahead of the sums
    input  logic [3:0]        low_i,
    input  logic [15:0][47:0] sums_i,
    input  lent_t             lent_i,
    output logic [15:0][15:0] values_o   ///< 3 cycles later
);
  rounds_t rounds;
  logic [31:4] base;
  logic [3:0] low;
  logic [15:0][47:0] sums;
  if (Lends) begin : gen_lends
    lent_t lent_q;
    always_ff @(posedge clk_i) lent_q <= lent_i;
    assign rounds = lent_q.own ? lent_q.rounds : rounds_i;
    assign base   = lent_q.own ? lent_q.base : base_i;
    assign low    = lent_q.own ? lent_q.low : low_i;
    select_two #(.Width(768)) u_sums (
        .zero_i(sums_i), .one_i(lent_q.sums), .select_i(lent_q.own), .data_o(sums)
    );
  end else begin : gen_keeps
    logic unused;
    assign unused = &{1'b0, lent_i};
    assign rounds = rounds_i;
    assign base   = base_i;
    assign low    = low_i;
    assign sums   = sums_i;
  end

  rounding_t rounding;
  rounding_control u_rounding (
      .clk_i,
      .stochastic_i(rounds.stochastic),
      .shift_i     (rounds.shift),
      .signed_i    (rounds.is_signed),
      .out_bits_i  (rounds.out_bits),
      .rounding_o  (rounding)
  );
  for (genvar c = 0; c < 16; c++) begin : gen_column
    logic [31:0] mixed;
    noise u_noise (.clk_i, .key_1_i(rounds.key_1), .base_i(base), .low_i(low), .column_i(4'(c)), .mixed_o(mixed));
    requantise u_requantise (
        .clk_i, .rounding_i(rounding), .acc_i(sums[c]), .mixed_i(mixed), .value_o(values_o[c])
    );
  end
endmodule
