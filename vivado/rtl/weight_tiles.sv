/// Codes of 16 channels, in the order of their tiles: [row] [bit] [column] words of 16 bits. Two sets of tiles: one is
/// filled while the other is stored.
///
/// Words come with all planes of one tap and of one or more channels at once, and leave four after the other. They lie
/// in four banks, by their number in the tile: of a kernel with an odd width four planes go into different banks, a
/// cycle; of another one plane.
module weight_tiles #(
    parameter int unsigned Channels = 1  ///< that come at once, a power of two
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic [ 4:0]       bits_i,      ///< of the command
    input  logic [ 3:0]       kernel_w_i,
    // The planes of some channels and a tap.
    input  logic              valid_i,
    output logic              ready_o,
    input  logic              set_i,
    input  logic [ 3:0]       channel_i,   ///< the first
    input  logic [ 7:0]       place_i,     ///< number of the first plane's word in the tile
    input  logic [Channels-1:0][15:0][15:0] planes_i,
    // What is stored: data comes three cycles after its address.
    input  logic              read_set_i,
    input  logic [ 3:0]       read_channel_i,
    input  logic [ 5:0]       read_i,      ///< four words
    output logic [63:0]       data_o
);
  // Planes that are being written: four at a time, or each of the four in a cycle of its own.
  localparam int unsigned LaneBits = Channels == 1 ? 1 : $clog2(Channels);
  logic odd, four_done, planes_done, last_lane;
  logic busy_q, set_q;
  logic [3:0] channel_q;
  logic [7:0] place_q, begin_q;   // of the first of the four, and of the channel's
  logic [4:0] left_q, few;
  logic [1:0] four_q, one_q;
  logic [LaneBits-1:0] lane_q;
  logic [4*Channels-1:0][3:0][15:0] planes_q;
  assign odd       = kernel_w_i[0];
  assign few       = odd ? 5'd4 : 5'd1;
  assign four_done = odd || one_q == '1;
  assign planes_done = left_q <= few;
  assign last_lane   = 32'(lane_q) == Channels - 1;
  assign ready_o     = !busy_q || (planes_done && last_lane);
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      set_q     <= set_i;
      channel_q <= channel_i;
      place_q   <= place_i;
      begin_q   <= place_i;
      left_q    <= bits_i;
      planes_q  <= planes_i;
      lane_q    <= '0;
      four_q    <= '0;
      one_q     <= '0;
    end else begin
      left_q <= left_q - few;
      one_q  <= one_q + 2'd1;
      if (four_done) begin
        four_q  <= four_q + 2'd1;
        place_q <= place_q + {2'd0, kernel_w_i, 2'd0};
      end
      if (planes_done) begin
        lane_q    <= lane_q + 1'b1;
        channel_q <= channel_q + 4'd1;
        place_q   <= begin_q;
        left_q    <= bits_i;
        four_q    <= '0;
        one_q     <= '0;
      end
    end
    if (!rst_ni) busy_q <= 1'b0;
    else if (valid_i && ready_o) busy_q <= 1'b1;
    else if (ready_o) busy_q <= 1'b0;
  end

  // Up to four words with their places, then each at its bank.
  logic [3:0] write_q;
  logic [3:0][7:0] at_q;
  logic [3:0][15:0] word_q;
  logic [4:0] row_q;  // set and channel
  logic [3:0][15:0] four;
  if (Channels == 1) begin : gen_channel
    assign four = planes_q[four_q];
  end else begin : gen_channels
    assign four = planes_q[{lane_q, four_q}];
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 4; i++) begin
      write_q[i] <= rst_ni && busy_q && (odd ? 5'(i) < left_q : 2'(i) == one_q);
      at_q[i]    <= place_q + 8'(kernel_w_i) * 8'(i);
    end
    word_q <= four;
    row_q  <= {set_q, channel_q};
  end
  for (genvar bank = 0; bank < 4; bank++) begin : gen_bank
    logic [15:0] words_q[2048], put_q, read_q, out_q, put;
    logic [10:0] put_at_q;
    logic [5:0] put_at;
    logic put_valid_q, put_valid;
    logic [10:0] read_at_q;
    always_comb begin
      {put_valid, put_at, put} = '0;
      for (int unsigned i = 0; i < 4; i++) begin
        if (write_q[i] && at_q[i][1:0] == 2'(bank)) begin
          put_valid = 1'b1;
          put_at   |= at_q[i][7:2];
          put      |= word_q[i];
        end
      end
    end
    always_ff @(posedge clk_i) begin
      put_valid_q <= put_valid;
      put_at_q    <= {row_q, put_at};
      put_q       <= put;
      if (put_valid_q) words_q[put_at_q] <= put_q;
      read_at_q <= {read_set_i, read_channel_i, read_i};
      read_q    <= words_q[read_at_q];
      out_q     <= read_q;
    end
    assign data_o[16*bank+:16] = out_q;
  end
endmodule
