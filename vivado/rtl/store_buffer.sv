/// Results that wait to be stored: 64 pieces of 16 words and 64 row sums a lane, in slots of segments.
///
/// Two halves, piece x of lane l in half (l + x) mod 2: two lanes write one piece, or one lane two, in a cycle. A half
/// has 16 banks of words, word w of piece x in bank (w + x / 2) mod 16, so that a cycle reads of one lane either two
/// consecutive pieces, or one word (a bit plane) of up to 32 of them. Of row sums it reads eight.
module store_buffer
  import core_pkg::*;
#(
    parameter int unsigned Lanes = 16
) (
    input  logic              clk_i,
    input  logic [1:0]        write_i,        ///< which of two pieces, or the first alone
    input  logic [1:0][7:0]   write_lane_i,
    input  logic [1:0][5:0]   write_piece_i,  ///< of two: the same, or 2 x and 2 x + 1
    input  logic [1:0][255:0] write_data_i,
    input  logic              sums_write_i,   ///< row sums of lanes 2 pair and 2 pair + 1
    input  logic [5:0]        sums_piece_i,
    input  logic [7:0]        sums_pair_i,
    input  logic [1:0][31:0]  sums_i,
    input  logic              read_i,
    input  logic [7:0]        read_lane_i,
    input  logic [4:0]        read_place_i,   ///< pieces from 2 place on
    input  logic              read_plane_i,   ///< of as many as share bit 4 of their place: one word, else all of two
    input  logic [3:0]        read_word_i,    ///< which
    input  logic [2:0]        sums_place_i,   ///< row sums from 8 place on
    input  logic              turn_i,         ///< what was read goes to the outputs, where it stays until the next turn
    output logic [31:0][15:0] data_o,
    output logic [7:0][31:0]  sums_o
);
  localparam int unsigned Places    = LanePieces / 2;
  localparam int unsigned Depth     = Lanes * Places;
  localparam int unsigned Bits      = $clog2(Depth);
  localparam int unsigned SumPlaces = LanePieces / 8;
  localparam int unsigned SumDepth  = Lanes / 2 * SumPlaces;
  localparam int unsigned SumBits   = $clog2(SumDepth);

  logic odd_q, plane_q;
  logic [3:0] turn_q;
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      odd_q   <= read_lane_i[0];
      plane_q <= read_plane_i;
      turn_q  <= read_place_i[3:0] + (read_plane_i ? read_word_i : '0);
    end
  end

  logic [1:0][15:0][15:0] turned_q;
  logic turned_odd_q, turned_plane_q;
  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic from;  // which of the two pieces comes here
    logic [255:0] piece;
    logic [15:0][15:0] banked, read, turned;
    logic [Bits-1:0] place;
    assign from  = write_lane_i[0][0] ^ write_piece_i[0][0] ^ h[0];
    assign place = Bits'(32'(write_lane_i[from]) * Places + 32'(write_piece_i[from][5:1]));
    select_two #(.Width(256)) u_piece (
        .zero_i(write_data_i[0]), .one_i(write_data_i[1]), .select_i(from), .data_o(piece)
    );
    rotate #(.Bytes(32), .UnitBytes(2)) u_bank (
        .data_i(piece), .shift_i(4'd0 - write_piece_i[0][4:1]), .data_o(banked)
    );
    for (genvar b = 0; b < 16; b++) begin : gen_bank
      logic [15:0] words_q[Depth];
      logic [15:0] word_q;
      logic [3:0] low;
      assign low = read_plane_i ? 4'(b) - read_word_i : read_place_i[3:0];
      always_ff @(posedge clk_i) begin
        if (write_i[from]) words_q[place] <= banked[b];
        if (read_i) word_q <= words_q[Bits'(32'(read_lane_i)*Places+32'({read_place_i[4], low}))];
      end
      assign read[b] = word_q;
    end
    rotate #(.Bytes(32), .UnitBytes(2)) u_turn (.data_i(read), .shift_i(turn_q), .data_o(turned));
    always_ff @(posedge clk_i) if (turn_i) turned_q[h] <= turned;
  end
  always_ff @(posedge clk_i) begin
    if (turn_i) begin
      turned_odd_q   <= odd_q;
      turned_plane_q <= plane_q;
    end
  end
  // The first piece is in half 0 of an even lane; pieces follow each other, planes take a word of each in turn.
  for (genvar w = 0; w < 32; w++) begin : gen_word
    localparam int unsigned OfPieces = w / 16;
    localparam int unsigned OfPlane  = w % 2;
    select_four #(.Width(16)) u_word (
        .data_i({turned_q[1-OfPlane][w/2], turned_q[OfPlane][w/2],
                 turned_q[1-OfPieces][w%16], turned_q[OfPieces][w%16]}),
        .select_i({turned_plane_q, turned_odd_q}),
        .data_o(data_o[w])
    );
  end

  for (genvar b = 0; b < 8; b++) begin : gen_sums
    logic [1:0][31:0] sum_q;
    for (genvar odd = 0; odd < 2; odd++) begin : gen_parity
      logic [31:0] sums_q[SumDepth];
      always_ff @(posedge clk_i) begin
        if (sums_write_i && sums_piece_i[2:0] == 3'(b))
          sums_q[SumBits'(32'(sums_pair_i)*SumPlaces+32'(sums_piece_i[5:3]))] <= sums_i[odd];
        if (read_i) sum_q[odd] <= sums_q[SumBits'(32'(read_lane_i[7:1])*SumPlaces+32'(sums_place_i))];
      end
    end
    logic [31:0] sum;
    select_two #(.Width(32)) u_sum (.zero_i(sum_q[0]), .one_i(sum_q[1]), .select_i(odd_q), .data_o(sum));
    always_ff @(posedge clk_i) if (turn_i) sums_o[b] <= sum;
  end
endmodule
