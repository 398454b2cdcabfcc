/// How many bits are set in a & b, in LUTs: 128 of them for 144 bits, 45 for 48. Two cycles.
///
/// Bits of like weight are columns. Three and six of them at a time are added on short carry chains, until each column
/// has three and one chain adds all.
module popcount_lut #(
    parameter  int unsigned Bits      = 144,                 ///< 48 or 144
    localparam int unsigned CountBits = $clog2(Bits + 1)
) (
    input  logic                 clk_i,
    input  logic [     Bits-1:0] a_i,
    input  logic [     Bits-1:0] b_i,
    output logic [CountBits-1:0] count_o  ///< not registered: of the operands two cycles ago
);
  if (Bits == 144) begin : gen_144
    // Stage 1: four columns of twelve.
    logic [2:0][3:0][3:0] part, part_q;
    for (genvar i = 0; i < 3; i++) begin : gen_part
      count_48 u_count (.a_i(a_i[48*i+:48]), .b_i(b_i[48*i+:48]), .column_o(part[i]));
    end
    always_ff @(posedge clk_i) part_q <= part;

    logic [11:0] one, two, four, eight;
    assign one   = {part_q[2][0], part_q[1][0], part_q[0][0]};
    assign two   = {part_q[2][1], part_q[1][1], part_q[0][1]};
    assign four  = {part_q[2][2], part_q[1][2], part_q[0][2]};
    assign eight = {part_q[2][3], part_q[1][3], part_q[0][3]};

    // Stage 2: columns of 3, 3, 4, 4, 4, 2.
    logic [1:0][5:0] x, x_q;
    logic [4:0] y, y_q;
    logic [2:0] z, z_q;
    for (genvar i = 0; i < 2; i++) begin : gen_x
      compress_366 u_compress (.one_i(one[3*i+:3]), .two_i(two[6*i+:6]), .eight_i(eight[6*i+:6]), .sum_o(x[i]));
    end
    compress_66 u_y (.one_i(one[11:6]), .four_i(four[5:0]), .sum_o(y));
    compress_6 u_z (.x_i(four[11:6]), .sum_o(z));
    always_ff @(posedge clk_i) {x_q, y_q, z_q} <= {x, y, z};

    // Stage 3: three columns lose a bit upwards, then everything is three numbers.
    logic [1:0] fours, eights, sixteens;
    full_adder u_fours (.x_i({x_q[1][2], x_q[0][2], y_q[2]}), .sum_o(fours));
    full_adder u_eights (.x_i({x_q[1][3], x_q[0][3], y_q[3]}), .sum_o(eights));
    full_adder u_sixteens (.x_i({x_q[1][4], x_q[0][4], y_q[4]}), .sum_o(sixteens));
    ternary_add #(.Width(6)) u_add (
        .x_i({
          {x_q[1][5], sixteens[0], eights[0], fours[0], x_q[1][1:0]},
          {x_q[0][5], z_q[2], z_q[1], z_q[0], x_q[0][1:0]},
          {sixteens[1], eights[1], fours[1], 1'b0, y_q[1:0]}
        }),
        .sum_o(count_o)
    );
  end else begin : gen_48
    logic [3:0][3:0] column, column_q, kept_q;
    count_48 u_count (.a_i, .b_i, .column_o(column));
    always_ff @(posedge clk_i) {kept_q, column_q} <= {column_q, column};

    logic [3:0][1:0] sum;
    for (genvar i = 0; i < 4; i++) begin : gen_adder
      full_adder u_adder (.x_i(kept_q[i][2:0]), .sum_o(sum[i]));
    end
    logic [6:0] total;
    ternary_add #(.Width(5)) u_add (
        .x_i({
          {1'b0, sum[3][0], sum[2][0], sum[1][0], sum[0][0]},
          {1'b0, kept_q[3][3], kept_q[2][3], kept_q[1][3], kept_q[0][3]},
          {sum[3][1], sum[2][1], sum[1][1], sum[0][1], 1'b0}
        }),
        .sum_o(total)
    );
    assign count_o = total[5:0];
    logic unused;
    assign unused = total[6];
  end

  if (Bits != 48 && Bits != 144) begin : gen_bad_bits
    $error("popcount_lut: Bits is not 48 or 144");
  end
endmodule
