/// Walks over the rows that the lanes need and requests what to read for them.
///
/// For each pass: the weights (CONV), then in batches of row steps, lane by lane, the new rows of A and (WGRAD) of the
/// error. Lane l begins at flat row l * rows, that is at image n, row y, with n * pitch + y = l * rows. Row (y, ky) is
/// row v = y * stride_y - pad_top + ky of the zero-inserted map; v >= virtual_pitch is in the next image. Rows that
/// follow each other in memory are read together.
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
    Idle, PassWait, Deal, Weights, BatchWait, LaneBegin, Divide, KernelRow, ErrorRow, RowEnd, FlushMap, FlushError,
    Marks, PassEnd
  } state_e;

  typedef struct packed {
    logic [16:0] n;
    logic [15:0] y;
    logic [20:0] v;        // y * stride_y - pad_top + first kernel row, signed
    logic [31:0] a;        // address of the image in A
    logic [31:0] b;        // in the error (WGRAD)
    logic [31:0] out;      // in the result (CONV)
    logic [31:0] element;
    logic [31:0] sums;
  } lane_state_t;

  state_e state_q;
  plan_t p;
  assign p = plan_i;

  // Row steps that the array has not done: of the command before, and of the pass before. A WGRAD loads the next pass
  // while the array still works on this one: the rings go on.
  logic [5:0] before_q, old_q;
  logic own_done, first_pass_q, pass_last;
  assign own_done = step_done_i && before_q == '0;
  logic [11:0] a_first, a_count, y_first, y_count;
  logic [3:0] ky_first;
  pass_counter u_pass (
      .clk_i,
      .start_i   (start_i),
      .next_i    (state_q == PassEnd && !pass_last && old_q == '0),
      .plan_i,
      .a_first_o (a_first),
      .a_count_o (a_count),
      .y_first_o (y_first),
      .y_count_o (y_count),
      .ky_first_o(ky_first),
      .last_o    (pass_last)
  );

  // Lanes: where each is.
  lane_state_t states_q[M];
  lane_state_t deal_q, lane_q, moved;
  logic [LaneBits-1:0] lane_q_index;
  lane_state_t deal_step_q[2];         // from lane to lane; [1]: if that wraps into one more image
  logic lane_last, deal_wraps, row_ends;
  logic [17:0] deal_y, rest_back_q;
  logic [20:0] rest_product_q, stride_back_q;

  assign lane_last  = lane_q_index == (p.c.wgrad ? LaneBits'(M - 1) : LaneBits'(L - 1));
  assign deal_y     = 18'(deal_q.y) + rest_back_q;  // if it wraps, else negative
  assign deal_wraps = !deal_y[17];

  always_ff @(posedge clk_i) begin
    rest_product_q <= 21'(p.lane_rest) * 21'(p.c.stride_y);
    rest_back_q    <= 18'(p.lane_rest) - 18'(p.pitch);
    stride_back_q  <= 21'(p.c.stride_y) - 21'(p.virtual_pitch);
    deal_step_q[0] <= '{n: 17'(p.lane_images), y: p.lane_rest, v: rest_product_q, a: p.lane_a, b: p.lane_b,
                        out: p.lane_out, element: p.lane_element, sums: p.lane_sums};
    deal_step_q[1] <= '{n: 17'(p.lane_images) + 17'd1, y: rest_back_q[15:0],
                        v: rest_product_q - 21'(p.virtual_pitch), a: p.lane_a + p.c.a_image_stride,
                        b: p.lane_b + p.c.b_image_stride, out: p.lane_out + p.c.out_image_stride,
                        element: p.lane_element + p.image_element, sums: p.lane_sums + p.image_sums};
  end

  always_comb begin
    moved = lane_q;
    if (row_ends) begin
      moved.y = lane_q.y + 16'd1;
      moved.v = lane_q.v + 21'(p.c.stride_y);
      if (moved.y == p.pitch) begin
        moved = '{
            n: lane_q.n + 17'd1,
            y: '0,
            v: lane_q.v + stride_back_q,
            a: lane_q.a + p.c.a_image_stride,
            b: lane_q.b + p.c.b_image_stride,
            out: lane_q.out + p.c.out_image_stride,
            element: lane_q.element + p.image_element,
            sums: lane_q.sums + p.image_sums
        };
      end
    end
  end

  // Batches of row steps; a row step is a row of every lane, or a span of its columns.
  logic [27:0] rows_left_q;
  logic [11:0] span_q;
  logic [4:0] batch_q, ramp_q, most, most_q, next_batch_q, row_q_index, chunk_left_q;
  logic [RowBits-1:0] step_q;          // row step modulo RowDepth
  logic [5:0] ahead_q;                 // row steps asked for that the array has not done
  logic [5:0] coming_q;                // and that are not in the memories yet
  logic [2:0] chunks_q;                // chunks begun that the array has not done
  logic first_step_q, room, new_chunk_q, chunk_ends_q, row_last;
  logic [1:0] chunk_buffer_q;          // of the column memories, and
  logic [15:0] chunk_begin_q;          // its first entry
  logic [15:0] column_end_q;
  logic [16:0] ring_q, ring_next_q, ring_step;  // place of the batch's first new row, of the next new row
  logic signed [17:0] column_q;        // first column of the span in A
  logic [11:0] error_column_q;         // and in the error

  // The next batch, and the rows of the rings that it needs with those before: all it depends on is known when the
  // batch before begins, so that there is time.
  logic [11:0] needed_q;
  assign most = p.c.wgrad ? chunk_left_q : ramp_q;
  always_ff @(posedge clk_i) begin
    most_q       <= most < p.batch ? most : p.batch;
    next_batch_q <= 28'(most_q) > rows_left_q ? rows_left_q[4:0] : most_q;
    needed_q     <= 12'(small_product(7'(next_batch_q) - 7'd1, p.step_rows))
        + (12'(p.pass_ky) + (old_q != '0 ? 12'(p.pass_ky) - 12'(p.step_rows) : '0));
  end
  assign row_ends = span_q + 12'd1 == p.spans;
  assign row_last = row_q_index + 5'd1 == batch_q;
  assign room = 12'(small_product(7'(ahead_q), p.step_rows)) + needed_q <= 12'(p.ring_rows)
      && ahead_q + 6'(next_batch_q) <= 6'(p.most_ahead)
      && before_q + ahead_q + 6'(next_batch_q) <= 6'(MostAhead)
      && (!p.c.wgrad || !new_chunk_q
          || (chunks_q < p.chunk_buffers && (chunks_q == '0 || p.column_free || before_q == '0)));
  assign ring_step = ring_next_q + 17'(p.row_words) >= p.ring_end ? ring_next_q + 17'(p.row_words) - p.ring_words
                                                                    : ring_next_q + 17'(p.row_words);

  // One row of one lane.
  logic signed [20:0] v_q;
  logic [20:0] row_q;                  // v / up_y, and
  logic [3:0] rest_q;                  // v % up_y, kept from 0 and from the next image's 0 on
  logic next_q;                        // v is in the next image
  logic [3:0] ky_q;
  logic [14:0] mask_q;
  logic live, in_map, is_new, has_row, run_empty_q;
  logic [4:0] divide_q;
  logic [31:0] out_product_q, element_product_q, sums_product_q, a_offset_q, b_offset_q, image;

  assign live    = lane_q.n < 17'(p.c.images) && lane_q.y < 16'(p.c.y_height);
  assign in_map  = !v_q[20] && rest_q == '0 && row_q < 21'(p.c.a_height);
  assign is_new  = (first_step_q && row_q_index == '0) || ky_q >= p.pass_ky - p.step_rows;
  assign has_row = is_new && in_map && lane_q.n + 17'(next_q) < 17'(p.c.images) && !run_empty_q;
  assign image   = next_q ? lane_q.a + p.c.a_image_stride : lane_q.a;

  // A segmented row: the run of columns that a span needs.
  // It is known two cycles after column_q, and before the first row of a batch is examined.
  logic signed [17:0] run_begin_q, run_end_q;
  logic [16:0] run_words_q;
  logic [15:0] run_skip_q;
  logic [17:0] span_columns_q;
  logic [11:0] error_run_q;
  logic [31:0] map_offset_q, error_offset_q;     // of the runs, from an image's first row on
  always_ff @(posedge clk_i) begin
    run_begin_q    <= !p.segmented || column_q < 0 ? 18'sd0 : column_q;
    run_end_q      <= !p.segmented || column_q + 18'(p.row_width) > 18'(p.c.a_width) ? 18'(p.c.a_width)
                                                                                     : column_q + 18'(p.row_width);
    run_empty_q      <= run_end_q <= run_begin_q;
    run_words_q    <= run_end_q[16:0] - run_begin_q[16:0];
    run_skip_q     <= 16'(run_begin_q - column_q);
    map_offset_q   <= a_offset_q + {13'd0, run_begin_q, 1'b0};
    error_run_q    <= p.c.y_width - error_column_q < p.span ? p.c.y_width - error_column_q : p.span;
    error_offset_q <= b_offset_q + {19'd0, error_column_q, 1'b0};
    span_columns_q <= 18'(32'(p.span) * 32'(p.c.stride_x));
  end

  // Rows that wait to be read together, of A and of the error.
  rows_t map_q, error_q, map_new, error_new;
  logic map_valid_q, error_valid_q, map_joins, error_joins, error_wanted;
  logic [11:0] map_end_q, error_end_q;           // the row after
  logic [1:0] map_image_q, image_index;          // rows of a lane that wait are of one image, or of the next
  assign image_index = lane_q.n[1:0] + 2'(next_q);

  assign map_new = '{
      kind: JobLane,
      target: 8'(lane_q_index),
      base: image,
      row: row_q[11:0],
      bytes: p.segmented ? {run_words_q, 1'b0} : p.a_row_bytes,
      place: 16'(ring_next_q) + (p.segmented ? run_skip_q : '0),
      slot: '0,
      run: p.segmented ? run_words_q[15:0] : p.block_words,
      parts: p.segmented ? 12'(p.c.a_bits) : a_count
  };
  assign map_joins = map_valid_q && !p.segmented && p.c.up_y == 4'd1 && map_image_q == image_index
      && map_end_q == row_q[11:0];

  // The error: entries of the chunk's rows.
  logic [15:0] error_entry_q, error_begin_q, span_entries_q;
  logic [1:0] error_place_q, error_place_begin_q;
  logic [2:0] place_sum;
  assign place_sum = 3'(error_place_q) + 3'(p.span_mod3);
  assign error_new = '{
      kind: JobError,
      target: 8'(lane_q_index),
      base: lane_q.b,
      row: lane_q.y[11:0],
      bytes: p.segmented ? {5'd0, error_run_q, 1'b0} : p.b_row_bytes,
      place: chunk_begin_q + error_entry_q,
      slot: 6'(error_place_q),
      run: 16'(error_run_q),
      parts: p.segmented ? 12'(p.c.b_bits) : y_count
  };
  assign error_joins  = error_valid_q && !p.segmented && error_q.base == lane_q.b && error_end_q == lane_q.y[11:0];
  assign error_wanted = state_q == ErrorRow && live;

  // Weights: column by column, block by block.
  logic [11:0] group_q, part_q;
  logic [3:0] column_index_q;
  logic [31:0] column_address_q, address_q;
  logic [15:0] entry_q, group_entry_q, taps_entries_q;
  logic [5:0] slot_q;
  logic [6:0] slot_sum;
  logic slot_wraps, weights_join;
  logic [17:0] weights_bytes_q;
  assign weights_join = p.c.b_block_stride == p.b_tile;  // all blocks of a column follow each other
  assign slot_sum   = 7'(slot_q) + 7'(p.taps_mod);
  assign slot_wraps = slot_sum >= 7'(G);

  // What goes out: weights, or rows that a new row does not join, or a mark.
  logic moves;
  always_comb begin
    rows_o       = state_q == ErrorRow || state_q == FlushError ? error_q : map_q;
    rows_o.base  = rows_o.base + (state_q == ErrorRow || state_q == FlushError ? error_offset_q : map_offset_q);
    rows_valid_o = 1'b0;
    unique case (state_q)
      Weights: begin
        rows_valid_o = 1'b1;
        rows_o = '{kind: JobWeights, target: 8'(column_index_q), base: address_q, row: '0,
            bytes: weights_join ? weights_bytes_q : p.b_tile[17:0],
                   place: entry_q, slot: slot_q, run: 16'(p.c.kernel_w), parts: 12'd1};
      end
      KernelRow: rows_valid_o = has_row && map_valid_q && !map_joins;
      ErrorRow: rows_valid_o = error_wanted && error_valid_q && !error_joins;
      FlushMap: rows_valid_o = map_valid_q;
      FlushError: rows_valid_o = error_valid_q;
      Marks: begin
        rows_valid_o = 1'b1;
        rows_o.kind  = JobMark;
      end
      default: ;
    endcase
  end
  assign moves         = !rows_valid_o || rows_ready_i;
  assign mask_valid_o  = state_q == RowEnd;
  assign mask_lane_o   = lane_q_index;
  assign mask_row_o    = step_q + RowBits'(row_q_index);
  assign mask_o        = mask_q;
  assign row_valid_o   = state_q == RowEnd && !p.c.wgrad;
  assign row_live_o    = live;
  assign row_address_o = lane_q.out + out_product_q;
  assign row_element_o = lane_q.element + element_product_q;
  assign row_sums_o    = lane_q.sums + sums_product_q;
  assign done_o        = state_q == Idle && coming_q == '0;
  assign step_o        = step_q;
  assign column_end_o  = column_end_q;
  assign last_chunk_o  = !p.c.wgrad || chunks_q <= 3'd1;

  always_ff @(posedge clk_i) begin
    out_product_q     <= 32'(lane_q.y[11:0]) * 32'(p.out_row_bytes);
    element_product_q <= 32'(lane_q.y[11:0]) * {16'd0, p.c.y_width, 4'd0};
    sums_product_q    <= 32'(lane_q.y[11:0]) * {18'd0, p.c.y_width, 2'd0};
    span_entries_q    <= 16'(32'(p.span_div3) * 32'(p.c.b_bits));
    taps_entries_q    <= 16'(32'(p.taps_div) * 32'(p.c.b_bits));
    a_offset_q        <= p.c.wgrad ? 32'(a_first) * p.c.a_block_stride : '0;
    weights_bytes_q   <= 18'(p.c.a_blocks) * p.b_tile[17:0];
    b_offset_q        <= 32'(y_first) * p.c.b_block_stride;

    if (own_done && old_q != '0) old_q <= old_q - 6'd1;
    if (step_done_i && before_q != '0) before_q <= before_q - 6'd1;
    ahead_q  <= ahead_q + 6'(state_q == Marks && moves) - 6'(own_done);
    coming_q <= coming_q + 6'(state_q == Marks && moves) - 6'(step_loaded_i);
    chunks_q <= chunks_q + 3'(state_q == Marks && moves && new_chunk_q && p.c.wgrad) 
        - 3'(chunk_done_i && before_q == '0 && p.c.wgrad);

    unique case (state_q)
      Idle:
      if (start_i) begin
        state_q          <= PassWait;
        first_pass_q     <= 1'b1;
        before_q         <= before_q + ahead_q - 6'(step_done_i);
        ahead_q          <= '0;
        chunks_q         <= '0;
        old_q            <= '0;
        ring_q           <= p.ring_begin;
        chunk_buffer_q   <= '0;
        chunk_begin_q    <= p.column_begin;
        column_end_q     <= p.column_begin + p.column_size;
        column_address_q <= p.c.b_addr;
      end
      PassWait: begin
        // The array must be done with this command's column memories before they are loaded again.
        if (p.c.wgrad || first_pass_q || (ahead_q == '0 && array_idle_i)) state_q <= Deal;
        lane_q_index   <= '0;
        deal_q         <= '{n: '0, y: '0, v: 21'(ky_first) - 21'(p.c.pad_top), a: p.c.a_addr, b: p.c.b_addr,
                            out: p.c.out_addr, element: '0, sums: p.c.sums_addr};
        rows_left_q    <= p.rows;
        ramp_q         <= 5'd1;
        span_q         <= '0;
        if (!p.c.wgrad) ring_q <= p.ring_begin;
        chunk_left_q   <= p.first_chunk;
        new_chunk_q    <= 1'b1;
        first_step_q   <= 1'b1;
        column_q       <= -18'(p.c.pad_left);
        error_column_q <= '0;
        map_valid_q    <= 1'b0;
        error_valid_q  <= 1'b0;
        group_q        <= '0;
        column_index_q <= '0;
        part_q         <= '0;
        entry_q        <= p.column_begin;
        group_entry_q  <= p.column_begin;
        slot_q         <= '0;
        address_q      <= column_address_q;
      end
      Deal: begin
        states_q[lane_q_index] <= deal_q;
        deal_q <= '{
            n: deal_q.n + deal_step_q[deal_wraps].n,
            y: deal_q.y + deal_step_q[deal_wraps].y,
            v: deal_q.v + deal_step_q[deal_wraps].v,
            a: deal_q.a + deal_step_q[deal_wraps].a,
            b: deal_q.b + deal_step_q[deal_wraps].b,
            out: deal_q.out + deal_step_q[deal_wraps].out,
            element: deal_q.element + deal_step_q[deal_wraps].element,
            sums: deal_q.sums + deal_step_q[deal_wraps].sums
        };
        lane_q_index <= lane_last ? '0 : lane_q_index + 1'b1;
        if (lane_last) state_q <= p.c.wgrad ? BatchWait : Weights;
      end
      Weights:
      if (moves) begin
        address_q <= address_q + p.c.b_block_stride;
        slot_q    <= slot_wraps ? 6'(slot_sum - 7'(G)) : slot_sum[5:0];
        entry_q   <= entry_q + taps_entries_q + (slot_wraps ? 16'(p.c.b_bits) : '0);
        part_q    <= part_q + 12'd1;
        if (weights_join || part_q + 12'd1 == p.c.a_blocks) begin
          part_q           <= '0;
          slot_q           <= '0;
          entry_q          <= group_entry_q;
          address_q        <= column_address_q + p.c.b_image_stride;
          column_address_q <= column_address_q + p.c.b_image_stride;
          column_index_q   <= column_index_q + 4'd1;
          if (column_index_q == 4'd15) begin
            group_q       <= group_q + 12'd1;
            group_entry_q <= group_entry_q + p.group_entries;
            entry_q       <= group_entry_q + p.group_entries;
            if (group_q + 12'd1 == y_count) state_q <= BatchWait;
          end
        end
      end
      BatchWait: begin
        lane_q_index        <= '0;
        batch_q             <= next_batch_q;
        error_begin_q       <= new_chunk_q ? '0 : error_entry_q;
        error_place_begin_q <= new_chunk_q ? '0 : error_place_q;
        if (room) begin
          state_q      <= LaneBegin;
          if (ramp_q < 5'd8) ramp_q <= ramp_q << 1;
          if (new_chunk_q && p.c.wgrad) column_end_q <= chunk_begin_q + p.chunk_entries;
          if (row_ends) rows_left_q <= rows_left_q - 28'(next_batch_q);
          chunk_ends_q <= chunk_left_q == next_batch_q;
          chunk_left_q <= chunk_left_q == next_batch_q ? p.chunk_rows : chunk_left_q - next_batch_q;
        end
      end
      LaneBegin: begin
        lane_q        <= states_q[lane_q_index];
        v_q           <= states_q[lane_q_index].v;
        row_q         <= states_q[lane_q_index].v;
        row_q_index   <= '0;
        ring_next_q   <= ring_q;
        error_entry_q <= error_begin_q;
        error_place_q <= error_place_begin_q;
        begin_row();
      end
      Divide: begin
        // Restoring division of v by up_y; a negative v needs none, as counting restarts at 0.
        divide_q <= divide_q - 5'd1;
        if ({rest_q, row_q[20]} >= 5'(p.c.up_y)) begin
          rest_q <= 4'({rest_q, row_q[20]} - 5'(p.c.up_y));
          row_q  <= {row_q[19:0], 1'b1};
        end else begin
          rest_q <= {rest_q[2:0], row_q[20]};
          row_q  <= {row_q[19:0], 1'b0};
        end
        if (divide_q == 5'd1) state_q <= KernelRow;
      end
      KernelRow:
      if (moves) begin
        mask_q[ky_q] <= live && in_map && !next_q;
        if (is_new) ring_next_q <= ring_step;
        if (has_row) begin
          map_valid_q <= 1'b1;
          map_end_q   <= row_q[11:0] + 12'd1;
          map_image_q <= image_index;
          if (map_joins) map_q.bytes <= map_q.bytes + p.a_row_bytes;
          else map_q <= map_new;
        end
        ky_q <= ky_q + 4'd1;
        v_q  <= v_q + 21'sd1;
        if (v_q + 21'sd1 == 21'sd0 || v_q + 21'sd1 == $signed(21'(p.virtual_pitch))) begin
          row_q  <= '0;
          rest_q <= '0;
          next_q <= v_q + 21'sd1 != 21'sd0;
        end else if (rest_q + 4'd1 == p.c.up_y) begin
          row_q  <= row_q + 21'd1;
          rest_q <= '0;
        end else begin
          rest_q <= rest_q + 4'd1;
        end
        if (ky_q + 4'd1 == p.pass_ky) state_q <= p.c.wgrad ? ErrorRow : RowEnd;
      end
      ErrorRow:
      if (moves) begin
        if (error_wanted) begin
          error_valid_q <= 1'b1;
          error_end_q   <= lane_q.y[11:0] + 12'd1;
          if (error_joins) error_q.bytes <= error_q.bytes + p.b_row_bytes;
          else error_q <= error_new;
        end
        error_entry_q <= error_entry_q + span_entries_q + (place_sum >= 3'd3 ? 16'(p.c.b_bits) : '0);
        error_place_q <= 2'(place_sum >= 3'd3 ? place_sum - 3'd3 : place_sum);
        state_q       <= RowEnd;
      end
      RowEnd:
      if (row_ready_i || p.c.wgrad) begin
        lane_q      <= moved;
        v_q         <= moved.v;
        row_q       <= moved.v;
        row_q_index <= row_q_index + 5'd1;
        begin_row();
        if (row_last) begin
          states_q[lane_q_index] <= moved;
          state_q                <= FlushMap;
        end
      end
      FlushMap:
      if (moves) begin
        map_valid_q <= 1'b0;
        state_q     <= FlushError;
        if (!error_valid_q) end_lane();
      end
      FlushError:
      if (moves) begin
        error_valid_q <= 1'b0;
        end_lane();
      end
      Marks:
      if (moves) begin
        row_q_index <= row_q_index + 5'd1;
        new_chunk_q <= 1'b0;
        if (row_last) begin
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
          state_q <= row_ends && rows_left_q == '0 ? PassEnd : BatchWait;
        end
      end
      PassEnd:
      if (pass_last) begin
        state_q <= Idle;
      end else if (old_q == '0) begin
        state_q      <= PassWait;
        first_pass_q <= 1'b0;
        old_q        <= ahead_q - 6'(own_done);
      end
      default: state_q <= Idle;
    endcase
    if (!rst_ni) begin
      state_q  <= Idle;
      step_q   <= '0;
      before_q <= '0;
      ahead_q  <= '0;
      coming_q <= '0;
      column_end_q <= '0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      done_were_asked_for : assert (!step_done_i || before_q != '0 || ahead_q != '0);
      loaded_were_coming  : assert (!step_loaded_i || coming_q != '0);
      rows_have_a_number  : assert (7'(before_q) + 7'(ahead_q) <= 7'(MostAhead));
      rows_fit_the_ring   : assert (state_q == Idle
          || 12'(ahead_q) * 12'(p.step_rows) + 12'(p.pass_ky) <= 12'(p.ring_rows) + 12'(p.step_rows));
      chunks_have_buffers : assert (!p.c.wgrad || state_q == Idle || chunks_q <= p.chunk_buffers);
      chunks_were_begun   : assert (!chunk_done_i || before_q != '0 || !p.c.wgrad || chunks_q != '0);
    end
  end
`endif

  task automatic begin_row();
    ky_q     <= '0;
    next_q   <= 1'b0;
    mask_q   <= '0;
    rest_q   <= '0;
    divide_q <= 5'd21;
    state_q  <= p.c.up_y == 4'd1 ? KernelRow : Divide;
  endtask

  task automatic end_lane();
    lane_q_index <= lane_last ? '0 : lane_q_index + 1'b1;
    row_q_index  <= '0;
    state_q      <= lane_last ? Marks : LaneBegin;
  endtask

  logic unused;
  assign unused = &{1'b0, p, deal_y};
endmodule
