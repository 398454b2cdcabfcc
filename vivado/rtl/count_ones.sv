/// How many bits are set, in LUTs: 75 of them for 144 bits, 26 for 48. Four cycles (CountLatency); simulators count.
module count_ones
  import core_pkg::*;
#(
    parameter  int unsigned Bits      = 144,                 ///< 48 or 144
    localparam int unsigned CountBits = $clog2(Bits + 1)
) (
    input  logic                 clk_i,
    input  logic [     Bits-1:0] x_i,
    output logic [CountBits-1:0] count_o
);
`ifdef SYNTHESIS
  if (Bits == 144) begin : gen_144
    // Stage 1: columns of 24, 20, 20.
    logic [23:0] one, one_q;
    logic [19:0] two, two_q, four, four_q;
    for (genvar i = 0; i < 20; i++) begin : gen_seven
      compress_7 u_compress (.x_i(x_i[7*i+:7]), .sum_o({four[i], two[i], one[i]}));
    end
    assign one[23:20] = x_i[143:140];
    always_ff @(posedge clk_i) {one_q, two_q, four_q} <= {one, two, four};

    // Stage 2: columns of 6, 6, 9, 6, 3.
    logic [5:0] ones, ones_q, twos, twos_q, eights, eights_q;
    logic [8:0] fours, fours_q;
    logic [2:0] sixteens, sixteens_q;
    for (genvar i = 0; i < 3; i++) begin : gen_ones
      compress_7 u_compress (.x_i(one_q[7*i+:7]), .sum_o({fours[i], twos[i], ones[i]}));
    end
    assign ones[5:3] = one_q[23:21];
    for (genvar i = 0; i < 2; i++) begin : gen_others
      compress_7 u_twos (.x_i(two_q[7*i+:7]), .sum_o({eights[i], fours[3+i], twos[3+i]}));
      compress_7 u_fours (.x_i(four_q[7*i+:7]), .sum_o({sixteens[i], eights[3+i], fours[6+i]}));
    end
    compress_6 u_twos (.x_i(two_q[19:14]), .sum_o({eights[2], fours[5], twos[5]}));
    compress_6 u_fours (.x_i(four_q[19:14]), .sum_o({sixteens[2], eights[5], fours[8]}));
    always_ff @(posedge clk_i) begin
      {ones_q, twos_q, fours_q, eights_q, sixteens_q} <= {ones, twos, fours, eights, sixteens};
    end

    // Stage 3: columns of 1, 2, 5, 2, 5, 1, of which two lose a pair upwards; stage 4: everything is three numbers.
    logic [4:0] x, x_q, y, y_q;
    logic [1:0] four_more, four_more_q, sixteen_more, sixteen_more_q;
    logic [7:0] total;
    compress_66 u_x (.one_i(ones_q), .four_i(fours_q[5:0]), .sum_o(x));
    compress_66 u_y (.one_i(twos_q), .four_i(eights_q), .sum_o(y));
    full_adder u_four (.x_i(fours_q[8:6]), .sum_o(four_more));
    full_adder u_sixteen (.x_i(sixteens_q), .sum_o(sixteen_more));
    always_ff @(posedge clk_i) {x_q, y_q, four_more_q, sixteen_more_q} <= {x, y, four_more, sixteen_more};
    ternary_add #(.Width(6)) u_add (
        .x_i({
          {1'b0, x_q}, {y_q, 1'b0}, {sixteen_more_q, four_more_q, 2'b00}
        }),
        .sum_o(total)
    );
    always_ff @(posedge clk_i) count_o <= total;
  end else begin : gen_48
    logic [6:0] one, one_q, two, two_q, four, four_q;
    for (genvar i = 0; i < 6; i++) begin : gen_seven
      compress_7 u_compress (.x_i(x_i[7*i+:7]), .sum_o({four[i], two[i], one[i]}));
    end
    compress_6 u_compress (.x_i(x_i[47:42]), .sum_o({four[6], two[6], one[6]}));
    always_ff @(posedge clk_i) {one_q, two_q, four_q} <= {one, two, four};

    logic [2:0] ones, ones_q, ones2_q, twos, twos_q, twos2_q, fours, fours_q, fours2_q;
    compress_7 u_ones (.x_i(one_q), .sum_o(ones));
    compress_7 u_twos (.x_i(two_q), .sum_o(twos));
    compress_7 u_fours (.x_i(four_q), .sum_o(fours));
    always_ff @(posedge clk_i) begin
      {ones_q, twos_q, fours_q}    <= {ones, twos, fours};
      {ones2_q, twos2_q, fours2_q} <= {ones_q, twos_q, fours_q};
    end

    logic [6:0] total;
    ternary_add #(.Width(5)) u_add (
        .x_i({
          {2'b00, ones2_q}, {1'b0, twos2_q, 1'b0}, {fours2_q, 2'b00}
        }),
        .sum_o(total)
    );
    always_ff @(posedge clk_i) count_o <= total[5:0];
    logic unused;
    assign unused = total[6];
  end
`else
  logic [CountLatency-1:0][CountBits-1:0] count_q;
  always_ff @(posedge clk_i) count_q <= {count_q[CountLatency-2:0], CountBits'($countones(x_i))};
  assign count_o = count_q[CountLatency-1];
`endif

  if (Bits != 48 && Bits != 144) begin : gen_bad_bits
    $error("count_ones: Bits is not 48 or 144");
  end
endmodule
