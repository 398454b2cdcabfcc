// Multiplexers and adders made of named LUTs, against what they implement; ok_o must always be 1.

module equal_select (
    input  logic [7:0][1:0] data_i,
    input  logic [2:0]      select_i,
    output logic            ok_o
);
  logic [1:0] two, four, eight;
  select_two #(.Width(2)) u_two (.zero_i(data_i[0]), .one_i(data_i[1]), .select_i(select_i[0]), .data_o(two));
  select_four #(.Width(2)) u_four (.data_i(data_i[3:0]), .select_i(select_i[1:0]), .data_o(four));
  select_eight #(.Width(2)) u_eight (.data_i, .select_i, .data_o(eight));
  assign ok_o = two == data_i[select_i[0]] && four == data_i[select_i[1:0]] && eight == data_i[select_i];
endmodule

module equal_mix #(
    parameter int unsigned Right = 14,
    parameter int unsigned Left  = 13
) (
    input  logic [31:0] x_i,
    output logic        ok_o
);
  logic [31:0] sum;
  mix_add #(.Right(Right), .Left(Left)) u_dut (.x_i, .sum_o(sum));
  assign ok_o = sum == noise_pkg::mix_step(x_i, Right, Left);
endmodule

module equal_drain #(
    parameter int unsigned Lanes = 48
) (
    input  logic             clk_i,
    input  logic [      7:0] pair_i,
    input  logic [Lanes-1:0] results_i,
    output logic             ok_o
);
  logic [0:0] results[Lanes];
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    assign results[l] = results_i[l];
  end
  logic [1:0] data, chosen_q, chosen2_q;
  logic meant_q, meant2_q;
  logic [7:0] pair_q;
  logic is_pair_q;
  result_drain #(.Lanes(Lanes), .Width(1)) u_dut (.clk_i, .pair_i, .results_i(results), .data_o(data));
  always_ff @(posedge clk_i) begin
    pair_q    <= pair_i;
    is_pair_q <= 32'(pair_i) < Lanes / 2;
    chosen_q  <= {results_i[2*32'(pair_q)+1], results_i[2*32'(pair_q)]};
    meant_q   <= is_pair_q;
    chosen2_q <= chosen_q;
    meant2_q  <= meant_q;
  end
  assign ok_o = !meant2_q || data == chosen2_q;
endmodule
