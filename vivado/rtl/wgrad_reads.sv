/// The reads of a WGRAD, in the order: pass, chunk of row steps, set of results, triple of pixels, plane of A.
///
/// A set is (block of A, kernel row, T kernel columns, block of the error): row kx * 16 + ci of its results is kernel
/// column kx, channel ci. K runs over the pixels: lane memory l gives bits 3 l .. 3 l + 2 of every slice, the three
/// pixels of a window, each with its T taps: in a slot each, or in three of which T are used. With T = 2 and an odd
/// number of columns, every second row's last column makes a set with the next row's first, whose word takes a read of
/// its own. Places are kept rather than computed: each loop adds its step to a register.
module wgrad_reads
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter build_t Build = BUILD_TINY
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       start_i,
    input  plan_t      plan_i,
    output logic [4:0] chunk_o,   ///< row steps of the chunk
    output logic       valid_o,
    input  logic       ready_i,
    output issue_t     issue_o,
    output logic       done_o
);
  localparam int unsigned T = Build.lanes / 16;
  localparam int unsigned RoundWords = Build.lanes / 2;

  localparam bit Single = Build.slice_groups == 3;  // a pixel has one slot of the window, else three

  if (T > 3 || (Single ? T != 1 : Build.slice_groups != 9)) begin : gen_bad_lanes
    $error("wgrad_reads: the build must have 16 lanes and 3 slice groups, or 16, 32 or 48 lanes and 9");
  end

  typedef enum logic [1:0] { Idle, Wait, Read, PassEnd } state_e;

  /// A pixel of the chunk.
  typedef struct packed {
    logic [       16:0] row;      // word where the row of A begins
    logic [       15:0] word;     // the pixel's, next to that of output column 0
    logic signed [17:0] column;   // in A
    logic [RowBits-1:0] step;     // row step, for the mask
    logic [       11:0] x_left;   // pixels of its row after this one
    logic               x_last;   // there is none
    logic [       15:0] left;     // pixels of the chunk from this one on,
    logic               some;     // at least one,
    logic               few;      // three at most
  } pixel_t;

  state_e state_q;
  plan_t p;
  assign p = plan_i;

  // Loops, from the outside in. Each ends with the one inside it.
  logic go, pixel_ends, window_ends, triple_ends, set_ends, groups_end, taps_end, rows_end, chunk_ends, pass_ends;
  logic pixel_last, third_last, plane_last, group_last, kx_last, kx_counted, ky_last, a_last, span_last, rows_last_q;
  logic two_rows;                  // the set's second column is the next kernel row's first
  logic pass_last, pass_last_q, y_ends, a_ends, y_ends_q, a_ends_q, first_pass_q;
  logic [11:0] a_count, y_first, y_count, a_count_q, y_count_q, unused_a_first;
  logic [3:0] ky_first;
  pixel_t triple_q, pixel_q, pixel_next, origin;
  logic settled_q;                 // what is known of the chunk has come through all registers
  assign go          = state_q == Read && ready_i;
  assign pixel_ends  = go && pixel_last;
  assign window_ends = pixel_ends && third_last;
  assign triple_ends = window_ends && plane_last;
  assign set_ends    = triple_ends && triple_q.few;
  assign groups_end  = set_ends && group_last;
  assign taps_end    = groups_end && kx_last;
  assign rows_end    = taps_end && ky_last;
  assign chunk_ends  = rows_end && a_last;
  assign pass_ends   = chunk_ends && rows_last_q && span_last;

  pass_counter u_pass (
      .clk_i,
      .start_i   (state_q == Idle),
      .next_i    (pass_ends),
      .plan_i,
      .a_first_o (unused_a_first),
      .a_count_o (a_count),
      .y_first_o (y_first),
      .y_count_o (y_count),
      .ky_first_o(ky_first),
      .y_ends_o  (y_ends),
      .a_ends_o  (a_ends),
      .last_o    (pass_last)
  );
  loop_counter #(.Bits(12)) u_span (
      .clk_i, .restart_i(state_q == Idle || state_q == PassEnd), .next_i(chunk_ends), .count_i(p.spans),
      .last_o(span_last)
  );
  loop_counter #(.Bits(12)) u_a (
      .clk_i, .restart_i(state_q == Wait), .next_i(rows_end), .count_i(a_count_q), .last_o(a_last)
  );
  loop_counter #(.Bits(4)) u_ky (
      .clk_i, .restart_i(state_q == Wait), .next_i(taps_end || (groups_end && two_rows)), .count_i(p.pass_ky),
      .last_o(ky_last)
  );
  loop_counter #(.Bits(4)) u_kx (
      .clk_i, .restart_i(state_q == Wait), .next_i(groups_end), .count_i(p.kx_groups), .last_o(kx_counted)
  );
  loop_counter #(.Bits(12)) u_group (
      .clk_i, .restart_i(state_q == Wait), .next_i(set_ends), .count_i(y_count_q), .last_o(group_last)
  );
  loop_counter #(.Bits(5)) u_plane (
      .clk_i, .restart_i(state_q == Wait), .next_i(window_ends), .count_i(p.c.a_bits), .last_o(plane_last)
  );
  always_ff @(posedge clk_i) begin
    y_count_q <= y_count;
    a_count_q <= a_count;
    if (state_q == Read) begin
      pass_last_q <= pass_last;
      y_ends_q    <= y_ends;
      a_ends_q    <= a_ends;
    end
    settled_q <= state_q == Wait;
  end

  // Chunks.
  logic [27:0] rows_left_q;
  logic [4:0] chunk_q;
  logic signed [17:0] column_q;    // of output column 0 of the span in A
  logic [11:0] error_column_q, span_pixels_q;
  logic [RowBits-1:0] step_q;
  logic [16:0] ring_q, ring_copy_q, ring_sum_q, ring_next_q, advance_q;
  logic first_chunk_q, last_chunk, halo_wraps_q, pass_begins_q;
  logic [1:0] buffer_q;            // of the column memories, and
  logic [15:0] buffer_begin_q;     // its first entry
  logic [15:0] chunk_pixels, pixels_q;
  logic [16:0] halo_q, halo_back_q, row_back_q, step_back_q, halo_last_q, step_last_q;
  logic [17:0] span_columns_q;
  assign last_chunk = rows_last_q && span_last;
  assign chunk_o    = chunk_q;

  /// A row further on in the ring: by so many words, or back if it is `last` or later.
  function automatic logic [16:0] further(logic [16:0] row, logic [16:0] last, logic [16:0] words, logic [16:0] back);
    return row + (row >= last ? back : words);
  endfunction

  // Of a plan, there when the first chunk has settled.
  always_ff @(posedge clk_i) begin
    span_columns_q <= 18'(32'(p.span) * 32'(p.c.stride_x));
    halo_q         <= 17'((32'(p.pass_ky) - 32'(p.step_rows)) * 32'(p.row_words));
    halo_last_q    <= p.ring_end - halo_q;
    halo_back_q    <= halo_q - p.ring_words;
    row_back_q     <= 17'(p.row_words) - p.ring_words;
    step_last_q    <= p.ring_end - p.step_words;
    step_back_q    <= p.step_words - p.ring_words;
  end

  // Of a chunk, there when it has settled; the next place of the ring three cycles after its place.
  assign chunk_pixels = p.segmented ? 16'(span_pixels_q) : pixels_q;  // a segmented row's chunk is one row step
  always_ff @(posedge clk_i) begin
    rows_last_q   <= rows_left_q == 28'(chunk_q);
    span_pixels_q <= p.c.y_width - error_column_q < p.span ? p.c.y_width - error_column_q : p.span;
    pixels_q      <= 16'(32'(chunk_q) * 32'(p.c.y_width));
    advance_q     <= 17'(32'(chunk_q) * 32'(p.step_words));
    ring_copy_q   <= ring_q;
    ring_sum_q    <= ring_copy_q + advance_q;
    ring_next_q   <= ring_sum_q >= p.ring_end ? ring_sum_q - p.ring_words : ring_sum_q;
  end

  // Sets.
  logic first_group_q;
  logic [3:0] ky_q, kx_q;
  logic [15:0] a_base_q, tap_base_q;  // word of a block of A, and of the kernel column, next to a pixel's
  logic [15:0] group_entry_q;
  logic [16:0] ky_row_q, ky_row_next;
  logic [31:0] a_address_q, a_element_q, a_sums_q, group_address_q, group_element_q;
  logic [7:0] tap_q, tap_row_q, tap_first_q;  // kernel rows of kernel_w taps: of this column, row, of the pass
  logic [9:0] accumulator_q;
  logic [2:0] slot_q;

  assign two_rows = T == 2 && kx_q + 4'd1 == p.c.kernel_w && p.c.kernel_w != 4'd1 && !ky_last;
  assign kx_last  = T == 2 ? 5'(kx_q) + 5'd2 >= 5'(p.c.kernel_w) && !two_rows : kx_counted;
  assign ky_row_next = further(ky_row_q, p.ring_last, 17'(p.row_words), row_back_q);

  // Inside a set.
  logic [3:0] plane_q;
  logic [15:0] base_q, entry_q;    // base_q: of the set and the plane
  logic [2:0] third_q;             // one of three
  logic first_window_q, first_read_q;
  logic second_q;                  // the read is of the next kernel row,
  logic [15:0] below_q;            // which is so many words further on

  assign pixel_last = !two_rows || second_q;
  assign third_last = third_q[2];

  always_comb begin
    origin = '{row: ky_row_q, word: ky_row_q[15:0], column: column_q, step: step_q, x_left: span_pixels_q - 12'd1,
               x_last: span_pixels_q == 12'd1, left: chunk_pixels, some: 1'b1, few: chunk_pixels <= 16'd3};
    pixel_next        = pixel_q;
    pixel_next.left   = pixel_q.some ? pixel_q.left - 16'd1 : '0;
    pixel_next.some   = pixel_q.some && pixel_q.left != 16'd1;
    pixel_next.few    = pixel_q.few || pixel_q.left == 16'd4;
    pixel_next.word   = pixel_q.word + 16'(p.c.stride_x);
    pixel_next.column = pixel_q.column + 18'($signed({1'b0, p.c.stride_x}));
    pixel_next.x_left = pixel_q.x_left - 12'd1;
    pixel_next.x_last = pixel_q.x_left == 12'd1;
    if (pixel_q.x_last) begin
      pixel_next.row    = further(pixel_q.row, step_last_q, p.step_words, step_back_q);
      pixel_next.word   = pixel_next.row[15:0];
      pixel_next.column = column_q;
      pixel_next.step   = pixel_q.step + 1'b1;
      pixel_next.x_left = origin.x_left;
      pixel_next.x_last = origin.x_last;
    end
  end

  function automatic logic in_map(logic signed [17:0] column, logic [11:0] width);
    return column >= 0 && column < 18'($signed({1'b0, width}));
  endfunction

  logic [2:0][4:0] taps_q;  // kx_q, and the two after it

  always_comb begin
    issue_o = '0;
    issue_o.read = '{
        start: pixel_q.word + base_q + (second_q ? below_q : '0) - (Single ? 16'(third_q[2:1]) : '0),
        words: '0,
        slots: Single ? 64'(third_q) : (second_q ? 64'd2 : 64'd7) << (third_q[2] ? 6 : third_q[1] ? 3 : 0),
        clear: third_q[0] && !second_q,
        row: pixel_q.step,
        ky: ky_q + 4'(second_q)
    };
    if (Single) begin
      if (pixel_q.some && in_map(pixel_q.column + 18'($signed({1'b0, taps_q[0]})), p.c.a_width))
        issue_o.read.words = third_q;
    end else if (second_q) begin
      issue_o.read.words[1] = pixel_q.some && in_map(pixel_q.column, p.c.a_width);
    end else begin
      for (int w = 0; w < 3; w++) begin
        issue_o.read.words[w] = pixel_q.some && taps_q[w] < 5'(p.c.kernel_w)
            && in_map(pixel_q.column + 18'($signed({1'b0, taps_q[w]})), p.c.a_width);
      end
    end
    issue_o.full   = third_last && pixel_last;
    issue_o.window = '{
        entry: entry_q,
        plane: plane_q,
        first: first_window_q,
        last: triple_q.few && plane_last,
        group: '{
            store: last_chunk,
            fresh: first_chunk_q,
            accumulate: !(first_chunk_q && last_chunk),
            entry: accumulator_q,
            row: TableBits'(RowDepth) + TableBits'(slot_q),
            element: '0,
            pixel: '0,
            slot: slot_q,
            close: 1'b1,
            begins: 1'b0,
            tally: '0
        }
    };
    issue_o.opens   = last_chunk && first_window_q && third_q[0] && !second_q;
    issue_o.segment = '{
        slot: slot_q,
        row: TableBits'(RowDepth) + TableBits'(slot_q),
        address: '0,
        sums: '0,
        pixels: 6'd1,
        with_sums: p.c.flags[FLAG_ROW_SUMS] && first_pass_q && first_group_q,
        with_tally: 1'b0,
        block: '0
    };
    issue_o.set_address = a_address_q + group_address_q;
    issue_o.set_element = a_element_q + group_element_q;
    issue_o.set_sums    = a_sums_q;
    issue_o.tap         = tap_q;
    issue_o.set_taps    = two_rows ? 4'd2 : p.c.kernel_w - kx_q;
    issue_o.begins      = first_read_q;
    issue_o.ends        = issue_o.full && plane_last && triple_q.few && group_last && kx_last && ky_last && a_last;
    issue_o.pass_ends   = issue_o.ends && last_chunk;
    issue_o.steps       = chunk_q;
  end

  assign valid_o = state_q == Read;
  assign done_o  = state_q == Idle;

  // Blocks that earlier passes have covered: what a pass covers, times the strides, added up.
  logic [31:0] pass_address_q, pass_element_q, pass_sums_q, pass_group_address_q, pass_group_element_q;
  logic [49:0] address_step, element_step, sums_step;
  logic [45:0] group_address_step, group_element_step;
  wide_product #(.ABits(33), .BBits(17)) u_address (
      .clk_i, .a_i({1'b0, p.c.out_image_stride}), .b_i({1'b0, p.pass_a, 4'd0}), .product_o(address_step)
  );
  wide_product #(.ABits(33), .BBits(17)) u_element (
      .clk_i, .a_i({1'b0, p.image_element}), .b_i({1'b0, p.pass_a, 4'd0}), .product_o(element_step)
  );
  wide_product #(.ABits(33), .BBits(17)) u_sums (
      .clk_i, .a_i({1'b0, p.image_sums}), .b_i({1'b0, p.pass_a, 4'd0}), .product_o(sums_step)
  );
  wide_product #(.ABits(33), .BBits(13)) u_group_address (
      .clk_i, .a_i({1'b0, p.c.out_block_stride}), .b_i({1'b0, p.pass_y}), .product_o(group_address_step)
  );
  wide_product #(.ABits(33), .BBits(13)) u_group_element (
      .clk_i, .a_i({1'b0, p.block_element}), .b_i({1'b0, p.pass_y}), .product_o(group_element_step)
  );
  logic [31:0] next_address_q, next_element_q, next_sums_q, next_group_address_q, next_group_element_q;
  always_ff @(posedge clk_i) begin
    next_address_q       <= pass_address_q + address_step[31:0];
    next_element_q       <= pass_element_q + element_step[31:0];
    next_sums_q          <= pass_sums_q + sums_step[31:0];
    next_group_address_q <= pass_group_address_q + group_address_step[31:0];
    next_group_element_q <= pass_group_element_q + group_element_step[31:0];
    tap_first_q <= 8'(small_product(7'(ky_first), p.c.kernel_w));
    if (state_q == PassEnd) begin
      first_pass_q <= first_pass_q && !y_ends_q;
      if (y_ends_q) begin
        pass_group_address_q <= a_ends_q ? '0 : next_group_address_q;
        pass_group_element_q <= a_ends_q ? '0 : next_group_element_q;
      end
      if (a_ends_q) begin
        first_pass_q   <= 1'b1;
        pass_address_q <= next_address_q;
        pass_element_q <= next_element_q;
        pass_sums_q    <= next_sums_q;
      end
    end
    if (state_q == Idle) begin
      first_pass_q         <= 1'b1;
      pass_address_q       <= '0;
      pass_element_q       <= '0;
      pass_sums_q          <= '0;
      pass_group_address_q <= '0;
      pass_group_element_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:    if (start_i && p.c.wgrad) state_q <= Wait;
      Wait:    if (settled_q) state_q <= Read;
      Read:    if (chunk_ends) state_q <= last_chunk ? PassEnd : Wait;
      default: state_q <= pass_last_q ? Idle : Wait;
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  // Chunks and passes.
  always_ff @(posedge clk_i) begin
    if (chunk_ends) begin
      first_chunk_q  <= 1'b0;
      chunk_q        <= p.chunk_rows;
      buffer_q       <= 3'(buffer_q) + 3'd1 == p.chunk_buffers ? '0 : buffer_q + 2'd1;
      buffer_begin_q <= 3'(buffer_q) + 3'd1 == p.chunk_buffers ? p.column_begin : buffer_begin_q + p.chunk_entries;
      ring_q         <= ring_next_q;
      step_q         <= step_q + RowBits'(chunk_q);
      column_q       <= span_last ? -18'(p.c.pad_left) : column_q + span_columns_q;
      error_column_q <= span_last ? '0 : error_column_q + p.span;
      if (span_last) rows_left_q <= rows_left_q - 28'(chunk_q);
    end
    if (state_q == Idle || state_q == PassEnd) begin
      rows_left_q    <= p.rows;
      chunk_q        <= p.first_chunk;
      column_q       <= -18'(p.c.pad_left);
      error_column_q <= '0;
      first_chunk_q  <= 1'b1;
    end
    // The next pass begins with whole windows of rows after those of this one.
    halo_wraps_q  <= ring_q >= halo_last_q;
    pass_begins_q <= state_q == PassEnd;
    if (pass_begins_q) ring_q <= ring_q + (halo_wraps_q ? halo_back_q : halo_q);
    if (state_q == Idle) begin
      step_q         <= p.first_step;
      ring_q         <= p.ring_begin;
      buffer_q       <= '0;
      buffer_begin_q <= p.column_begin;
    end
  end

  // Blocks of A, kernel rows and columns, blocks of the error.
  always_ff @(posedge clk_i) begin
    if (set_ends) begin
      slot_q          <= slot_q + 3'(last_chunk);
      accumulator_q   <= accumulator_q + 10'(RoundWords);
      first_group_q   <= 1'b0;
      group_entry_q   <= group_entry_q + p.group_entries;
      group_address_q <= group_address_q + p.c.out_block_stride;
      group_element_q <= group_element_q + p.block_element;
    end
    if (groups_end || state_q == Wait) begin
      first_group_q   <= 1'b1;
      group_entry_q   <= buffer_begin_q;
      group_address_q <= pass_group_address_q;
      group_element_q <= pass_group_element_q;
    end
    if (groups_end) begin
      kx_q       <= two_rows ? 4'd1 : kx_q + 4'(T);
      for (int unsigned w = 0; w < 3; w++) taps_q[w] <= two_rows ? 5'(w + 1) : taps_q[w] + 5'(T);
      tap_q      <= tap_q + 8'(T);
      tap_base_q <= two_rows ? a_base_q + 16'd1 : tap_base_q + 16'(T);
      if (two_rows) begin
        ky_q      <= ky_q + 4'd1;
        ky_row_q  <= ky_row_next;
        tap_row_q <= tap_row_q + 8'(p.c.kernel_w);
      end
    end
    if (taps_end) begin
      kx_q       <= '0;
      taps_q     <= {5'd2, 5'd1, 5'd0};
      ky_q       <= ky_q + 4'd1;
      ky_row_q   <= ky_row_next;
      tap_row_q  <= tap_row_q + 8'(p.c.kernel_w);
      tap_q      <= tap_row_q + 8'(p.c.kernel_w);
      tap_base_q <= a_base_q;
    end
    if (rows_end) begin
      ky_q        <= '0;
      ky_row_q    <= ring_q;
      tap_row_q   <= tap_first_q;
      tap_q       <= tap_first_q;
      a_base_q    <= a_base_q + p.block_words;
      tap_base_q  <= a_base_q + p.block_words;
      a_address_q <= a_address_q + {p.c.out_image_stride[27:0], 4'd0};
      a_element_q <= a_element_q + {p.image_element[27:0], 4'd0};
      a_sums_q    <= a_sums_q + {p.image_sums[27:0], 4'd0};
    end
    if (state_q == Wait) begin
      ky_q          <= '0;
      ky_row_q      <= ring_q;
      kx_q          <= '0;
      taps_q        <= {5'd2, 5'd1, 5'd0};
      tap_row_q     <= tap_first_q;
      tap_q         <= tap_first_q;
      a_base_q      <= p.segmented ? '0 : column_q[15:0];
      tap_base_q    <= p.segmented ? '0 : column_q[15:0];
      accumulator_q <= '0;
      a_address_q   <= p.c.out_addr + pass_address_q;
      a_element_q   <= pass_element_q;
      a_sums_q      <= p.c.sums_addr + pass_sums_q;
    end
    if (state_q == Idle) slot_q <= '0;
  end

  // Triples, planes, pixels: a set begins at the chunk's first one, in the row of its kernel row.
  always_ff @(posedge clk_i) begin
    if (go) begin
      first_read_q <= 1'b0;
      second_q     <= two_rows && !second_q;
    end
    if (pixel_ends) begin
      third_q <= {third_q[1:0], third_q[2]};
      pixel_q <= pixel_next;
    end
    if (window_ends) begin
      first_window_q <= 1'b0;
      plane_q        <= plane_q + 4'd1;
      base_q         <= base_q + 16'(p.row_width);
      pixel_q        <= triple_q;
    end
    if (triple_ends) begin
      plane_q  <= '0;
      base_q   <= tap_base_q;
      triple_q <= pixel_next;
      pixel_q  <= pixel_next;
      entry_q  <= entry_q + 16'(p.c.b_bits);
    end
    if (set_ends) begin
      entry_q <= group_last ? buffer_begin_q : group_entry_q + p.group_entries;
      if (group_last)
        base_q <= two_rows ? a_base_q + 16'd1 : kx_last ? (ky_last ? a_base_q + p.block_words : a_base_q)
                                                        : tap_base_q + 16'(T);
    end
    if (set_ends || state_q == Wait) begin
      first_window_q <= 1'b1;
      triple_q       <= origin;
      pixel_q        <= origin;
      if (groups_end && (two_rows || kx_last)) begin
        triple_q.row  <= ky_last ? ring_q : ky_row_next;
        triple_q.word <= ky_last ? ring_q[15:0] : ky_row_next[15:0];
        pixel_q.row   <= ky_last ? ring_q : ky_row_next;
        pixel_q.word  <= ky_last ? ring_q[15:0] : ky_row_next[15:0];
      end
    end
    if (state_q == Wait) begin
      third_q       <= 3'd1;
      second_q      <= 1'b0;
      first_read_q  <= 1'b1;
      plane_q       <= '0;
      entry_q       <= buffer_begin_q;
      base_q        <= p.segmented ? '0 : column_q[15:0];
      triple_q.row  <= ring_q;
      triple_q.word <= ring_q[15:0];
      pixel_q.row   <= ring_q;
      pixel_q.word  <= ring_q[15:0];
    end
    below_q <= (pixel_q.row >= p.ring_last ? row_back_q[15:0] : p.row_words) - 16'(p.c.kernel_w);
  end

  logic unused;
  assign unused = &{1'b0, p, unused_a_first, y_first, address_step, element_step, sums_step, group_address_step,
                    group_element_step};
endmodule
