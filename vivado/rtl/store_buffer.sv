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
    input  logic              write_i,
    input  logic [1:0][7:0]   write_lane_i,
    input  logic [1:0][5:0]   write_piece_i,  ///< the same, or 2 x and 2 x + 1
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

  // What is written waits for a cycle, so that its turns come from registers: a segment is read later than that.
  logic write_q, sums_write_q;
  logic [1:0][7:0] write_lane_q;
  logic [1:0][5:0] write_piece_q;
  logic [1:0][255:0] write_data_q;
  logic [3:0] write_turn_q;
  logic [1:0] write_from_q;  // which of the two pieces comes into each half
  logic [5:0] sums_piece_q;
  logic [7:0] sums_pair_q;
  logic [1:0][31:0] written_sums_q;
  always_ff @(posedge clk_i) begin
    write_q        <= write_i;
    write_lane_q   <= write_lane_i;
    write_piece_q  <= write_piece_i;
    write_data_q   <= write_data_i;
    write_turn_q   <= 4'd0 - write_piece_i[0][4:1];
    write_from_q   <= {!(write_lane_i[0][0] ^ write_piece_i[0][0]), write_lane_i[0][0] ^ write_piece_i[0][0]};
    sums_write_q   <= sums_write_i;
    sums_piece_q   <= sums_piece_i;
    sums_pair_q    <= sums_pair_i;
    written_sums_q <= sums_i;
  end

  logic odd_q, plane_q;
  logic [3:0] turn_q;
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      odd_q   <= read_lane_i[0];
      plane_q <= read_plane_i;
      turn_q  <= read_place_i[3:0] + (read_plane_i ? read_word_i : '0);
    end
  end

  // The RAMs' outputs are registered as they are, and turned after that.
  logic [1:0][15:0][15:0] turned;
  logic turned_odd_q, turned_plane_q;
  logic [3:0] read_turn_q;
  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic from;
    logic [255:0] piece;
    logic [15:0][15:0] banked, read_q;
    logic [Bits-1:0] place;
    assign from  = write_from_q[h];
    assign place = Bits'(32'(write_lane_q[from]) * Places + 32'(write_piece_q[from][5:1]));
    select_two #(.Width(256)) u_piece (
        .zero_i(write_data_q[0]), .one_i(write_data_q[1]), .select_i(from), .data_o(piece)
    );
    rotate #(.Bytes(32), .UnitBytes(2)) u_bank (
        .data_i(piece), .shift_i(write_turn_q), .data_o(banked)
    );
    for (genvar b = 0; b < 16; b++) begin : gen_bank
      logic [15:0] words_q[Depth];
      logic [15:0] word_q;
      logic [3:0] low;
      assign low = read_plane_i ? 4'(b) - read_word_i : read_place_i[3:0];
      always_ff @(posedge clk_i) begin
        if (write_q) words_q[place] <= banked[b];
        if (read_i) word_q <= words_q[Bits'(32'(read_lane_i)*Places+32'({read_place_i[4], low}))];
      end
      always_ff @(posedge clk_i) if (turn_i) read_q[b] <= word_q;
    end
    rotate #(.Bytes(32), .UnitBytes(2)) u_turn (.data_i(read_q), .shift_i(read_turn_q), .data_o(turned[h]));
  end
  always_ff @(posedge clk_i) begin
    if (turn_i) begin
      turned_odd_q   <= odd_q;
      turned_plane_q <= plane_q;
      read_turn_q    <= turn_q;
    end
  end
  // The first piece is in half 0 of an even lane; pieces follow each other, planes take a word of each in turn.
  for (genvar w = 0; w < 32; w++) begin : gen_word
    localparam int unsigned OfPieces = w / 16;
    localparam int unsigned OfPlane  = w % 2;
    select_four #(.Width(16)) u_word (
        .data_i({turned[1-OfPlane][w/2], turned[OfPlane][w/2],
                 turned[1-OfPieces][w%16], turned[OfPieces][w%16]}),
        .select_i({turned_plane_q, turned_odd_q}),
        .data_o(data_o[w])
    );
  end

  for (genvar b = 0; b < 8; b++) begin : gen_sums
    logic [1:0][31:0] sum_q;
    for (genvar odd = 0; odd < 2; odd++) begin : gen_parity
      logic [31:0] sums_q[SumDepth];
      always_ff @(posedge clk_i) begin
        if (sums_write_q && sums_piece_q[2:0] == 3'(b))
          sums_q[SumBits'(32'(sums_pair_q)*SumPlaces+32'(sums_piece_q[5:3]))] <= written_sums_q[odd];
        if (read_i) sum_q[odd] <= sums_q[SumBits'(32'(read_lane_i[7:1])*SumPlaces+32'(sums_place_i))];
      end
    end
    logic [1:0][31:0] both_q;
    always_ff @(posedge clk_i) if (turn_i) both_q <= sum_q;
    select_two #(.Width(32)) u_sum (
        .zero_i(both_q[0]), .one_i(both_q[1]), .select_i(turned_odd_q), .data_o(sums_o[b])
    );
  end
endmodule
