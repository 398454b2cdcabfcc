/// Plans a command: how its rows are distributed to the lanes, what fits the memories, how often operands are read.
///
/// It plans the next command while the core runs one; a plan takes a few hundred cycles. Memories are given no more
/// than a command has use for, so that the next one's operands fit next to it.
module planner
  import contract_pkg::*;
  import command_pkg::*;
  import core_pkg::*;
#(
    parameter build_t Build = BUILD_TINY  ///< the build
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        cmd_valid_i,
    output logic        cmd_ready_o,
    input  decoded_t    cmd_i,
    input  logic [31:0] mem_base_i,    ///< bus address of the region
    output logic        plan_valid_o,
    input  logic        plan_ready_i,
    output plan_t       plan_o,
    output span_t       a_span_o,      ///< what the command reads, and what it writes
    output span_t       b_span_o,
    output span_t       out_span_o,
    output span_t       sums_span_o,   ///< meaningful with ROW_SUMS
    output span_t       tally_span_o   ///< meaningful with STATS
);
  localparam int unsigned Taps        = Build.lanes / 16;
  localparam int unsigned Memories    = memories_of(Build.slice_groups); // lanes that a WGRAD's rows are dealt to
  localparam int unsigned RoundWords  = Build.lanes / 2;   // accumulator entries of a set of results
  localparam int unsigned SpanMax     = Build.lane_words / 240 < 48 ? Build.lane_words / 240 / 3 * 3 : 48;
  localparam int unsigned MostRing    = RowDepth - 1;
  localparam int unsigned MostChunk   = MostAhead / 2 - 1;
  localparam int unsigned ColumnWords = Build.column_words;

  typedef enum logic [5:0] {
    Idle, MapRows, Pitch, VirtualPitch, AllRows, Rows, LaneImages, LaneA, LaneB, LaneOut, ImageElement, LaneElement,
    LaneSums, ARow, BRow, OutRow, SpanThirds, TapsDiv, Slices, Entries, PassY, RowWords, RingRows,
    RingWords, StepWords, TryRow, TryRing, TryPairs, TrySets, TryEntries, TryGroups, Retry, Segment, SegmentWords,
    Grow, GrowGroups, ChunkEntries, GroupEntries, FirstChunk, RingTrim, ColumnSize, Done
  } state_e;

  state_e state_q, state_d;
  plan_t p_q;
  decoded_t d_q;
  command_t c;
  logic started_q, start, divide, done, fits;
  logic [31:0] x, y, result, rest, t_q;
  logic [31:0] area;
  logic [4:0] grow_q;                  // chunk rows tried
  logic [15:0] grow_third_q;           // triples of the tried chunk, whole ones
  logic [1:0] grow_mod_q;
  logic [15:0] grow_triples, triples_q;
  logic [11:0] span_triples;
  logic [15:0] set_words_q;            // accumulator entries of the sets of a pair of blocks
  logic [10:0] sets_q;                 // how many these are
  logic [7:0] spare_rows_q;            // of the ring, beyond twice a window's; signed
  logic rows_fit_q;                    // a chunk of the tried rows suits the ring

  // Row steps ahead of the array. A CONV asks for three batches, no more: what is not needed soon would keep results
  // from being stored. A WGRAD's chunks are limited by the column memories.
  logic [7:0] chunks_q;
  logic [4:0] ahead;
  always_ff @(posedge clk_i) chunks_q <= 8'(small_product(7'(p_q.chunk_rows), 4'(p_q.chunk_buffers)));
  assign ahead = c.wgrad ? (chunks_q < 8'(MostAhead) ? chunks_q[4:0] : 5'(MostAhead))
                         : p_q.batch < 5'd8 ? 5'(3 * p_q.batch[2:0]) : 5'(MostAhead);

  // Tallies of all blocks of a pass are kept until its end.
  logic [11:0] most_y;
  assign most_y = cmd_i.c.flags[FLAG_STATS] && cmd_i.c.y_blocks > 12'(TallySlots) ? 12'(TallySlots) : cmd_i.c.y_blocks;

  logic [2:0] grow_mod;
  logic [13:0] pieces;                 // of a row of results
  assign grow_mod     = 3'(grow_mod_q) + 3'(p_q.span_mod3);
  assign c            = d_q.c;
  assign cmd_ready_o  = state_q == Idle;
  assign plan_valid_o = state_q == Done;
  assign plan_o       = p_q;
  assign a_span_o     = '{first: c.a_addr, behind: d_q.a_end};
  assign b_span_o     = '{first: c.b_addr, behind: d_q.b_end};
  assign out_span_o   = '{first: c.out_addr, behind: d_q.out_end};
  assign sums_span_o  = '{first: c.sums_addr, behind: d_q.sums_end};
  assign tally_span_o = '{first: c.tally_addr, behind: d_q.tally_end};
  assign area         = c.wgrad ? 32'(d_q.taps) : 32'(d_q.pixels);
  assign pieces       = 32'(c.out_format) == FORMAT_PLANES ? 14'(c.y_width) : 14'(c.y_width) << c.out_format;
  assign grow_triples = grow_third_q + 16'(grow_mod_q != 2'd0);
  assign span_triples = p_q.span_div3 + 12'(p_q.span_mod3 != 2'd0);

  serial_math u_math (
      .clk_i,
      .rst_ni,
      .start_i (start),
      .divide_i(divide),
      .x_i     (x),
      .y_i     (y),
      .done_o  (done),
      .result_o(result),
      .rest_o  (rest)
  );

  // Operands of the one calculation that each state makes, and where to go then.
  always_comb begin
    divide  = 1'b0;
    x       = '0;
    y       = 32'd1;
    state_d = state_q;
    fits    = 1'b1;
    unique case (state_q)
      Idle:         state_d = MapRows;
      MapRows:      begin x = 32'(c.a_height); y = 32'(c.up_y); state_d = Pitch; end
      Pitch:        begin divide = 1'b1; x = t_q + 32'(c.stride_y) - 32'd1; y = 32'(c.stride_y);
          state_d = VirtualPitch; end
      VirtualPitch: begin x = 32'(p_q.pitch); y = 32'(c.stride_y); state_d = AllRows; end
      AllRows:      begin x = 32'(p_q.pitch); y = 32'(c.images); state_d = Rows; end
      Rows: begin
        divide  = 1'b1;
        y       = c.wgrad ? Memories : Build.lanes;
        x       = t_q + (c.wgrad ? Memories - 32'd1 : Build.lanes - 32'd1);
        state_d = LaneImages;
      end
      LaneImages:   begin divide = 1'b1; x = 32'(p_q.rows); y = 32'(p_q.pitch); state_d = LaneA; end
      LaneA:        begin x = 32'(p_q.lane_images); y = c.a_image_stride; state_d = LaneB; end
      LaneB:        begin x = 32'(p_q.lane_images); y = c.b_image_stride; state_d = LaneOut; end
      LaneOut:      begin x = 32'(p_q.lane_images); y = c.out_image_stride; state_d = ImageElement; end
      ImageElement: begin x = 32'(c.y_blocks); y = area; state_d = LaneElement; end
      LaneElement:  begin x = 32'(p_q.lane_images); y = p_q.image_element; state_d = LaneSums; end
      LaneSums:     begin x = 32'(p_q.lane_images); y = p_q.image_sums; state_d = ARow; end
      ARow:         begin x = 32'(c.a_bits); y = 32'(c.a_width); state_d = BRow; end
      BRow:         begin x = 32'(c.b_bits); y = 32'(c.y_width); state_d = OutRow; end
      OutRow:       begin x = 32'(c.out_bits); y = 32'(c.y_width); state_d = SpanThirds; end
      SpanThirds:   begin divide = 1'b1; x = 32'(p_q.span); y = 32'd3; state_d = c.wgrad ? TryRow : TapsDiv; end
      // CONV: as many output blocks as fit the column memories, whole rows in the lanes.
      TapsDiv:      begin divide = 1'b1; x = 32'(d_q.taps); y = Build.slice_groups; state_d = Slices; end
      Slices:       begin divide = 1'b1; x = 32'(d_q.groups) + Build.slice_groups - 32'd1; y = Build.slice_groups;
          state_d = Entries; end
      Entries:      begin x = 32'(p_q.slices); y = 32'(c.b_bits); state_d = PassY; end
      PassY:        begin divide = 1'b1; x = Build.column_words; y = 32'(p_q.group_entries); state_d = RowWords; end
      RowWords:     begin x = 32'(p_q.block_words); y = 32'(c.a_blocks); state_d = RingRows; end
      RingRows:     begin divide = 1'b1; x = Build.lane_words; y = 32'(p_q.row_words); state_d = StepWords; end
      StepWords:    begin x = 32'(p_q.step_rows); y = 32'(p_q.row_words);
          state_d = c.wgrad ? ChunkEntries : RingTrim; end
      RingTrim:     begin x = 32'(ahead); y = 32'(p_q.step_rows); state_d = RingWords; end
      RingWords:    begin x = 32'(p_q.ring_rows); y = 32'(p_q.row_words); state_d = ColumnSize; end
      ColumnSize: begin
        x = c.wgrad ? 32'(p_q.chunk_entries) : 32'(p_q.group_entries);
        y = c.wgrad ? 32'(p_q.chunk_buffers) : 32'(p_q.pass_y);
        state_d = Done;
      end
      // WGRAD: the largest pass of blocks that fits all memories with chunks of one row.
      TryRow:       begin x = 32'(p_q.block_words); y = 32'(p_q.pass_a); fits = result <= Build.lane_words;
          state_d = fits ? TryRing : Retry; end
      TryRing:      begin divide = 1'b1; x = Build.lane_words; y = t_q; fits = result >= 32'(c.kernel_h);
          state_d = fits ? TryPairs : Retry; end
      TryPairs:     begin x = 32'(p_q.pass_a); y = 32'(p_q.pass_y); fits = result <= 32'(AccDepth);
          state_d = fits ? TrySets : Retry; end
      TrySets:      begin x = t_q; y = 32'(set_words_q); fits = result <= 32'(AccDepth);
          state_d = fits ? TryEntries : Retry; end
      TryEntries:   begin x = 32'(span_triples); y = 32'(c.b_bits); state_d = TryGroups; end
      TryGroups:    begin x = t_q; y = 32'(p_q.pass_y); fits = result <= Build.column_words;
          state_d = fits ? Grow : Retry; end
      Retry:        state_d = p_q.pass_a == 12'd1 && p_q.pass_y == 12'd1 ? Segment : TryRow;
      Segment:      begin divide = 1'b1; x = 32'(c.y_width) + SpanMax - 32'd1; y = SpanMax; state_d = SegmentWords; end
      SegmentWords: begin x = 32'(p_q.row_width); y = 32'(c.a_bits); state_d = RingRows; end
      // Chunks of more rows while two of them fit, in threes where that is possible.
      Grow:         begin x = 32'(grow_triples); y = 32'(c.b_bits); state_d = GrowGroups; end
      GrowGroups: begin
        x = t_q;
        y = 32'(p_q.pass_y);
        fits = 2 * result <= Build.column_words && rows_fit_q;
        state_d = fits ? Grow : StepWords;
      end
      ChunkEntries: begin x = 32'(triples_q); y = 32'(c.b_bits); state_d = GroupEntries; end
      GroupEntries: begin x = 32'(p_q.group_entries); y = 32'(p_q.pass_y); state_d = FirstChunk; end
      FirstChunk:   begin divide = 1'b1; x = 32'(p_q.rows) - 32'd1; y = 32'(p_q.chunk_rows); state_d = RingTrim; end
      Done:         state_d = Idle;
      default:      state_d = Idle;
    endcase
  end

  /// Quotients and remainders of x / y at [y][x].
  typedef logic [15:0][63:0][9:0] quotients_t;
  function automatic quotients_t quotients();
    for (int unsigned by = 0; by < 16; by++) begin
      for (int unsigned of = 0; of < 64; of++) quotients[by][of] = by == 0 ? '0 : {6'(of / by), 4'(of % by)};
    end
  endfunction
  localparam quotients_t Quotients = quotients();
  logic [5:0] pad_sum_q, pad_columns_q, stride_columns_q;
  logic [3:0] pad_rest_q, stride_rest_q;
  always_ff @(posedge clk_i) begin
    pad_sum_q <= 6'(c.pad_left) + 6'(c.up_x) - 6'd1;
    {pad_columns_q, pad_rest_q}       <= Quotients[c.up_x][pad_sum_q];
    {stride_columns_q, stride_rest_q} <= Quotients[c.up_x][6'(c.stride_x)];
  end

  logic calculates, advance;
  assign calculates = !(state_q inside {Idle, Retry, Done});
  assign start      = calculates && !started_q;
  assign advance    = state_q == Idle ? cmd_valid_i : state_q == Done ? plan_ready_i : calculates ? done : 1'b1;

  always_ff @(posedge clk_i) begin
    rows_fit_q <= 12'(small_product({1'b0, grow_q, 1'b0} - 7'd1, p_q.step_rows)) + 12'(c.kernel_h) <= 12'(p_q.ring_rows)
        && grow_q <= 5'(MostChunk)
        && !(p_q.chunk_rows >= 5'd3 && triples_q >= 16'd8);  // small chunks: the first ones are soon there
    sets_q      <= small_product(7'(p_q.pass_ky), p_q.kx_groups);
    set_words_q <= 16'(32'(sets_q) * RoundWords);
    spare_rows_q <= 8'(p_q.ring_rows) - {3'd0, c.kernel_h, 1'b0};
    started_q   <= calculates && !(started_q && done);
    if (advance) state_q <= state_d;
    if (!rst_ni) begin
      state_q   <= Idle;
      started_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      t_q <= result;
      case (state_q)
        Idle: begin
          d_q                <= cmd_i;
          p_q                <= '0;
          p_q.c              <= cmd_i.c;
          p_q.c.a_addr       <= cmd_i.c.a_addr + mem_base_i;
          p_q.c.b_addr       <= cmd_i.c.b_addr + mem_base_i;
          p_q.c.out_addr     <= cmd_i.c.out_addr + mem_base_i;
          p_q.c.sums_addr    <= cmd_i.c.sums_addr + mem_base_i;
          p_q.c.tally_addr   <= cmd_i.c.tally_addr + mem_base_i;
          p_q.count          <= cmd_i.rows[20:0];
          p_q.taps           <= cmd_i.taps;
          p_q.b_tile         <= cmd_i.b_tile;
          p_q.row_width      <= cmd_i.c.a_width;
          p_q.span           <= cmd_i.c.y_width;
          p_q.spans          <= 12'd1;
          p_q.pass_a         <= cmd_i.c.a_blocks;
          p_q.pass_y         <= most_y;
          p_q.pass_ky        <= cmd_i.c.kernel_h;
          p_q.step_rows      <= cmd_i.c.stride_y < cmd_i.c.kernel_h ? cmd_i.c.stride_y : cmd_i.c.kernel_h;
          p_q.chunk_rows     <= 5'd1;
          p_q.batch          <= 5'd1;
          p_q.kx_groups      <= Taps == 1 ? cmd_i.c.kernel_w : 4'((32'(cmd_i.c.kernel_w) + Taps - 1) / Taps);
          p_q.by_three       <= cmd_i.c.kernel_w == 4'd3 && cmd_i.c.up_x == 4'd1;
          p_q.units          <= cmd_i.groups;
        end
        AllRows: p_q.segment_log <= c.wgrad || pieces <= 14'd8 ? 3'd3 : pieces <= 14'd16 ? 3'd4 : 3'd5;
        MapRows: if (p_q.by_three) p_q.units <= 20'(32'(c.a_blocks) * 32'(c.kernel_h));
        Pitch: p_q.pitch <= result[15:0] > 16'(c.y_height) ? result[15:0] : 16'(c.y_height);
        VirtualPitch: begin
          p_q.virtual_pitch  <= result[19:0];
          p_q.pad_columns    <= pad_columns_q;
          p_q.first_rest     <= c.up_x - 4'd1 - pad_rest_q;
          p_q.stride_columns <= stride_columns_q[3:0];
          p_q.stride_rest    <= stride_rest_q;
        end
        Rows: p_q.rows <= result[27:0];
        LaneImages: begin
          p_q.lane_images <= result[15:0];
          p_q.lane_rest   <= rest[15:0];
        end
        LaneA: p_q.lane_a <= result;
        LaneB: p_q.lane_b <= result;
        LaneOut: p_q.lane_out <= result;
        ImageElement: begin
          p_q.image_element <= {result[27:0], 4'd0};
          p_q.block_element <= {area[27:0], 4'd0};
          p_q.image_sums    <= {area[29:0], 2'd0};
        end
        LaneElement: p_q.lane_element <= result;
        LaneSums: p_q.lane_sums <= result;
        ARow: begin
          p_q.block_words <= result[15:0];
          p_q.a_row_bytes <= {result[16:0], 1'b0};
        end
        BRow: p_q.b_row_bytes <= {result[16:0], 1'b0};
        OutRow:
        unique case (32'(c.out_format))
          FORMAT_INT16: p_q.out_row_bytes <= 20'(32'(c.y_width) << 5);
          FORMAT_INT32: p_q.out_row_bytes <= 20'(32'(c.y_width) << 6);
          FORMAT_INT64: p_q.out_row_bytes <= 20'(32'(c.y_width) << 7);
          default:      p_q.out_row_bytes <= {result[18:0], 1'b0};
        endcase
        SpanThirds: begin
          p_q.span_div3 <= result[11:0];
          p_q.span_mod3 <= rest[1:0];
        end
        TapsDiv: begin
          p_q.taps_div <= result[7:0];
          p_q.taps_mod <= rest[5:0];
        end
        Slices: p_q.slices <= result[15:0];
        Entries: p_q.group_entries <= result[15:0];
        PassY: if (result < 32'(p_q.pass_y)) p_q.pass_y <= result[11:0];
        RowWords: p_q.row_words <= result[15:0];
        RingRows: p_q.ring_rows <= result > 32'(MostRing) ? 6'(MostRing) : result[5:0];
        RingTrim: begin
          p_q.most_ahead <= c.wgrad ? 5'(MostAhead) : ahead;
          if (!spare_rows_q[7] && result < 32'(spare_rows_q)) p_q.ring_rows <= result[5:0] + 6'(2 * c.kernel_h);
        end
        RingWords: p_q.ring_words <= result[16:0];
        ColumnSize: p_q.column_size <= result[15:0];
        StepWords: begin
          p_q.step_words <= result[16:0];
          // Requests of some 512 bytes, if twice that fits.
          if (p_q.a_row_bytes < 18'd96 && 6'd15 * 6'(p_q.step_rows) + 6'(c.kernel_h) <= p_q.ring_rows)
            p_q.batch <= 5'd8;
          else if (p_q.a_row_bytes < 18'd192 && 6'd7 * 6'(p_q.step_rows) + 6'(c.kernel_h) <= p_q.ring_rows)
            p_q.batch <= 5'd4;
          else if (p_q.a_row_bytes < 18'd384 && 6'd3 * 6'(p_q.step_rows) + 6'(c.kernel_h) <= p_q.ring_rows)
            p_q.batch <= 5'd2;
        end
        TryRow: if (fits) p_q.row_words <= result[15:0];
        TryRing: p_q.ring_rows <= result > 32'(MostRing) ? 6'(MostRing) : result[5:0];
        TryGroups: begin
          triples_q      <= 16'(span_triples);
          grow_q         <= 5'd2;
          grow_third_q   <= 16'(p_q.span_div3) * 16'd2 + 16'(p_q.span_mod3 == 2'd2);
          grow_mod_q     <= p_q.span_mod3 == 2'd2 ? 2'd1 : {p_q.span_mod3[0], 1'b0};
        end
        Retry: begin
          if (p_q.pass_a >= p_q.pass_y) p_q.pass_a <= (p_q.pass_a + 12'd1) >> 1;
          else p_q.pass_y <= (p_q.pass_y + 12'd1) >> 1;
        end
        Segment: begin
          p_q.segmented  <= 1'b1;
          p_q.pass_ky    <= 4'd1;
          p_q.step_rows  <= 4'd1;
          p_q.span       <= 12'(SpanMax);
          p_q.spans      <= result[11:0];
          p_q.span_div3  <= 12'(SpanMax / 3);
          p_q.span_mod3  <= 2'd0;
          p_q.row_width  <= 12'((32'(SpanMax) - 32'd1) * 32'(c.stride_x) + 32'(c.kernel_w));
          triples_q      <= 16'(SpanMax / 3);
        end
        SegmentWords: begin
          p_q.block_words <= result[15:0];
          p_q.row_words   <= result[15:0];
        end
        GrowGroups:
        if (fits) begin
          if (grow_q == 5'd3 || grow_q == 5'd6 || grow_q == 5'd9 || grow_q == 5'd12
              || p_q.span_mod3 == 2'd0 || p_q.chunk_rows < 5'd3) begin
            p_q.chunk_rows <= grow_q;
            triples_q      <= grow_triples;
          end
          grow_q       <= grow_q + 5'd1;
          grow_third_q <= grow_third_q + 16'(p_q.span_div3)
              + 16'(grow_mod >= 3'd3);
          grow_mod_q   <= 2'(grow_mod >= 3'd3 ? grow_mod - 3'd3 : grow_mod);
        end
        ChunkEntries: p_q.group_entries <= result[15:0];
        GroupEntries: begin
          p_q.chunk_entries <= result[15:0];
          // One chunk less than fits, if two are left, so that the next command's first fits next to this one's last.
          p_q.chunk_buffers <= result <= 32'(ColumnWords / 5) ? 3'd4 : result <= 32'(ColumnWords / 4) ? 3'd3
                               : result <= 32'(ColumnWords / 2) ? 3'd2 : 3'd1;
        end
        FirstChunk: begin
          // The last chunk is a whole one: its results are stored while it is computed.
          p_q.first_chunk <= rest[4:0] + 5'd1;
          p_q.batch       <= p_q.row_words <= 16'd64 ? 5'd8 : p_q.row_words <= 16'd128 ? 5'd4
                             : p_q.row_words <= 16'd256 ? 5'd2 : 5'd1;
        end
        default: ;
      endcase
    end
  end

  logic unused;
  assign unused = &{1'b0, d_q, c, rest[31:16], stride_columns_q};
endmodule
