/// How many bits are set in a & b, in LUTs: 121 of them for 144 bits, 45 for 48. Four cycles (CountLatency).
///
/// Bits of like weight are columns. Three to seven of them at a time are added on short carry chains, until each column
/// has three and one chain adds all. Sums of a chain go to registers: a place of a slice lets only one signal out that
/// is not registered, and the carry needs that way.
module popcount_lut #(
    parameter  int unsigned Bits      = 144,                 ///< 48 or 144
    localparam int unsigned CountBits = $clog2(Bits + 1)
) (
    input  logic                 clk_i,
    input  logic [     Bits-1:0] a_i,
    input  logic [     Bits-1:0] b_i,
    output logic [CountBits-1:0] count_o
);
  if (Bits == 144) begin : gen_144
    // Stage 1: 24 ones and 72 twos, then columns of 6, 15, 13, 10.
    logic [23:0] ones;
    logic [23:0][2:0] products;
    logic [71:0] twos;
    for (genvar i = 0; i < 24; i++) begin : gen_products
      count_products u_count (.a_i(a_i[6*i+:6]), .b_i(b_i[6*i+:6]), .one_o(ones[i]), .two_o(products[i]));
    end
    assign twos = products;

    logic [5:0] one, one_q;
    logic [14:0] two, two_q;
    logic [12:0] four, four_q;
    logic [9:0] eight, eight_q;
    for (genvar i = 0; i < 3; i++) begin : gen_ones
      compress_7 u_compress (.x_i(ones[7*i+:7]), .sum_o({four[i], two[i], one[i]}));
    end
    for (genvar i = 0; i < 10; i++) begin : gen_twos
      compress_7 u_compress (.x_i(twos[7*i+:7]), .sum_o({eight[i], four[3+i], two[3+i]}));
    end
    assign one[5:3]   = ones[23:21];
    assign two[14:13] = twos[71:70];
    always_ff @(posedge clk_i) {one_q, two_q, four_q, eight_q} <= {one, two, four, eight};

    // Stage 2: columns of 1, 4, 4, 8, 3, 1.
    logic [4:0] x, x_q, y, y_q;
    logic [2:0] z, z_q, w, w_q;
    logic t_q;
    logic [3:0] e_q;
    compress_66 u_x (.one_i(one_q), .four_i(four_q[5:0]), .sum_o(x));
    compress_76 u_y (.one_i(two_q[6:0]), .four_i(eight_q[5:0]), .sum_o(y));
    compress_7 u_z (.x_i(two_q[13:7]), .sum_o(z));
    compress_7 u_w (.x_i(four_q[12:6]), .sum_o(w));
    always_ff @(posedge clk_i) {x_q, y_q, z_q, w_q} <= {x, y, z, w};
    always_ff @(posedge clk_i) {t_q, e_q} <= {two_q[14], eight_q[9:6]};

    // Stage 3: what is too much in a column goes upwards.
    logic [2:0] s, s_q;                 // of weights 8, 16, 32
    logic [1:0] f, f_q, g, g_q, h, h_q; // from 2, 4, 16
    logic [5:0] rest_q;                 // of the columns that have three or fewer
    compress_7 u_s (.x_i({e_q, y_q[2], z_q[2], w_q[1]}), .sum_o(s));
    full_adder u_f (.x_i({x_q[1], y_q[0], z_q[0]}), .sum_o(f));
    full_adder u_g (.x_i({x_q[2], y_q[1], z_q[1]}), .sum_o(g));
    full_adder u_h (.x_i({x_q[4], y_q[3], w_q[2]}), .sum_o(h));
    always_ff @(posedge clk_i) begin
      {s_q, f_q, g_q, h_q} <= {s, f, g, h};
      rest_q               <= {y_q[4], 1'b0, x_q[3], w_q[0], t_q, x_q[0]};
    end

    // Stage 4: everything is three numbers.
    logic [7:0] total;
    ternary_add #(.Width(6)) u_add (
        .x_i({
          {rest_q[5], s_q[1], rest_q[3:0]}, {s_q[2], h_q[0], s_q[0], f_q[1], f_q[0], 1'b0},
          {h_q[1], 1'b0, g_q[1], g_q[0], 2'b00}
        }),
        .sum_o(total)
    );
    always_ff @(posedge clk_i) count_o <= total;
    logic unused;
    assign unused = rest_q[4];
  end else begin : gen_48
    logic [3:0][3:0] column, column_q, kept_q;
    count_48 u_count (.a_i, .b_i, .column_o(column));
    always_ff @(posedge clk_i) {kept_q, column_q} <= {column_q, column};

    logic [3:0][1:0] sum, sum_q;
    logic [3:0] fourth_q;
    for (genvar i = 0; i < 4; i++) begin : gen_adder
      full_adder u_adder (.x_i(kept_q[i][2:0]), .sum_o(sum[i]));
      always_ff @(posedge clk_i) fourth_q[i] <= kept_q[i][3];
    end
    always_ff @(posedge clk_i) sum_q <= sum;

    logic [6:0] total;
    ternary_add #(.Width(5)) u_add (
        .x_i({
          {1'b0, sum_q[3][0], sum_q[2][0], sum_q[1][0], sum_q[0][0]},
          {1'b0, fourth_q},
          {sum_q[3][1], sum_q[2][1], sum_q[1][1], sum_q[0][1], 1'b0}
        }),
        .sum_o(total)
    );
    always_ff @(posedge clk_i) count_o <= total[5:0];
    logic unused;
    assign unused = total[6];
  end

  if (Bits != 48 && Bits != 144) begin : gen_bad_bits
    $error("popcount_lut: Bits is not 48 or 144");
  end
endmodule
