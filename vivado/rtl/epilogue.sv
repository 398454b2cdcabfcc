/// Makes stored words of complete sums: exact ones, or rounded and saturated ones, as words or as bit planes.
///
/// Two pieces of 32 bytes leave in a cycle: a requantised result of two lanes is one piece each; INT32 fills two pieces
/// of one lane (part 0: the first lane), INT64 four (parts 0 and 1: the first lane).
module epilogue
  import contract_pkg::*;
  import core_pkg::*;
  import rounding_pkg::*;
#(
    parameter bit Lends = 1'b0  ///< lane 0 of the rounding, while no command of the core runs
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  plan_t                  plan_i,
    input  logic                   seed_valid_i,     ///< the seed is valid and stays: its noise keys are made
    input  logic [31:0]            seed_lo_i,
    input  logic [31:0]            seed_hi_i,
    input  logic                   seed_own_i,       ///< it is of plan_i, else of the next command
    input  logic [7:0]             ahead_pair_i,     ///< of the results NoiseLatency cycles later: their noise begins
    input  group_t                 ahead_group_i,
    input  logic                   valid_i,
    input  logic [7:0]             pair_i,
    input  logic [1:0]             part_i,
    input  logic                   last_i,           ///< of the segment
    input  group_t                 group_i,
    input  logic [1:0][15:0][47:0] results_i,
    input  logic [1:0][31:0]       sums_i,
    output logic [TableBits-1:0]   table_row_o,
    output logic [7:0]             table_pair_o,
    input  logic [1:0][31:0]       table_element_i,
    input  logic [1:0]             table_live_i,
    output rounded_t               rounded_o,        ///< with STATS: results for the tally, a cycle before the pieces
    output logic                   valid_o,
    output logic                   last_o,
    output logic [1:0][7:0]        lane_o,
    output logic [1:0][5:0]        piece_o,          ///< of the lane's part of the store buffer
    output logic [1:0][255:0]      data_o,
    output logic                   sums_valid_o,     ///< the row sums of both lanes of the pair
    output logic [5:0]             sums_piece_o,
    output logic [7:0]             sums_pair_o,
    output logic [1:0][31:0]       sums_o,
    input  lent_t                  lent_i,
    output logic [15:0][15:0]      lent_values_o
);
  localparam int unsigned RoundLatency = 3;

  typedef struct packed {
    logic       valid;
    logic       last;
    logic [7:0] pair;
    logic [1:0] part;
    logic [4:0] pixel;
    logic [2:0] slot;
    logic [1:0][31:0] sums;
    logic       begins;
    logic [SlotBits-1:0] tally;
  } tag_t;

  plan_t p;
  assign p = plan_i;

  logic [31:0] key_0, key_1;
  noise_keys u_keys (
      .clk_i, .start_i(seed_valid_i), .seed_lo_i, .seed_hi_i, .own_i(seed_own_i), .key_0_o(key_0), .key_1_o(key_1)
  );

  // Noise: the table of elements takes two cycles, noise_base and noise the other nine.
  assign table_row_o  = ahead_group_i.row;
  assign table_pair_o = ahead_pair_i;
  logic [27:0] element_q;
  delay_line #(.Bits(28), .Cycles(2)) u_element (.clk_i, .data_i(ahead_group_i.element[31:4]), .data_o(element_q));

  rounds_t rounds;
  assign rounds = '{stochastic: p.c.flags[FLAG_STOCHASTIC], is_signed: p.c.flags[FLAG_OUT_SIGNED], shift: p.c.shift,
                    out_bits: p.c.out_bits, key_1: key_1};

  tag_t [RoundLatency-1:0] tag_q;
  always_ff @(posedge clk_i) begin
    tag_q <= {tag_q[RoundLatency-2:0], tag_t'{valid: valid_i, last: last_i, pair: pair_i, part: part_i,
              pixel: group_i.pixel, slot: group_i.slot, sums: sums_i, begins: group_i.begins, tally: group_i.tally}};
    if (!rst_ni) for (int i = 0; i < RoundLatency; i++) tag_q[i].valid <= 1'b0;
  end

  logic [1:0][15:0][15:0] values;
  for (genvar l = 0; l < 2; l++) begin : gen_lane
    logic [31:4] base;
    logic [3:0] low;
    noise_base u_base (
        .clk_i, .key_0_i(key_0), .element_i(table_element_i[l][31:4] + element_q), .mixed_o(base), .low_o(low)
    );
    rounding_lane #(.Lends(Lends && l == 0)) u_rounding (
        .clk_i, .rounds_i(rounds), .base_i(base), .low_i(low), .sums_i(results_i[l]), .lent_i, .values_o(values[l])
    );
  end
  assign lent_values_o = values[0];

  // Exact results in step with the rounded ones: first the lane whose turn it is, then its half (INT64).
  logic int32, int64;
  logic [15:0][47:0] lane, lane_q;
  logic [511:0] words_32, exact, exact_q, exact2_q;
  logic [1:0][511:0] words_64;
  assign int32 = 32'(p.c.out_format) == FORMAT_INT32;
  assign int64 = 32'(p.c.out_format) == FORMAT_INT64;
  select_two #(.Width(768)) u_lane (
      .zero_i(results_i[0]), .one_i(results_i[1]), .select_i(int32 ? part_i[0] : part_i[1]), .data_o(lane)
  );
  for (genvar c = 0; c < 16; c++) begin : gen_words
    assign words_32[32*c+:32]         = lane_q[c][31:0];
    assign words_64[c/8][64*(c%8)+:64] = 64'($signed(lane_q[c]));
  end
  assign exact = int32 ? words_32 : tag_q[0].part[0] ? words_64[1] : words_64[0];
  always_ff @(posedge clk_i) begin
    lane_q   <= lane;
    exact_q  <= exact;
    exact2_q <= exact_q;
  end

  tag_t tag;
  assign tag = tag_q[RoundLatency-1];
  logic [1:0][255:0] planes;
  for (genvar l = 0; l < 2; l++) begin : gen_planes
    for (genvar c = 0; c < 16; c++) begin : gen_column
      for (genvar b = 0; b < 16; b++) begin : gen_bit
        assign planes[l][16*b+c] = values[l][c][b];
      end
    end
  end

  // The table is read NoiseLatency cycles before the results are here.
  localparam int unsigned LiveDelay = NoiseLatency + RoundLatency - 2;
  logic [LiveDelay-1:0][1:0] live_q;
  always_ff @(posedge clk_i) live_q <= {live_q[LiveDelay-2:0], table_live_i};
  assign rounded_o = '{valid: tag.valid && p.c.flags[FLAG_STATS], pair: tag.pair, live: live_q[LiveDelay-1],
                       begins: tag.begins, tally: tag.tally, values: values};

  logic [5:0] place;  // of the slot's first piece
  assign place = 6'(tag.slot) << p.segment_log;

  always_ff @(posedge clk_i) begin
    valid_o      <= tag.valid && rst_ni;
    last_o       <= tag.last;
    sums_valid_o <= tag.valid && tag.part == '0 && rst_ni;
    sums_piece_o <= place + 6'(tag.pixel);
    sums_pair_o  <= tag.pair;
    sums_o       <= tag.sums;
    unique case (32'(p.c.out_format))
      FORMAT_INT32: begin
        lane_o  <= {2{tag.pair[6:0], tag.part[0]}};
        piece_o <= {place + {1'b0, tag.pixel[3:0], 1'b1}, place + {1'b0, tag.pixel[3:0], 1'b0}};
      end
      FORMAT_INT64: begin
        lane_o  <= {2{tag.pair[6:0], tag.part[1]}};
        piece_o <= {place + {1'b0, tag.pixel[2:0], tag.part[0], 1'b1}, place + {1'b0, tag.pixel[2:0], tag.part[0],
            1'b0}};
      end
      default: begin
        lane_o  <= {tag.pair[6:0], 1'b1, tag.pair[6:0], 1'b0};
        piece_o <= {2{place + 6'(tag.pixel)}};
      end
    endcase
    data_o <= int32 || int64 ? exact2_q : 32'(p.c.out_format) == FORMAT_PLANES ? planes : values;
  end

  logic unused;
  assign unused = &{1'b0, p, group_i, ahead_group_i, table_element_i};
endmodule
