/// Judges a command by the contract's checks, in their order, and computes sizes and ends: about 75 cycles.
///
/// One multiplier of 24 by 16 bits does every product, one of 8 by 16 bits the rest of those with a stride; a step is
/// three cycles (operands, product, judgement). A verdict ends the check a cycle later; that of an overlap, the last one,
/// is known before its step.
module command_check
  import contract_pkg::*;
  import command_pkg::*;
#(
    parameter build_t Build      = BUILD_TINY,  ///< the build, for CAPACITY
    parameter bit     VectorUnit = 1'b0         ///< there is one: HALF and STATS are allowed
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,       ///< abort
    input  logic        start_i,       ///< judge words_i, which are there already and must stay until done_o
    input  words_t      words_i,
    input  logic        reserved_i,    ///< a bit of a word that holds no field is set
    input  logic [31:0] mem_bytes_i,   ///< size of the region
    input  logic [31:0] list_begin_i,  ///< where the list lies in it
    input  logic [31:0] list_end_i,
    output logic        done_o,        ///< one cycle: error_o and decoded_o are valid from now on
    output logic [ 7:0] error_o,       ///< the first check that fails, or OK
    output decoded_t    decoded_o
);
  typedef enum logic [4:0] {
    Idle, Fields,
    RoomY, FitY, RoomX, FitX,                          // SHAPE
    Taps, Groups, Pixels, Rows,                        // UNSUPPORTED, OVERFLOW
    RowWords, LaneWords,                               // CAPACITY
    MapA, TileA, TileB, TileOut,                       // ALIGNMENT
    BlocksOut, ImagesOut,                              // STRIDE
    BlocksA, ImagesA, BlocksB, ImagesB, Range,         // RANGE
    Overlap
  } state_e;

  state_e     state_q;
  logic [1:0] phase_q;
  logic [3:0] pair_q;
  command_t   c;
  assign c = decode(words_i);

  logic is_planes, is_int16, is_int32, has_sums, half, stats, flags_fit;
  assign is_planes = c.out_format == 2'(FORMAT_PLANES);
  assign is_int16  = c.out_format == 2'(FORMAT_INT16);
  assign is_int32  = c.out_format == 2'(FORMAT_INT32);
  assign has_sums  = c.flags[FLAG_ROW_SUMS[2:0]];
  assign half      = c.flags[FLAG_HALF[2:0]];
  assign stats     = c.flags[FLAG_STATS[2:0]];
  assign flags_fit = !(half || stats) || (VectorUnit && !c.wgrad && !(half && !c.flags[FLAG_B_SIGNED[2:0]])
                                          && !(stats && !is_int16 && !is_planes));

  // What earlier steps have left. Ends have the bits they may need before RANGE has passed.
  logic [ 7:0] taps_q;
  logic [19:0] groups_q;
  logic [23:0] pixels_q;
  logic [39:0] rows_q;
  logic [31:0] a_tile_q, b_tile_q, out_tile_q;
  logic [49:0] a_end_q, b_end_q, out_end_q, sums_end_q, tally_end_q;
  logic [17:0] room_q;
  logic [27:0] map_q;   // also kernel_h * a_width
  logic [ 7:0] field_error;

  field_check u_fields (.clk_i, .words_i, .reserved_i, .error_o(field_error));

  // The product of the step.
  logic [31:0] x_q;
  logic [15:0] y_q;
  logic [39:0] product_q;     // of the lower 24 bits, and
  logic [23:0] upper_q;       // of the others, which strides alone have
  logic [ 7:0] out_unit;      // bytes of a pixel's 16 results, or of one of its bit planes times them
  logic [15:0] b_images, out_images;

  assign out_unit   = is_planes ? {2'd0, c.out_bits, 1'b0}
                                : 8'd32 << (is_int16 ? 2'd0 : is_int32 ? 2'd1 : 2'd2);
  assign b_images   = c.wgrad ? c.images : {c.y_blocks, 4'd0};
  assign out_images = c.wgrad ? {c.a_blocks, 4'd0} : c.images;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      RoomY:     {x_q, y_q} <= {32'(c.a_height) - 32'd1, 16'(c.up_y)};
      FitY:      {x_q, y_q} <= {32'(c.y_height) - 32'd1, 16'(c.stride_y)};
      RoomX:     {x_q, y_q} <= {32'(c.a_width) - 32'd1, 16'(c.up_x)};
      FitX:      {x_q, y_q} <= {32'(c.y_width) - 32'd1, 16'(c.stride_x)};
      Taps:      {x_q, y_q} <= {32'(c.kernel_w), 16'(c.kernel_h)};
      Groups:    {x_q, y_q} <= {32'(taps_q), 16'(c.a_blocks)};
      Pixels:    {x_q, y_q} <= {32'(c.y_width), 16'(c.y_height)};
      Rows:      {x_q, y_q} <= {32'(pixels_q), c.images};
      RowWords:  {x_q, y_q} <= {32'(c.a_width), 16'(c.kernel_h)};
      LaneWords: {x_q, y_q} <= {32'(map_q), 16'(c.a_blocks)};
      MapA:      {x_q, y_q} <= {32'(c.a_width), 16'(c.a_height)};
      TileA:     {x_q, y_q} <= {32'(map_q), 16'({c.a_bits, 1'b0})};
      TileB:     {x_q, y_q} <= {c.wgrad ? 32'(pixels_q) : 32'(taps_q), 16'({c.b_bits, 1'b0})};
      TileOut:   {x_q, y_q} <= {c.wgrad ? 32'(taps_q) : 32'(pixels_q), 16'(out_unit)};
      BlocksOut: {x_q, y_q} <= {c.out_block_stride, 16'(c.y_blocks) - 16'd1};
      ImagesOut: {x_q, y_q} <= {c.out_image_stride, out_images - 16'd1};
      BlocksA:   {x_q, y_q} <= {c.a_block_stride, 16'(c.a_blocks) - 16'd1};
      ImagesA:   {x_q, y_q} <= {c.a_image_stride, c.images - 16'd1};
      BlocksB:   {x_q, y_q} <= {c.b_block_stride, 16'(c.wgrad ? c.y_blocks : c.a_blocks) - 16'd1};
      default:   {x_q, y_q} <= {c.b_image_stride, b_images - 16'd1};
    endcase
    product_q <= 40'(x_q[23:0]) * 40'(y_q);
    upper_q   <= 24'(x_q[31:24]) * 24'(y_q);
  end

  // OVERFLOW: K <= 2^n exactly when K - 1 has at most n bits.
  // Registered in the first two cycles of the step that judges it, for the clock's sake.
  logic [39:0] k_less_1_q;
  logic [ 5:0] k_bits, k_bits_q, result_bits;
  logic        overflows;
  assign result_bits = is_int32 ? 6'd31 : 6'(ACCUMULATOR_BITS - 32'd1);
  always_comb begin
    k_bits = '0;
    for (int unsigned i = 0; i < 40; i++) if (k_less_1_q[i]) k_bits = 6'(i + 1);
  end
  always_ff @(posedge clk_i) begin
    k_less_1_q <= (c.wgrad ? rows_q : 40'({groups_q, 4'd0})) - 40'd1;
    k_bits_q   <= k_bits;
  end
  assign overflows = 8'(k_bits_q) + 8'(c.a_bits) + 8'(c.b_bits) > 8'(result_bits)
                     || ((has_sums || half) && 8'(k_bits_q) + 8'(c.a_bits) > 8'd31)
                     || (stats && rows_q > 40'(MAX_COUNT));

  // CAPACITY: the needs are products with a width of 1..16 bits, so each width has its own constant bound.
  function automatic logic [31:0] bound(logic [31:0] most, logic [4:0] bits, logic [31:0] unit);
    bound = '0;
    for (int unsigned i = 1; i <= 16; i++) if (bits == 5'(i)) bound = most / 32'(i) * unit;
  endfunction
  logic exceeds_q;

  // ALIGNMENT: what no address or stride of a tensor may have set.
  logic [5:0] out_low;
  logic       operand_odd, misaligned;
  assign operand_odd = c.a_addr[0] || c.a_image_stride[0] || c.a_block_stride[0]
                       || c.b_addr[0] || c.b_image_stride[0] || c.b_block_stride[0];
  assign out_low     = 6'(c.out_addr | c.out_image_stride | c.out_block_stride);
  assign misaligned  = operand_odd || out_low[0]
                       || (!is_planes && out_low[4:1] != '0)
                       || (!is_planes && !is_int16 && out_low[5])
                       || (has_sums && c.sums_addr[1:0] != '0)
                       || (stats && c.tally_addr[5:0] != '0);

  /// Three numbers are added as two.
  function automatic logic [49:0] with_product(logic [49:0] x);
    logic [49:0] lower, upper;
    lower = 50'(product_q);
    upper = {2'd0, upper_q, 24'd0};
    return (x ^ lower ^ upper) + {(x[48:0] & lower[48:0]) | ((x[48:0] | lower[48:0]) & upper[48:0]), 1'b0};
  endfunction

  // STRIDE and the ends. The blocks of an image come first, then the images.
  logic [49:0] blocks_q;
  always_ff @(posedge clk_i) begin
    sums_end_q  <= 50'(c.sums_addr) + (c.wgrad ? 50'({groups_q, 6'd0}) : 50'({rows_q, 2'd0}));
    tally_end_q <= 50'(c.tally_addr) + 50'({c.y_blocks, 9'd0}) + 50'd64;
  end

  function automatic logic beyond(logic [49:0] place, logic [31:0] size);
    return place[49:32] != '0 || place[31:0] > size;
  endfunction

  // OVERLAP: seven pairs of spans, one a cycle, and five more of a tally. Stage 0, two cycles before a pair is judged:
  // its spans. Stage 1: whether they overlap.
  logic [31:0] mine_begin_q, mine_end_q, other_begin_q, other_end_q;
  logic        overlap_q, counts_q;    // the pair has what it compares
  logic [ 3:0] pair;
  assign pair = state_q == Overlap ? pair_q + 4'd2 : state_q == Range ? 4'd1 : 4'd0;
  always_ff @(posedge clk_i) begin
    if (pair < 4'd4) {mine_begin_q, mine_end_q} <= {c.out_addr, out_end_q[31:0]};
    else if (pair < 4'd7) {mine_begin_q, mine_end_q} <= {c.sums_addr, sums_end_q[31:0]};
    else {mine_begin_q, mine_end_q} <= {c.tally_addr, tally_end_q[31:0]};
    counts_q <= pair inside {4'd0, 4'd1, 4'd2, [4'd7:4'd10]} || has_sums;
    unique case (pair)
      4'd0, 4'd4, 4'd7: {other_begin_q, other_end_q} <= {c.a_addr, a_end_q[31:0]};
      4'd1, 4'd5, 4'd8: {other_begin_q, other_end_q} <= {c.b_addr, b_end_q[31:0]};
      4'd2, 4'd6, 4'd9: {other_begin_q, other_end_q} <= {list_begin_i, list_end_i};
      4'd10:            {other_begin_q, other_end_q} <= {c.out_addr, out_end_q[31:0]};
      default:          {other_begin_q, other_end_q} <= {c.sums_addr, sums_end_q[31:0]};
    endcase
    overlap_q <= mine_begin_q < other_end_q && other_begin_q < mine_end_q && counts_q;
  end

  // The judgement of a step, in its third cycle.
  logic [17:0] room, room_less_q;
  logic [ 7:0] verdict;
  assign room = product_q[17:0] + room_less_q;
  always_ff @(posedge clk_i) begin
    room_less_q <= 18'd1 + (state_q == RoomY ? 18'(c.pad_top) + 18'(c.pad_bottom) - 18'(c.kernel_h)
                                             : 18'(c.pad_left) + 18'(c.pad_right) - 18'(c.kernel_w));
  end
  always_comb begin
    verdict = 8'(ERROR_OK);
    unique case (state_q)
      Fields: verdict = field_error;
      RoomY, RoomX: if (room[17]) verdict = 8'(ERROR_SHAPE);
      FitY, FitX:
      if (product_q[17:0] > room_q
          || room_q - product_q[17:0] >= 18'(state_q == FitY ? c.stride_y : c.stride_x)) begin
        verdict = 8'(ERROR_SHAPE);
      end
      Taps:
      if (!flags_fit || (c.wgrad && (c.up_y != 4'd1 || c.up_x != 4'd1 || is_planes))) begin
        verdict = 8'(ERROR_UNSUPPORTED);
      end
      RowWords: if (overflows) verdict = 8'(ERROR_OVERFLOW);
      MapA: if (exceeds_q && !c.wgrad) verdict = 8'(ERROR_CAPACITY);
      TileA: if (misaligned) verdict = 8'(ERROR_ALIGNMENT);
      BlocksOut: if (c.y_blocks > 12'd1 && c.out_block_stride < out_tile_q) verdict = 8'(ERROR_STRIDE);
      ImagesOut:
      if (out_images > 16'd1 && 50'(c.out_image_stride) < blocks_q) verdict = 8'(ERROR_STRIDE);
      Range:
      if (beyond(a_end_q, mem_bytes_i) || beyond(b_end_q, mem_bytes_i) || beyond(out_end_q, mem_bytes_i)
          || (has_sums && beyond(sums_end_q, mem_bytes_i)) || (stats && beyond(tally_end_q, mem_bytes_i))) begin
        verdict = 8'(ERROR_RANGE);
      end
      default: ;
    endcase
  end

  // Blocks and images of a tensor add up in steps: the first is kept in blocks_q, the second makes the end.
  logic [49:0] tile, begin_of;
  always_comb begin
    unique case (state_q)
      BlocksOut: tile = 50'(out_tile_q);
      BlocksA:   tile = 50'(a_tile_q);
      default:   tile = 50'(b_tile_q);
    endcase
    unique case (state_q)
      ImagesOut: begin_of = 50'(c.out_addr);
      ImagesA:   begin_of = 50'(c.a_addr);
      default:   begin_of = 50'(c.b_addr);
    endcase
  end

  logic        judged;
  logic [ 7:0] verdict_q;  // of the step before
  logic        refused_q;
  logic [49:0] first_image_q, end_of;   // where the first image ends
  assign judged = state_q == Fields || state_q == Range || state_q == Overlap || phase_q == 2'd2;
  assign end_of = with_product(first_image_q);
  always_ff @(posedge clk_i) first_image_q <= begin_of + blocks_q;

  always_ff @(posedge clk_i) begin
    done_o    <= 1'b0;
    refused_q <= state_q != Idle && judged && verdict != 8'(ERROR_OK) && !refused_q;
    verdict_q <= verdict;
    if (state_q != Idle) phase_q <= judged ? 2'd0 : phase_q + 2'd1;
    if (state_q == Idle) begin
      pair_q <= '0;
      if (start_i) state_q <= Fields;
    end else if (refused_q) begin
      state_q <= Idle;
      phase_q <= '0;
      error_o <= verdict_q;
      done_o  <= 1'b1;
    end else if (judged) begin
      if (state_q == Overlap && overlap_q) begin
        state_q <= Idle;
        error_o <= 8'(ERROR_OVERLAP);
        done_o  <= 1'b1;
      end else if (state_q != Overlap) begin
        state_q <= state_e'(state_q + 5'd1);
      end else if (pair_q == (stats ? 4'd11 : 4'd6)) begin
        state_q <= Idle;
        error_o <= 8'(ERROR_OK);
        done_o  <= 1'b1;
      end
      if (state_q == Overlap) pair_q <= pair_q + 4'd1;
      unique case (state_q)
        RoomY, RoomX: room_q <= room;
        Taps:         taps_q <= product_q[7:0];
        Groups:       groups_q <= product_q[19:0];
        Pixels:       pixels_q <= product_q[23:0];
        Rows:         rows_q <= product_q[39:0];
        RowWords: begin
          map_q     <= product_q[27:0];
          exceeds_q <= 32'(groups_q) > bound(Build.column_words, c.b_bits, Build.slice_groups)
              || (is_planes && 32'(c.y_width) > bound(Build.row_words, c.out_bits, 32'd1));
        end
        LaneWords:
        if (32'(product_q[27:0]) > bound(Build.lane_words, c.a_bits, 32'd1)) exceeds_q <= 1'b1;
        MapA:    map_q <= product_q[27:0];
        TileA:   a_tile_q <= product_q[31:0];
        TileB:   b_tile_q <= product_q[31:0];
        TileOut: out_tile_q <= product_q[31:0];
        BlocksOut, BlocksA, BlocksB: blocks_q <= with_product(tile);
        ImagesOut: out_end_q <= end_of;
        ImagesA:   a_end_q <= end_of;
        ImagesB:   b_end_q <= end_of;
        default: ;
      endcase
    end
    if (!rst_ni || clear_i) begin
      state_q   <= Idle;
      phase_q   <= '0;
      refused_q <= 1'b0;
      done_o    <= 1'b0;
    end
  end

  assign decoded_o = '{
      c: c,
      taps: taps_q,
      groups: groups_q,
      pixels: pixels_q,
      rows: rows_q,
      a_tile: a_tile_q,
      b_tile: b_tile_q,
      out_tile: out_tile_q,
      a_end: a_end_q[31:0],
      b_end: b_end_q[31:0],
      out_end: out_end_q[31:0],
      sums_end: sums_end_q[31:0],
      tally_end: tally_end_q[31:0]
  };

  if (!legal(Build)) begin : gen_bad_build
    $error("command_check: Build is not a legal build (contract, section 14)");
  end
endmodule
