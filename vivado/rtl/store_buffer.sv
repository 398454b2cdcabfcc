/// Results that wait to be stored: 64 pieces of 32 bytes and 64 row sums a lane, in slots of segments.
///
/// Two banks, piece x of lane l in bank (l + x) mod 2: two lanes write one piece, or one lane two, and one lane reads
/// two consecutive pieces in a cycle.
module store_buffer
  import core_pkg::*;
#(
    parameter int unsigned Lanes = 16
) (
    input  logic              clk_i,
    input  logic              write_i,
    input  logic [1:0][7:0]   write_lane_i,
    input  logic [1:0][5:0]   write_piece_i,
    input  logic [1:0][255:0] write_data_i,
    input  logic              sums_write_i,   ///< row sums of lanes 2 pair and 2 pair + 1
    input  logic [5:0]        sums_piece_i,
    input  logic [7:0]        sums_pair_i,
    input  logic [1:0][31:0]  sums_i,
    input  logic              read_i,
    input  logic [7:0]        read_lane_i,
    input  logic [4:0]        read_place_i,   ///< pieces 2 place and 2 place + 1
    output logic [1:0][255:0] read_data_o,    ///< a cycle later, until the next read
    output logic [1:0][31:0]  read_sums_o
);
  localparam int unsigned Places = LanePieces / 2;
  localparam int unsigned Depth  = Lanes * Places;
  localparam int unsigned Bits   = $clog2(Depth);

  logic [1:0][255:0] data_q;
  logic [1:0][31:0] sums_q;
  logic odd_q;
  for (genvar b = 0; b < 2; b++) begin : gen_bank
    logic [255:0] pieces_q[Depth];
    logic [31:0] sums_table_q[Depth];
    logic [Bits-1:0] place, sums_place, read_place;
    logic from, sums_from;  // which of the two pieces, of the two sums comes here
    assign from       = write_lane_i[0][0] ^ write_piece_i[0][0] ^ b[0];
    assign sums_from  = sums_piece_i[0] ^ b[0];
    assign place      = Bits'(32'(write_lane_i[from]) * Places + 32'(write_piece_i[from][5:1]));
    assign sums_place = Bits'((2 * 32'(sums_pair_i) + 32'(sums_from)) * Places + 32'(sums_piece_i[5:1]));
    assign read_place = Bits'(32'(read_lane_i) * Places + 32'(read_place_i));
    logic [255:0] data;
    logic [31:0] sums;
    select_two #(.Width(256)) u_data (
        .zero_i(write_data_i[0]), .one_i(write_data_i[1]), .select_i(from), .data_o(data)
    );
    select_two #(.Width(32)) u_sums (.zero_i(sums_i[0]), .one_i(sums_i[1]), .select_i(sums_from), .data_o(sums));
    always_ff @(posedge clk_i) begin
      if (write_i) pieces_q[place] <= data;
      if (sums_write_i) sums_table_q[sums_place] <= sums;
      if (read_i) begin
        data_q[b] <= pieces_q[read_place];
        sums_q[b] <= sums_table_q[read_place];
      end
    end
  end
  always_ff @(posedge clk_i) if (read_i) odd_q <= read_lane_i[0];
  select_two #(.Width(576)) u_read (
      .zero_i  ({sums_q, data_q}),
      .one_i   ({sums_q[0], sums_q[1], data_q[0], data_q[1]}),
      .select_i(odd_q),
      .data_o  ({read_sums_o, read_data_o})
  );
endmodule
