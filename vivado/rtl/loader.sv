/// Requests what the array needs of a command, pass by pass: the weights (CONV, weight_walker), then in batches of row
/// steps, lane by lane (lane_dealer), the new rows of A and (WGRAD) of the error (row_walker); rows that follow each
/// other in memory are read together (row_joiner). A batch begins when there is room for it (load_credits).
module loader
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter  build_t      Build    = BUILD_TINY,
    localparam int unsigned LaneBits = $clog2(memories_of(Build.slice_groups))
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,       ///< begin with plan_i
    input  plan_t               plan_i,        ///< stable until done_o
    output logic                done_o,        ///< everything of the plan was asked for, and is in the memories
    output logic [ RowBits-1:0] step_o,        ///< number of the next row step; goes on from plan to plan
    output logic [        15:0] column_end_o,  ///< where the entries end that the array still needs,
    output logic                last_chunk_o,  ///< of the last chunk alone in a WGRAD
    input  logic                step_loaded_i, ///< a row step is in the memories
    input  logic                step_done_i,   ///< the array is done with a row step, and with a chunk
    input  logic                chunk_done_i,
    input  logic                array_idle_i,
    output logic                rows_valid_o,
    input  logic                rows_ready_i,
    output rows_t               rows_o,
    output logic                mask_valid_o,  ///< which kernel rows of a lane's row are inside the map
    output logic [LaneBits-1:0] mask_lane_o,
    output logic [ RowBits-1:0] mask_row_o,
    output logic [        14:0] mask_o,
    output logic                row_valid_o,   ///< CONV: where a lane's row goes
    input  logic                row_ready_i,
    output logic                row_live_o,
    output logic [        31:0] row_address_o,
    output logic [        31:0] row_element_o,
    output logic [        31:0] row_sums_o
);
  localparam int unsigned G = Build.slice_groups;
  localparam int unsigned L = Build.lanes;
  localparam int unsigned M = memories_of(Build.slice_groups);  // lanes of a WGRAD

  typedef enum logic [3:0] {
    Idle, PassWait, Deal, Weights, BatchWait, LaneBegin, Rows, FlushMap, FlushError, Marks, PassEnd
  } state_e;

  state_e state_q;
  plan_t p;
  assign p = plan_i;

  logic first_pass_q, pass_last, next_pass, moves;
  logic [11:0] a_first, a_count, y_first, y_count;
  logic [3:0] ky_first;
  logic [1:0] unused_ends;
  pass_counter u_pass (
      .clk_i,
      .start_i   (start_i),
      .next_i    (next_pass),
      .plan_i,
      .a_first_o (a_first),
      .a_count_o (a_count),
      .y_first_o (y_first),
      .y_count_o (y_count),
      .ky_first_o(ky_first),
      .y_ends_o  (unused_ends[0]),
      .a_ends_o  (unused_ends[1]),
      .last_o    (pass_last)
  );

  // A WGRAD loads the next pass while the array still works on this one: the rings go on.
  logic room, none_ahead, none_earlier, none_coming, last_chunk, new_chunk_q;
  logic [4:0] batch_q, ramp_q, most, most_q, next_batch_q, chunk_left_q, mark_q;
  assign next_pass = state_q == PassEnd && !pass_last && none_earlier;
  load_credits u_credits (
      .clk_i,
      .rst_ni,
      .wgrad_i        (p.c.wgrad),
      .step_rows_i    (p.step_rows),
      .pass_ky_i      (p.pass_ky),
      .ring_rows_i    (p.ring_rows),
      .most_ahead_i   (p.most_ahead),
      .chunk_buffers_i(p.chunk_buffers),
      .column_free_i  (p.column_free),
      .command_i      (state_q == Idle && start_i),
      .pass_i         (next_pass),
      .asked_i        (state_q == Marks && moves),
      .begins_chunk_i (new_chunk_q),
      .step_loaded_i,
      .step_done_i,
      .chunk_done_i,
      .batch_i        (next_batch_q),
      .room_o         (room),
      .none_ahead_o   (none_ahead),
      .none_earlier_o (none_earlier),
      .none_coming_o  (none_coming),
      .last_chunk_o   (last_chunk)
  );

  // Batches of row steps; a row step is a row of every lane, or a span of its columns. All that the next batch depends
  // on is known when the batch before begins, so that there is time.
  logic [27:0] rows_left_q;
  logic [11:0] span_q;
  logic [RowBits-1:0] step_q;          // row step modulo RowDepth
  logic first_step_q, row_ends, mark_last, chunk_ends_q;
  logic [1:0] chunk_buffer_q;          // of the column memories, and
  logic [15:0] chunk_begin_q;          // its first entry
  logic [15:0] column_end_q;
  logic [16:0] ring_q, ring_next_q, ring_step;  // place of the batch's first new row, of the next new row
  logic signed [17:0] column_q;        // first column of the span in A
  logic [11:0] error_column_q;         // and in the error
  assign most = p.c.wgrad ? chunk_left_q : ramp_q;
  always_ff @(posedge clk_i) begin
    most_q       <= most < p.batch ? most : p.batch;
    next_batch_q <= 28'(most_q) > rows_left_q ? rows_left_q[4:0] : most_q;
  end
  assign row_ends  = span_q + 12'd1 == p.spans;
  assign mark_last = mark_q + 5'd1 == batch_q;
  assign ring_step = ring_next_q + 17'(p.row_words) >= p.ring_end ? ring_next_q + 17'(p.row_words) - p.ring_words
                                                                    : ring_next_q + 17'(p.row_words);

  // Lanes: where each is, and the rows of one of them.
  logic [LaneBits-1:0] lane_q;
  logic lane_last, walk_step, a_valid, error_due, error_valid, row_end, row_taken, walk_last, live, run_empty_q;
  logic [31:0] a_base;
  logic [11:0] a_row;
  logic [1:0] a_image;
  logic [4:0] walk_row;
  lane_place_t place, lane, moved;
  assign lane_last = lane_q == (p.c.wgrad ? LaneBits'(M - 1) : LaneBits'(L - 1));
  assign row_taken = row_ready_i || p.c.wgrad;
  lane_dealer #(.Lanes(M)) u_dealer (
      .clk_i,
      .plan_i,
      .ky_first_i(ky_first),
      .begin_i   (state_q == PassWait),
      .deal_i    (state_q == Deal),
      .lane_i    (lane_q),
      .place_o   (place),
      .write_i   (row_end && row_taken && walk_last),
      .place_i   (moved)
  );
  row_walker u_walker (
      .clk_i,
      .rst_ni,
      .plan_i,
      .begin_i      (state_q == LaneBegin),
      .place_i      (place),
      .batch_i      (batch_q),
      .whole_i      (first_step_q),
      .row_moves_i  (row_ends),
      .ready_i      (moves),
      .step_o       (walk_step),
      .a_valid_o    (a_valid),
      .a_base_o     (a_base),
      .a_row_o      (a_row),
      .a_image_o    (a_image),
      .error_o      (error_due),
      .error_valid_o(error_valid),
      .row_end_o    (row_end),
      .row_taken_i  (row_taken),
      .row_o        (walk_row),
      .last_o       (walk_last),
      .live_o       (live),
      .mask_o,
      .lane_o       (lane),
      .moved_o      (moved)
  );

  // A segmented row: the run of columns that a span needs.
  // It is known two cycles after column_q, and before the first row of a batch is examined.
  logic signed [17:0] run_begin_q, run_end_q;
  logic [16:0] run_words_q;
  logic [15:0] run_skip_q;
  logic [17:0] span_columns_q;
  logic [11:0] error_run_q;
  logic [45:0] a_product, b_product;             // of the blocks that earlier passes have covered
  logic [31:0] map_offset_q, error_offset_q;     // of the runs, from an image's first row on
  wide_product #(.ABits(33), .BBits(13)) u_a_product (
      .clk_i, .a_i({1'b0, p.c.a_block_stride}), .b_i({1'b0, p.c.wgrad ? a_first : 12'd0}), .product_o(a_product)
  );
  wide_product #(.ABits(33), .BBits(13)) u_b_product (
      .clk_i, .a_i({1'b0, p.c.b_block_stride}), .b_i({1'b0, y_first}), .product_o(b_product)
  );
  always_ff @(posedge clk_i) begin
    run_begin_q    <= !p.segmented || column_q < 0 ? 18'sd0 : column_q;
    run_end_q      <= !p.segmented || column_q + 18'(p.row_width) > 18'(p.c.a_width) ? 18'(p.c.a_width)
                                                                                     : column_q + 18'(p.row_width);
    run_empty_q    <= run_end_q <= run_begin_q;
    run_words_q    <= run_end_q[16:0] - run_begin_q[16:0];
    run_skip_q     <= 16'(run_begin_q - column_q);
    map_offset_q   <= a_product[31:0] + {13'd0, run_begin_q, 1'b0};
    error_run_q    <= p.c.y_width - error_column_q < p.span ? p.c.y_width - error_column_q : p.span;
    error_offset_q <= b_product[31:0] + {19'd0, error_column_q, 1'b0};
    span_columns_q <= 18'(32'(p.span) * 32'(p.c.stride_x));
  end

  // Rows of A, and of the error with their entries of the chunk, wait to be read together.
  rows_t map_new, map_rows, error_new, error_rows;
  logic map_valid, error_leaves, error_waits, unused_waits;
  logic [15:0] error_entry_q, error_begin_q, span_entries_q;
  logic [1:0] error_place_q, error_place_begin_q;
  logic [2:0] place_sum;
  assign place_sum = 3'(error_place_q) + 3'(p.span_mod3);
  assign map_new = '{
      kind: JobLane,
      target: 8'(lane_q),
      base: a_base,
      row: a_row,
      bytes: p.segmented ? {run_words_q, 1'b0} : p.a_row_bytes,
      place: 16'(ring_next_q) + (p.segmented ? run_skip_q : '0),
      slot: '0,
      run: p.segmented ? run_words_q[15:0] : p.block_words,
      parts: p.segmented ? 12'(p.c.a_bits) : a_count
  };
  assign error_new = '{
      kind: JobError,
      target: 8'(lane_q),
      base: lane.b,
      row: lane.y[11:0],
      bytes: p.segmented ? {5'd0, error_run_q, 1'b0} : p.b_row_bytes,
      place: chunk_begin_q + error_entry_q,
      slot: 6'(error_place_q),
      run: 16'(error_run_q),
      parts: p.segmented ? 12'(p.c.b_bits) : y_count
  };
  row_joiner u_map (
      .clk_i,
      .clear_i    (state_q == PassWait),
      .joins_i    (!p.segmented && p.c.up_y == 4'd1),
      .bytes_i    (p.a_row_bytes),
      .offset_i   (map_offset_q),
      .row_valid_i(a_valid && !run_empty_q),
      .row_i      (map_new),
      .image_i    (a_image),
      .flush_i    (state_q == FlushMap),
      .waits_o    (unused_waits),
      .valid_o    (map_valid),
      .ready_i    (rows_ready_i),
      .rows_o     (map_rows)
  );
  row_joiner u_error (
      .clk_i,
      .clear_i    (state_q == PassWait),
      .joins_i    (!p.segmented),
      .bytes_i    (p.b_row_bytes),
      .offset_i   (error_offset_q),
      .row_valid_i(error_valid),
      .row_i      (error_new),
      .image_i    (lane.n[1:0]),
      .flush_i    (state_q == FlushError),
      .waits_o    (error_waits),
      .valid_o    (error_leaves),
      .ready_i    (rows_ready_i),
      .rows_o     (error_rows)
  );

  rows_t weight_rows;
  weights_plan_t weights;
  assign weights = '{address: p.c.b_addr, column_stride: p.c.b_image_stride, block_stride: p.c.b_block_stride,
                     tile: p.b_tile, blocks: p.c.a_blocks, bits: p.c.b_bits, entry: p.column_begin,
                     group_entries: p.group_entries, taps_div: p.taps_div, taps_mod: p.taps_mod,
                     kernel_w: p.c.kernel_w};
  logic weights_done;
  weight_walker #(.Groups(G)) u_weights (
      .clk_i,
      .command_i(state_q == Idle && start_i),
      .pass_i   (state_q == PassWait),
      .plan_i   (weights),
      .y_count_i(y_count),
      .active_i (state_q == Weights),
      .ready_i  (rows_ready_i),
      .rows_o   (weight_rows),
      .done_o   (weights_done)
  );

  // What goes out: weights, or rows that a new row does not join, or a mark.
  always_comb begin
    rows_o = error_due || state_q == FlushError ? error_rows : map_rows;
    if (state_q == Weights) rows_o = weight_rows;
    if (state_q == Marks) rows_o.kind = JobMark;
  end
  assign rows_valid_o  = map_valid || error_leaves || state_q inside {Weights, Marks};
  assign moves         = !rows_valid_o || rows_ready_i;
  assign mask_valid_o  = row_end;
  assign mask_lane_o   = lane_q;
  assign mask_row_o    = step_q + RowBits'(walk_row);
  assign row_valid_o   = row_end && !p.c.wgrad;
  assign row_live_o    = live;
  assign done_o        = state_q == Idle && none_coming;
  assign step_o        = step_q;
  assign column_end_o  = column_end_q;
  assign last_chunk_o  = !p.c.wgrad || last_chunk;

  logic [31:0] out_product_q, element_product_q, sums_product_q;
  assign row_address_o = lane.out + out_product_q;
  assign row_element_o = lane.element + element_product_q;
  assign row_sums_o    = lane.sums + sums_product_q;
  always_ff @(posedge clk_i) begin
    out_product_q     <= 32'(lane.y[11:0]) * 32'(p.out_row_bytes);
    element_product_q <= 32'(lane.y[11:0]) * {16'd0, p.c.y_width, 4'd0};
    sums_product_q    <= 32'(lane.y[11:0]) * {18'd0, p.c.y_width, 2'd0};
    span_entries_q    <= 16'(32'(p.span_div3) * 32'(p.c.b_bits));
  end

  // Order of the work.
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: if (start_i) state_q <= PassWait;
      // The array must be done with this command's column memories before they are loaded again.
      PassWait:   if (p.c.wgrad || first_pass_q || (none_ahead && array_idle_i)) state_q <= Deal;
      Deal:       if (lane_last) state_q <= p.c.wgrad ? BatchWait : Weights;
      Weights:    if (moves && weights_done) state_q <= BatchWait;
      BatchWait:  if (room) state_q <= LaneBegin;
      LaneBegin:  state_q <= Rows;
      Rows:       if (row_end && row_taken && walk_last) state_q <= FlushMap;
      FlushMap:   if (moves) state_q <= error_waits ? FlushError : lane_last ? Marks : LaneBegin;
      FlushError: if (moves) state_q <= lane_last ? Marks : LaneBegin;
      Marks:      if (moves && mark_last) state_q <= row_ends && rows_left_q == '0 ? PassEnd : BatchWait;
      PassEnd:
      if (pass_last) state_q <= Idle;
      else if (none_earlier) state_q <= PassWait;
      default:    state_q <= Idle;
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:
      if (start_i) begin
        first_pass_q   <= 1'b1;
        ring_q         <= p.ring_begin;
        chunk_buffer_q <= '0;
        chunk_begin_q  <= p.column_begin;
        column_end_q   <= p.column_begin + p.column_size;
      end
      PassWait: begin
        lane_q         <= '0;
        rows_left_q    <= p.rows;
        ramp_q         <= 5'd1;
        span_q         <= '0;
        if (!p.c.wgrad) ring_q <= p.ring_begin;
        chunk_left_q   <= p.first_chunk;
        new_chunk_q    <= 1'b1;
        first_step_q   <= 1'b1;
        column_q       <= -18'(p.c.pad_left);
        error_column_q <= '0;
      end
      Deal: lane_q <= lane_last ? '0 : lane_q + 1'b1;
      BatchWait: begin
        lane_q              <= '0;
        mark_q              <= '0;
        batch_q             <= next_batch_q;
        error_begin_q       <= new_chunk_q ? '0 : error_entry_q;
        error_place_begin_q <= new_chunk_q ? '0 : error_place_q;
        if (room) begin
          if (ramp_q < 5'd8) ramp_q <= ramp_q << 1;
          if (new_chunk_q && p.c.wgrad) column_end_q <= chunk_begin_q + p.chunk_entries;
          if (row_ends) rows_left_q <= rows_left_q - 28'(next_batch_q);
          chunk_ends_q <= chunk_left_q == next_batch_q;
          chunk_left_q <= chunk_left_q == next_batch_q ? p.chunk_rows : chunk_left_q - next_batch_q;
        end
      end
      LaneBegin: begin
        ring_next_q   <= ring_q;
        error_entry_q <= error_begin_q;
        error_place_q <= error_place_begin_q;
      end
      Rows: begin
        if (walk_step && moves) ring_next_q <= ring_step;
        if (error_due && moves) begin
          error_entry_q <= error_entry_q + span_entries_q + (place_sum >= 3'd3 ? 16'(p.c.b_bits) : '0);
          error_place_q <= 2'(place_sum >= 3'd3 ? place_sum - 3'd3 : place_sum);
        end
      end
      FlushMap:   if (moves && !error_waits) lane_q <= lane_last ? '0 : lane_q + 1'b1;
      FlushError: if (moves) lane_q <= lane_last ? '0 : lane_q + 1'b1;
      Marks:
      if (moves) begin
        mark_q      <= mark_q + 5'd1;
        new_chunk_q <= 1'b0;
        if (mark_last) begin
          ring_q         <= ring_next_q;
          step_q         <= step_q + RowBits'(batch_q);
          first_step_q   <= p.segmented;
          span_q         <= row_ends ? '0 : span_q + 12'd1;
          error_column_q <= row_ends ? '0 : error_column_q + p.span;
          column_q       <= row_ends ? -18'(p.c.pad_left) : column_q + span_columns_q;
          if (chunk_ends_q) begin
            new_chunk_q    <= 1'b1;
            chunk_buffer_q <= 3'(chunk_buffer_q) + 3'd1 == p.chunk_buffers ? '0 : chunk_buffer_q + 2'd1;
            chunk_begin_q  <= 3'(chunk_buffer_q) + 3'd1 == p.chunk_buffers ? p.column_begin
                                                                                 : chunk_begin_q + p.chunk_entries;
          end
        end
      end
      PassEnd: if (next_pass) first_pass_q <= 1'b0;
      default: ;
    endcase
    if (!rst_ni) begin
      step_q       <= '0;
      column_end_q <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, p, lane, unused_ends, unused_waits, a_product, b_product};
endmodule
