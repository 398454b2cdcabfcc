/// The results of two lanes out of those that all lanes hold, three cycles after it is known whose.
///
/// In LUTs: a register that is 0 unless it is the lanes' turn, so that six lanes' bits are one OR; multiplexers of the
/// slices (MUXF7, MUXF8) choose between four of these. A choice of 24 words takes four LUTs a bit. Simulators choose.
module result_drain #(
    parameter int unsigned Lanes = 16,  ///< an even number up to 48
    parameter int unsigned Width = 800  ///< bits of a lane's results
) (
    input  logic                  clk_i,
    input  logic [7:0]            pair_i,            ///< lanes 2 pair and 2 pair + 1
    input  logic [Width-1:0]      results_i[Lanes],
    output logic [1:0][Width-1:0] data_o
);
`ifdef SYNTHESIS
  localparam int unsigned Pairs = 6 * ((Lanes + 11) / 12);  // whole groups of six
  logic [23:0] turn;
  logic [1:0][23:0] turn_q;  // a register for each lane that has 800 loads
  logic [1:0]  group_q;      // of six pairs
  for (genvar p = 0; p < 24; p++) begin : gen_turn
    assign turn[p] = pair_i == 8'(p);
  end
  copies #(.Bits(24), .Copies(2)) u_turn (.clk_i, .data_i(turn), .data_o(turn_q));
  always_ff @(posedge clk_i) group_q <= {|turn_q[0][23:12], |turn_q[0][23:18] || |turn_q[0][11:6]};

  for (genvar l = 0; l < 2; l++) begin : gen_lane
    logic [Pairs-1:0][Width-1:0] gated_q;
    for (genvar p = 0; p < Pairs; p++) begin : gen_pair
      if (2 * p < Lanes) begin : gen_results
        always_ff @(posedge clk_i) begin
          if (!turn_q[l][p]) gated_q[p] <= '0;
          else gated_q[p] <= results_i[2*p+l];
        end
      end else begin : gen_none
        assign gated_q[p] = '0;
      end
    end

    logic [Width-1:0] chosen;
    for (genvar i = 0; i < Width; i++) begin : gen_bit
      logic [3:0] any;
      logic [1:0] half;
      for (genvar g = 0; g < 4; g++) begin : gen_any
        if (12 * g >= Lanes) begin : gen_none
          assign any[g] = 1'b0;
        end else begin : gen_or
          LUT6 #(.INIT(64'hffff_ffff_ffff_fffe)) u_or (
              .I0(gated_q[6*g][i]),
              .I1(gated_q[6*g+1][i]),
              .I2(gated_q[6*g+2][i]),
              .I3(gated_q[6*g+3][i]),
              .I4(gated_q[6*g+4][i]),
              .I5(gated_q[6*g+5][i]),
              .O (any[g])
          );
        end
      end
      MUXF7 u_lower (.I0(any[0]), .I1(any[1]), .S(group_q[0]), .O(half[0]));
      MUXF7 u_upper (.I0(any[2]), .I1(any[3]), .S(group_q[0]), .O(half[1]));
      MUXF8 u_chosen (.I0(half[0]), .I1(half[1]), .S(group_q[1]), .O(chosen[i]));
    end
    always_ff @(posedge clk_i) data_o[l] <= chosen;
  end
`else
  localparam int unsigned LaneBits = $clog2(Lanes);
  logic [1:0][Width-1:0] chosen_q;
  logic [LaneBits-1:0] lane;
  logic [7:0] pair_q;
  assign lane = {pair_q[LaneBits-2:0], 1'b0};
  always_ff @(posedge clk_i) begin
    pair_q   <= pair_i;
    chosen_q <= {results_i[lane+1'b1], results_i[lane]};
    data_o   <= chosen_q;
  end
  logic unused;
  assign unused = &{1'b0, pair_q};
`endif

  if (Lanes % 2 != 0 || Lanes > 48) begin : gen_bad_lanes
    $error("result_drain: Lanes is odd or more than 48");
  end
endmodule
