/// Makes stored words of complete sums: exact ones, or rounded and saturated ones, as words or as bit planes.
///
/// Two pieces of 32 bytes leave in a cycle: a requantised result of two lanes is one piece each; INT32 fills two pieces
/// of one lane (part 0: the first lane), INT64 four (parts 0 and 1: the first lane).
module epilogue
  import contract_pkg::*;
  import core_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  plan_t                  plan_i,
    input  logic                   start_i,          ///< of a command: its noise keys are made
    input  logic                   valid_i,
    input  logic [7:0]             pair_i,
    input  logic [1:0]             part_i,
    input  logic                   last_i,           ///< of the segment
    input  group_t                 group_i,
    input  logic [1:0][15:0][47:0] results_i,
    input  logic [1:0][31:0]       sums_i,
    output logic [RowBits-1:0]     table_row_o,
    output logic [7:0]             table_pair_o,
    input  logic [1:0][31:0]       table_element_i,
    output logic                   valid_o,
    output logic                   last_o,
    output logic [1:0][7:0]        lane_o,
    output logic [1:0][5:0]        piece_o,          ///< of the lane's part of the store buffer
    output logic [1:0][255:0]      data_o,
    output logic                   sums_valid_o,     ///< the row sums of both lanes of the pair
    output logic [5:0]             sums_piece_o,
    output logic [7:0]             sums_pair_o,
    output logic [1:0][31:0]       sums_o
);
  localparam int unsigned NoiseLatency = 7;
  localparam int unsigned Delay        = 1 + NoiseLatency;  // to the requantisers
  localparam int unsigned RoundLatency = 3;

  typedef struct packed {
    logic       valid;
    logic       last;
    logic [7:0] pair;
    logic [1:0] part;
    logic [4:0] pixel;
    logic [2:0] slot;
    logic [1:0][31:0] sums;
  } tag_t;

  plan_t p;
  assign p = plan_i;

  logic [31:0] key_0, key_1;
  noise_keys u_keys (
      .clk_i, .start_i, .seed_lo_i(p.c.seed_lo), .seed_hi_i(p.c.seed_hi), .key_0_o(key_0), .key_1_o(key_1)
  );

  assign table_row_o  = group_i.row;
  assign table_pair_o = pair_i;

  tag_t [Delay+RoundLatency-1:0] tag_q;
  logic [Delay+RoundLatency-1:0][1:0][15:0][47:0] results_q;
  logic [31:0] element_q;
  always_ff @(posedge clk_i) begin
    tag_q     <= {tag_q[Delay+RoundLatency-2:0], tag_t'{valid: valid_i, last: last_i, pair: pair_i, part: part_i,
                  pixel: group_i.pixel, slot: group_i.slot, sums: sums_i}};
    results_q <= {results_q[Delay+RoundLatency-2:0], results_i};
    element_q <= group_i.element;
    if (!rst_ni) for (int i = 0; i < Delay + RoundLatency; i++) tag_q[i].valid <= 1'b0;
  end

  logic [1:0][15:0][15:0] values;
  for (genvar l = 0; l < 2; l++) begin : gen_lane
    logic [31:0] element;
    assign element = table_element_i[l] + element_q;
    for (genvar c = 0; c < 16; c++) begin : gen_column
      logic [31:0] bits;
      noise u_noise (.clk_i, .key_0_i(key_0), .key_1_i(key_1), .element_i(element + 32'(c)), .bits_o(bits));
      requantise u_requantise (
          .clk_i,
          .acc_i       (results_q[Delay-1][l][c]),
          .noise_i     (bits),
          .stochastic_i(p.c.flags[FLAG_STOCHASTIC]),
          .shift_i     (p.c.shift),
          .signed_i    (p.c.flags[FLAG_OUT_SIGNED]),
          .out_bits_i  (p.c.out_bits),
          .value_o     (values[l][c])
      );
    end
  end

  tag_t tag;
  logic [1:0][15:0][47:0] exact;
  logic [15:0][47:0] wide;
  assign tag   = tag_q[Delay+RoundLatency-1];
  assign exact = results_q[Delay+RoundLatency-1];
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
    unique case (32'(p.c.out_format))
      FORMAT_INT16: data_o <= values;
      FORMAT_PLANES:
      for (int l = 0; l < 2; l++) begin
        for (int c = 0; c < 16; c++) begin
          for (int b = 0; b < 16; b++) data_o[l][16*b+c] <= values[l][c][b];
        end
      end
      FORMAT_INT32:
      for (int c = 0; c < 16; c++) data_o[c/8][32*(c%8)+:32] <= wide[c][31:0];
      default:
      for (int c = 0; c < 8; c++) begin
        data_o[c/4][64*(c%4)+:64] <= 64'($signed(wide[8*32'(tag.part[0])+c]));
      end
    endcase
  end
  assign wide = 32'(p.c.out_format) == FORMAT_INT32 ? exact[tag.part[0]] : exact[tag.part[1]];

  logic unused;
  assign unused = &{1'b0, p, group_i};
endmodule
