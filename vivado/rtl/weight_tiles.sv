/// Codes of 16 channels, in the order of their tiles: [row] [bit] [column] words of 16 bits. Two sets of tiles: one is
/// filled while the other is stored.
///
/// Words come with all planes of one tap at once, and leave four after the other. They lie in four banks, by their
/// number in the tile: of a kernel with an odd width four planes go into different banks, a cycle; of another one
/// plane.
module weight_tiles (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic [ 4:0]       bits_i,      ///< of the command
    input  logic [ 3:0]       kernel_w_i,
    // The planes of a channel and tap.
    input  logic              valid_i,
    output logic              ready_o,
    input  logic              set_i,
    input  logic [ 3:0]       channel_i,
    input  logic [ 7:0]       place_i,     ///< number of the first plane's word in the tile
    input  logic [15:0][15:0] planes_i,
    // What is stored: data comes three cycles after its address.
    input  logic              read_set_i,
    input  logic [ 3:0]       read_channel_i,
    input  logic [ 5:0]       read_i,      ///< four words
    output logic [63:0]       data_o
);
  // Planes that are still to be written, the first lowest.
  logic odd;
  logic busy_q, set_q;
  logic [3:0] channel_q;
  logic [7:0] place_q;
  logic [4:0] left_q, few;
  logic [15:0][15:0] planes_q;
  assign odd     = kernel_w_i[0];
  assign few     = odd ? 5'd4 : 5'd1;
  assign ready_o = !busy_q || left_q <= few;
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      set_q     <= set_i;
      channel_q <= channel_i;
      place_q   <= place_i;
      left_q    <= bits_i;
      planes_q  <= planes_i;
    end else begin
      left_q   <= left_q - few;
      place_q  <= place_q + (odd ? {2'd0, kernel_w_i, 2'd0} : {4'd0, kernel_w_i});
      planes_q <= odd ? {64'd0, planes_q[15:4]} : {16'd0, planes_q[15:1]};
    end
    if (!rst_ni) busy_q <= 1'b0;
    else if (valid_i && ready_o) busy_q <= 1'b1;
    else if (left_q <= few) busy_q <= 1'b0;
  end

  // Up to four words with their places, then each at its bank.
  logic [3:0] write_q;
  logic [3:0][7:0] at_q;
  logic [3:0][15:0] word_q;
  logic [4:0] row_q;  // set and channel
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 4; i++) begin
      write_q[i] <= rst_ni && busy_q && 5'(i) < left_q && 5'(i) < few;
      at_q[i]    <= place_q + 8'(kernel_w_i) * 8'(i);
      word_q[i]  <= planes_q[i];
    end
    row_q <= {set_q, channel_q};
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
