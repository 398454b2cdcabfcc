/// Reads the strips' operands from their banks, pixel by pixel.
///
/// All planes of `Pixels` pixels of one operand are read in a cycle; operands follow one another, then the pixels leave
/// one a cycle. Between blocks it waits until the last pixel is through the arithmetic and the tally is written.
module map_fetch
  import map_pkg::*;
#(
    parameter  int unsigned Banks     = 16,
    localparam int unsigned BankBits  = $clog2(Banks),
    localparam int unsigned StripBits = $clog2(InStrips),
    localparam int unsigned AddrBits  = StripBits + 2 + 1 + 4,
    localparam int unsigned LaneBits  = BankBits + 1
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           start_i,       ///< a command begins
    input  map_t                           map_i,
    input  logic [2:0]                     used_i,        ///< operands
    input  logic [2:0][4:0]                bits_i,        ///< their widths
    input  logic [2:0]                     signed_i,
    input  logic [27:0]                    pixels_i,      ///< of a tile
    input  logic [27:0]                    all_pixels_i,  ///< of an image, all blocks
    input  logic                           block_i,       ///< a block's coefficients are there
    output logic                           between_o,     ///< no pixel is under way, the tally is written
    output logic                           drained_o,     ///< no pixel is under way, the tally is not written
    input  logic                           tallied_i,     ///< one cycle: it is
    input  logic                           filled_i,      ///< one cycle: a strip is complete
    input  strip_t                         strip_i,       ///< it
    output logic                           strip_pop_o,
    output logic                           free_o,        ///< one cycle: a strip's banks are free
    input  logic                           room_i,        ///< there are banks for a strip's results
    output logic                           take_room_o,   ///< one cycle: they are taken
    output logic [Banks-1:0][AddrBits-1:0] addr_o,
    output logic                           mask_part_o,   ///< part of the strip whose masks are read with it
    input  logic [Banks-1:0][15:0]         data_i,        ///< two cycles later
    input  logic [Banks-1:0][15:0]         masks_i,       ///< likewise
    output logic                           valid_o,       ///< a pixel
    output logic [LaneBits-1:0]            lane_o,
    output logic                           last_o,        ///< of its strip
    output logic [27:0]                    element_o,     ///< number of the pixel in the map, two cycles ahead
    output logic [15:0][16:0]              x0_o,
    output logic [15:0][16:0]              x1_o,
    output logic [15:0][16:0]              x2_o,
    output logic [15:0]                    mask_o
);
  localparam int unsigned Pixels    = Banks / 16;
  localparam int unsigned PixelBits = $clog2(Pixels);
  localparam logic [5:0]  Drain     = 6'd40;  // cycles from the last read to the tally

  // Which strip.
  typedef enum logic [2:0] { Between, Wait, Run, Drained, Sum } state_e;
  state_e state_q;
  logic [StripBits:0] filled_q;
  logic [StripBits-1:0] number_q;
  logic [5:0] drain_q;
  logic begins, ends;
  assign begins      = state_q == Wait && filled_q != '0 && room_i;
  assign take_room_o = begins;
  assign between_o   = state_q == Between;
  assign drained_o   = state_q == Sum;

  // Which pixels of it, and which operand of them.
  strip_t strip_q;
  logic [6:0] row_q, column_q;
  logic [1:0] turn_q, turns;
  logic last_turn, last_column;
  logic [LaneBits-1:0] lane;
  logic [3:0] pair;
  logic single;
  always_comb begin
    turns = 2'(used_i[0]) + 2'(used_i[1]) + 2'(used_i[2]);
    if (32'(turns) < Pixels) turns = 2'(Pixels);
  end
  // Operand of a turn: x0 first, then x1, or x2 if there is no x1.
  logic [1:0] operand;
  assign operand     = turn_q == 2'd1 && !used_i[1] ? 2'd2 : turn_q;
  assign last_turn   = turn_q == turns - 2'd1;
  assign last_column = column_q + 7'(Pixels) >= strip_q.words;
  assign ends        = state_q == Run && last_turn && last_column && row_q == strip_q.rows - 7'd1;
  assign lane        = LaneBits'((row_q << map_i.pitch) + column_q);
  assign single      = map_i.broadcast && operand == '0;
  assign pair        = single ? '0 : 4'(lane[BankBits-1:0] >> PixelBits);
  assign strip_pop_o = begins;

  always_ff @(posedge clk_i) begin
    filled_q <= filled_q + (StripBits + 1)'(filled_i) - (StripBits + 1)'(begins);
    free_o   <= ends;
    unique case (state_q)
      Between: if (block_i) state_q <= Wait;
      Wait: if (begins) begin
        strip_q  <= strip_i;
        row_q    <= '0;
        column_q <= '0;
        turn_q   <= '0;
        state_q  <= Run;
      end
      Run: begin
        turn_q <= last_turn ? '0 : turn_q + 2'd1;
        if (last_turn) begin
          column_q <= last_column ? '0 : column_q + 7'(Pixels);
          if (last_column) row_q <= row_q + 7'd1;
        end
        drain_q <= Drain;
        if (ends) begin
          number_q <= number_q + 1'b1;
          state_q  <= strip_q.block_end ? Drained : Wait;
        end
      end
      Drained: begin
        drain_q <= drain_q - 6'd1;
        if (drain_q == '0) state_q <= map_i.sums ? Sum : Between;
      end
      default: if (tallied_i) state_q <= Between;
    endcase
    if (!rst_ni) begin
      state_q  <= Between;
      filled_q <= '0;
      number_q <= '0;
      free_o   <= 1'b0;
    end
  end

  // Stage 0: addresses. Stages 1 and 2: banks.
  typedef struct packed {
    logic                valid;
    logic [1:0]          operand;
    logic                first;    // turn
    logic                last;
    logic [3:0]          pair;
    logic [2:0]          gather;
    logic                single;
    logic                odd;      // the second pixel exists
    logic                ends;     // the strip's last pixels
    logic                tile_end;
    logic                block_end;
    logic [LaneBits-1:0] lane;
  } tag_t;
  tag_t [4:0] tag_q;
  tag_t tag;
  assign tag = '{
      valid: state_q == Run, operand: operand, first: turn_q == '0, last: last_turn, pair: pair,
      gather: single ? '0 : map_i.gather, single: single,
      odd: column_q + 7'd1 < strip_q.words, ends: ends, tile_end: strip_q.tile_end,
      block_end: strip_q.block_end, lane: lane};
  always_ff @(posedge clk_i) begin
    tag_q <= {tag_q[3:0], tag};
    if (!rst_ni) for (int i = 0; i < 5; i++) tag_q[i].valid <= 1'b0;
    mask_part_o <= lane[BankBits];
    for (int b = 0; b < Banks; b++)
      addr_o[b] <= {number_q, operand, lane[BankBits] && !single, plane_at(4'(b / Pixels) - pair, tag.gather)};
  end

  // Stage 3: the first place first. Stage 4: planes in their order.
  logic [15:0][16*Pixels-1:0] turned, turned_q, ordered_q;
  logic [3:0][256*Pixels-1:0] orders;
  logic [256*Pixels-1:0] ordered;
  logic [16*Banks-1:0] masks;
  logic [16*Pixels-1:0] masks_q, ordered_masks_q;
  rotate #(.Bytes(2 * Banks), .UnitBytes(2 * Pixels)) u_turn (
      .data_i(data_i), .shift_i(tag_q[2].pair), .data_o(turned)
  );
  logic [3:0] mask_turn;
  assign mask_turn = 4'(tag_q[2].lane[BankBits-1:0] >> PixelBits);
  rotate #(.Bytes(2 * Banks), .UnitBytes(2 * Pixels)) u_mask (
      .data_i(masks_i), .shift_i(mask_turn), .data_o(masks)
  );
  for (genvar g = 0; g < 4; g++) begin : gen_order
    for (genvar b = 0; b < 16; b++) begin : gen_plane
      assign orders[g][16*Pixels*b+:16*Pixels] = turned_q[place_of(4'(b), 3'(g))];
    end
  end
  select_four #(.Width(256 * Pixels)) u_order (
      .data_i(orders), .select_i(tag_q[3].gather[1:0]), .data_o(ordered)
  );
  always_ff @(posedge clk_i) begin
    turned_q        <= turned;
    masks_q         <= masks[16*Pixels-1:0];
    ordered_q       <= ordered;
    ordered_masks_q <= masks_q;
  end

  // Stage 5: operands of the same pixels wait for the last one, each with the planes of its sign.
  tag_t now, held_tag_q, pixel_q;
  logic [4:0] top;  // number of the highest plane
  logic [16*Pixels-1:0] sign;
  logic [2:0][16:0][16*Pixels-1:0] held_q, pixels_q;
  logic [16*Pixels-1:0] held_mask_q, pixel_masks_q;
  assign now  = tag_q[4];
  assign top  = bits_i[now.operand] - 5'd1;
  assign sign = ordered_q[top[3:0]] & {16 * Pixels{signed_i[now.operand]}};
  always_ff @(posedge clk_i) begin
    for (int o = 0; o < 3; o++) begin
      if (!used_i[o]) held_q[o] <= '0;
      else if (now.valid && now.operand == 2'(o)) held_q[o] <= {sign, ordered_q};
    end
    if (now.valid && now.first) held_mask_q <= ordered_masks_q;
    held_tag_q       <= now;
    held_tag_q.valid <= now.valid && now.last && rst_ni;
  end

  // Then the pixels leave.
  logic leaves_q, second_q;  // pixels_q has pixels to give; the first is gone
  always_ff @(posedge clk_i) begin
    leaves_q <= (leaves_q && Pixels > 1 && !second_q && pixel_q.odd) || held_tag_q.valid;
    second_q <= leaves_q && !second_q && Pixels > 1 && !held_tag_q.valid;
    if (held_tag_q.valid) begin
      pixel_q       <= held_tag_q;
      pixel_masks_q <= held_mask_q;
      pixels_q      <= held_q;
    end
    if (!rst_ni) leaves_q <= 1'b0;
  end

  // One pixel, its planes as numbers, those above the highest its sign's; two cycles, as its noise takes two.
  logic [27:0] element_q, image_element_q, block_element_q;
  logic last_pixel, chosen_q, chosen_last_q;
  logic [LaneBits-1:0] chosen_lane_q;
  logic [2:0][15:0] exists_q;        // planes of the operands
  logic [2:0] upper;                 // the second pixel's
  logic [2:0][15:0] signs;
  logic [2:0][16:0][15:0] planes_q;  // of the pixel: operand, plane, channel
  logic [15:0] chosen_mask_q;
  for (genvar o = 0; o < 3; o++) begin : gen_operand
    assign upper[o] = Pixels > 1 && second_q && !(o == 0 && map_i.broadcast);
    assign signs[o] = upper[o] ? pixels_q[o][16][16*Pixels-1-:16] : pixels_q[o][16][15:0];
    always_ff @(posedge clk_i) begin
      exists_q[o] <= ~(16'hfffe << (bits_i[o] - 5'd1));
      for (int b = 0; b < 16; b++)
        planes_q[o][b] <= !exists_q[o][b] ? signs[o]
            : upper[o] ? pixels_q[o][b][16*Pixels-1-:16] : pixels_q[o][b][15:0];
      planes_q[o][16] <= signs[o];
    end
  end
  assign last_pixel = second_q || !pixel_q.odd || Pixels == 1;
  assign element_o  = element_q;
  always_ff @(posedge clk_i) begin
    chosen_q      <= leaves_q;
    chosen_last_q <= pixel_q.ends && last_pixel;
    chosen_lane_q <= pixel_q.lane + LaneBits'(second_q);
    chosen_mask_q <= second_q ? pixel_masks_q[16*Pixels-1-:16] : pixel_masks_q[15:0];
    if (leaves_q) begin
      element_q <= element_q + 28'd1;
      if (pixel_q.ends && last_pixel && pixel_q.block_end) begin
        block_element_q <= block_element_q + pixels_i;
        image_element_q <= block_element_q + pixels_i;
        element_q       <= block_element_q + pixels_i;
      end else if (pixel_q.ends && last_pixel && pixel_q.tile_end) begin
        image_element_q <= image_element_q + all_pixels_i;
        element_q       <= image_element_q + all_pixels_i;
      end
    end
    if (start_i) {element_q, image_element_q, block_element_q} <= '0;
    valid_o <= chosen_q;
    last_o  <= chosen_last_q;
    lane_o  <= chosen_lane_q;
    mask_o  <= chosen_mask_q;
    if (!rst_ni) {chosen_q, valid_o} <= '0;
  end

  logic [2:0][15:0][16:0] numbers_q;
  always_ff @(posedge clk_i) begin
    for (int o = 0; o < 3; o++)
      for (int ch = 0; ch < 16; ch++) for (int b = 0; b < 17; b++) numbers_q[o][ch][b] <= planes_q[o][b][ch];
  end
  assign {x2_o, x1_o, x0_o} = numbers_q;

  logic unused;
  assign unused = &{1'b0, map_i, tag_q, pixel_q, masks, top};
endmodule
