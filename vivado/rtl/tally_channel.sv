/// Of one channel of a group of results, one or two a cycle: sum, sums of squares, least and greatest. Latency 4.
///
/// Stage 1: what is not live becomes 0. Stage 2: squares begin, the two are added and compared. Stage 3: the smaller
/// and the greater one. Stage 4: the group so far.
module tally_channel #(
    parameter  int unsigned Lanes      = 16,
    parameter  int unsigned AtOnce     = 2,  ///< values in a cycle; if 1, they are the first ones
    localparam int unsigned SumBits    = 17 + $clog2(Lanes),
    localparam int unsigned SquareBits = 32 + $clog2(Lanes / AtOnce)
) (
    input  logic                       clk_i,
    input  logic                       signed_i,
    input  logic [1:0][15:0]           values_i,
    input  logic [1:0]                 live_i,
    input  logic [3:1]                 first_i,    ///< [n]: n cycles after a group's first values
    input  logic                       valid_i,    ///< three cycles after values
    output logic signed [SumBits-1:0]  sum_o,
    output logic [AtOnce-1:0][SquareBits-1:0] squares_o,  ///< of each lane of the pairs
    output logic [15:0]                least_o,    ///< with inverted sign, if signed; ffff and 0 if none is live
    output logic [15:0]                most_o
);
  logic signed [1:0][16:0] value_q;
  logic [1:0][15:0] order_q, order2_q;  // compare as unsigned numbers
  logic [1:0] live_q, live2_q;
  logic signed [17:0] pair_q, pair2_q;
  logic second_less_q, least_is_second, most_is_second;
  logic [15:0] smaller_q, greater_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < 2; l++) begin
      value_q[l] <= {signed_i && values_i[l][15], values_i[l]};
      if (!live_i[l] || l >= AtOnce) value_q[l] <= '0;
      order_q[l] <= {values_i[l][15] ^ signed_i, values_i[l][14:0]};
    end
    live_q        <= AtOnce == 1 ? {1'b0, live_i[0]} : live_i;
    order2_q      <= order_q;
    live2_q       <= live_q;
    second_less_q <= order_q[1] < order_q[0];
    pair_q        <= 18'($signed(value_q[0])) + 18'($signed(value_q[1]));
    pair2_q       <= pair_q;
    smaller_q     <= order2_q[least_is_second];
    greater_q     <= order2_q[most_is_second];
    if (live2_q == '0) {smaller_q, greater_q} <= {16'hffff, 16'h0000};
  end
  assign least_is_second = live2_q[1] && (second_less_q || !live2_q[0]);
  assign most_is_second  = live2_q[1] && (!second_less_q || !live2_q[0]);

  for (genvar l = 0; l < AtOnce; l++) begin : gen_lane
    product_sum #(.Bits(SquareBits)) u_squares (
        .clk_i, .value_i(value_q[l]), .by_i(value_q[l]), .first_i(first_i[2]), .valid_i, .sum_o(squares_o[l])
    );
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      sum_o <= (first_i[3] ? '0 : sum_o) + SumBits'(pair2_q);
      if (first_i[3] || smaller_q < least_o) least_o <= smaller_q;
      if (first_i[3] || greater_q > most_o) most_o <= greater_q;
    end
  end

  logic unused;
  assign unused = &{1'b0, first_i[1]};
endmodule
