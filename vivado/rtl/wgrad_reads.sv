/// The reads of a WGRAD, in the order: pass, chunk of row steps, set of results, triple of pixels, plane of A.
///
/// A set is (block of A, kernel row, T kernel columns, block of the error): row kx * 16 + ci of its results is kernel
/// column kx, channel ci. K runs over the pixels: lane memory l gives bits 3 l .. 3 l + 2 of every slice, the three
/// pixels of a window, each with its T taps: in a slot each, or in three of which T are used. With T = 2 and an odd
/// number of columns, every second row's last column makes a set with the next row's first, whose word takes a read of
/// its own.
module wgrad_reads
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter build_t Build = BUILD_TINY
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_i,
    input  plan_t       plan_i,
    input  logic [ 5:0] ready_i_steps,  ///< row steps that are loaded
    output logic        takes_o,        ///< the next chunk begins
    output logic [ 4:0] chunk_o,        ///< its row steps
    output logic        waits_o,
    output logic        valid_o,
    input  logic        ready_i,
    output read_t       read_o,
    output logic        full_o,
    output window_t     window_o,
    output logic        opens_o,
    output segment_t    segment_o,
    output logic [31:0] set_address_o,  ///< of the set's first result (with opens_o), its element and row sum
    output logic [31:0] set_element_o,
    output logic [31:0] set_sums_o,
    output logic [ 3:0] set_taps_o,     ///< kernel columns from the set's first one on
    output logic        chunk_done_o,   ///< with a read taken: the last of its chunk
    output logic        done_o
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
    logic [RowBits-1:0] step;     // row step, for the mask
    logic [       11:0] x;        // output column in the span
    logic [       15:0] column;   // x * stride_x
    logic [       15:0] left;     // pixels from this one on
  } pixel_t;

  state_e state_q;
  plan_t p;
  assign p = plan_i;

  logic pass_last;
  logic [11:0] a_first, a_count, y_first, y_count;
  logic [3:0] ky_first;
  pass_counter u_pass (
      .clk_i,
      .start_i   (start_i),
      .next_i    (state_q == PassEnd),
      .plan_i,
      .a_first_o (a_first),
      .a_count_o (a_count),
      .y_first_o (y_first),
      .y_count_o (y_count),
      .ky_first_o(ky_first),
      .last_o    (pass_last)
  );

  // Chunks.
  logic [27:0] rows_left_q;
  logic [11:0] span_q;
  logic signed [17:0] column_q;    // of output column 0 of the span in A
  logic [11:0] error_column_q, span_pixels;
  logic [RowBits-1:0] step_q;
  logic [16:0] ring_q, ring_next;
  logic first_chunk_q, last_chunk, row_ends;
  logic [1:0] buffer_q;            // of the column memories, and
  logic [15:0] buffer_begin_q;     // its first entry
  logic [4:0] chunk;
  logic [15:0] chunk_pixels_q;

  assign row_ends    = span_q + 12'd1 == p.spans;
  assign chunk       = rows_left_q == p.rows ? p.first_chunk : p.chunk_rows;
  assign last_chunk  = rows_left_q == 28'(chunk) && row_ends;
  assign span_pixels = p.c.y_width - error_column_q < p.span ? p.c.y_width - error_column_q : p.span;
  assign chunk_o     = chunk;

  // Sets.
  logic [11:0] a_q, group_q;
  logic [3:0] ky_q, kx_q, kx_left_q;
  logic [15:0] a_word_q, group_entry_q;
  logic [16:0] ky_row_q;
  logic [31:0] a_address_q, a_element_q, a_sums_q, group_address_q, group_element_q;
  logic [9:0] accumulator_q;
  logic [2:0] slot_q;
  logic a_last, ky_last, kx_last, group_last;
  logic two_rows;                  // the set's second column is the next kernel row's first

  assign group_last = group_q + 12'd1 == y_count;
  assign two_rows   = T == 2 && kx_q + 4'd1 == p.c.kernel_w && p.c.kernel_w != 4'd1 && !ky_last;
  assign kx_last    = T == 2 ? 5'(kx_q) + 5'd2 >= 5'(p.c.kernel_w) && !two_rows : kx_left_q == 4'd1;
  assign ky_last    = ky_q + 4'd1 == p.pass_ky;
  assign a_last     = a_q + 12'd1 == a_count;

  // Inside a set.
  logic [3:0] plane_q;
  logic [15:0] plane_word_q, entry_q;
  pixel_t triple_q, pixel_q, pixel_next, origin;
  logic [1:0] third_q;
  logic first_window_q;
  logic third_last, plane_last, triple_last;
  logic second_q;                  // the read is of the next kernel row,
  logic [16:0] below_q;            // which begins at this word
  logic pixel_last, window_last;   // the pixel's last read, and the window's

  assign pixel_last  = !two_rows || second_q;
  assign third_last  = third_q == 2'd2;
  assign window_last = third_last && pixel_last;
  assign plane_last  = 5'(plane_q) + 5'd1 == p.c.a_bits;
  assign triple_last = triple_q.left <= 16'd3;

  function automatic logic [16:0] around(logic [16:0] place);
    return place >= p.ring_end ? place - p.ring_words : place;
  endfunction

  always_comb begin
    pixel_next        = pixel_q;
    pixel_next.left   = pixel_q.left == '0 ? '0 : pixel_q.left - 16'd1;
    pixel_next.x      = pixel_q.x + 12'd1;
    pixel_next.column = pixel_q.column + 16'(p.c.stride_x);
    if (pixel_q.x + 12'd1 == span_pixels) begin
      pixel_next.x      = '0;
      pixel_next.column = '0;
      pixel_next.row    = around(pixel_q.row + p.step_words);
      pixel_next.step   = pixel_q.step + 1'b1;
    end
    origin = '{row: ky_row_q, step: step_q, x: '0, column: '0, left: chunk_pixels_q};
  end

  logic [16:0] ky_row_next;
  assign ky_row_next = around(ky_row_q + 17'(p.row_words));

  // The ring moves on by the chunk's rows.
  logic [16:0] advance_q, halo_q;
  logic [17:0] span_columns_q;
  assign ring_next = around(ring_q + advance_q);

  logic signed [17:0] tap_column;
  logic [15:0] tap_word;
  logic [3:0] tap_kx;
  assign tap_kx     = second_q ? '0 : kx_q;
  assign tap_column = column_q + 18'($signed({1'b0, pixel_q.column})) + 18'($signed({1'b0, tap_kx}));
  assign tap_word   = p.segmented ? pixel_q.column + 16'(tap_kx) : 16'(tap_column);

  function automatic logic in_map(logic signed [17:0] column, logic [11:0] width);
    return column >= 0 && column < 18'($signed({1'b0, width}));
  endfunction

  logic [7:0] tap_q, tap_row_q, tap_first_q;  // kernel rows of kernel_w taps: of this column, row, of the pass

  always_comb begin
    read_o = '{
        start: 16'(second_q ? below_q : pixel_q.row) + a_word_q + plane_word_q + tap_word
            - (Single ? 16'(third_q) : 16'(second_q)),
        words: '0,
        slots: Single ? 64'd1 << third_q : (second_q ? 64'd2 : 64'd7) << (3 * 32'(third_q)),
        clear: third_q == '0 && !second_q,
        row: pixel_q.step,
        ky: ky_q + 4'(second_q)
    };
    if (Single) begin
      read_o.words[third_q] = pixel_q.left != '0 && in_map(tap_column, p.c.a_width);
    end else if (second_q) begin
      read_o.words[1] = pixel_q.left != '0 && in_map(tap_column, p.c.a_width);
    end else begin
      for (int w = 0; w < 3; w++) begin
        read_o.words[w] = pixel_q.left != '0 && 5'(kx_q) + 5'(w) < 5'(p.c.kernel_w)
            && in_map(tap_column + 18'(w), p.c.a_width);
      end
    end
    window_o = '{
        entry: entry_q,
        plane: plane_q,
        first: first_window_q,
        last: triple_last && plane_last,
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
    segment_o = '{
        slot: slot_q,
        row: TableBits'(RowDepth) + TableBits'(slot_q),
        address: '0,
        sums: '0,
        pixels: 6'd1,
        with_sums: p.c.flags[FLAG_ROW_SUMS] && y_first == '0 && group_q == '0,
        with_tally: 1'b0,
        block: '0
    };
  end
  assign set_address_o = a_address_q + group_address_q + (32'(tap_q) << (5 + 32'(p.c.out_format)));
  assign set_element_o = a_element_q + group_element_q + {20'd0, tap_q, 4'd0};
  assign set_sums_o    = a_sums_q + {22'd0, tap_q, 2'd0};
  assign set_taps_o    = two_rows ? 4'd2 : p.c.kernel_w - kx_q;

  logic taken, set_ends;
  logic settled_q;  // the products of the chunk are there
  assign valid_o      = state_q == Read;
  assign takes_o      = state_q == Wait && ready_i_steps >= 6'(chunk) && settled_q;
  assign waits_o      = state_q == Wait && !takes_o;
  assign taken        = valid_o && ready_i;
  assign full_o       = window_last;
  assign opens_o      = last_chunk && first_window_q && third_q == '0 && !second_q;
  assign set_ends     = taken && window_last && plane_last && triple_last;
  assign chunk_done_o = set_ends && group_last && kx_last && ky_last && a_last;
  assign done_o       = state_q == Idle;

  // Blocks that earlier passes have covered.
  logic [31:0] pass_address_q, pass_element_q, pass_sums_q, pass_group_address_q, pass_group_element_q;
  always_ff @(posedge clk_i) begin
    pass_address_q       <= {16'd0, a_first, 4'd0} * p.c.out_image_stride;
    pass_element_q       <= {16'd0, a_first, 4'd0} * p.image_element;
    pass_sums_q          <= {16'd0, a_first, 4'd0} * p.image_sums;
    pass_group_address_q <= 32'(y_first) * p.c.out_block_stride;
    pass_group_element_q <= 32'(y_first) * p.block_element;
    chunk_pixels_q       <= 16'(32'(chunk) * 32'(span_pixels));
    advance_q            <= 17'(32'(chunk) * 32'(p.step_words));
    halo_q               <= 17'((32'(p.pass_ky) - 32'(p.step_rows)) * 32'(p.row_words));
    tap_first_q          <= 8'(small_product(7'(ky_first), p.c.kernel_w));
    span_columns_q       <= 18'(32'(p.span) * 32'(p.c.stride_x));
    settled_q            <= state_q == Wait;
    below_q              <= around(pixel_q.row + 17'(p.row_words));
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:
      if (start_i && p.c.wgrad) begin
        state_q  <= Wait;
        slot_q   <= '0;
        step_q   <= p.first_step;
        ring_q   <= p.ring_begin;
        buffer_q <= '0;
        buffer_begin_q <= p.column_begin;
        begin_pass();
      end
      Wait: begin
        a_q           <= '0;
        ky_q          <= '0;
        group_q       <= '0;
        a_word_q      <= '0;
        accumulator_q <= '0;
        a_address_q   <= p.c.out_addr + pass_address_q;
        a_element_q   <= pass_element_q;
        a_sums_q      <= p.c.sums_addr + pass_sums_q;
        begin_kernel_row(ring_q, tap_first_q);
        if (takes_o) state_q <= Read;
      end
      Read:
      if (taken) begin
        second_q <= two_rows && !second_q;
        if (pixel_last) begin
          third_q <= third_last ? '0 : third_q + 2'd1;
          pixel_q <= pixel_next;
        end
        if (window_last) begin
          first_window_q <= 1'b0;
          plane_q        <= plane_q + 4'd1;
          plane_word_q   <= plane_word_q + 16'(p.row_width);
          pixel_q        <= triple_q;
          if (plane_last) begin
            plane_q      <= '0;
            plane_word_q <= '0;
            triple_q     <= pixel_next;
            pixel_q      <= pixel_next;
            entry_q      <= entry_q + 16'(p.c.b_bits);
          end
        end
        if (set_ends) begin
          slot_q          <= slot_q + 3'(last_chunk);
          accumulator_q   <= accumulator_q + 10'(RoundWords);
          group_q         <= group_q + 12'd1;
          group_entry_q   <= group_entry_q + p.group_entries;
          group_address_q <= group_address_q + p.c.out_block_stride;
          group_element_q <= group_element_q + p.block_element;
          begin_set(ky_row_q, group_entry_q + p.group_entries);
          if (group_last) begin
            begin_groups(ky_row_q);
            kx_q      <= kx_q + 4'(T);
            tap_q     <= tap_q + 8'(T);
            kx_left_q <= kx_left_q - 4'd1;
            if (two_rows) begin
              ky_q      <= ky_q + 4'd1;
              kx_q      <= 4'd1;
              ky_row_q  <= ky_row_next;
              tap_row_q <= tap_row_q + 8'(p.c.kernel_w);
              begin_groups(ky_row_next);
            end
            if (kx_last) begin
              ky_q <= ky_q + 4'd1;
              begin_kernel_row(ky_row_next, tap_row_q + 8'(p.c.kernel_w));
              if (ky_last) begin
                ky_q        <= '0;
                a_q         <= a_q + 12'd1;
                a_word_q    <= a_word_q + p.block_words;
                a_address_q <= a_address_q + {p.c.out_image_stride[27:0], 4'd0};
                a_element_q <= a_element_q + {p.image_element[27:0], 4'd0};
                a_sums_q    <= a_sums_q + {p.image_sums[27:0], 4'd0};
                begin_kernel_row(ring_q, tap_first_q);
                if (a_last) begin
                  state_q        <= last_chunk ? PassEnd : Wait;
                  first_chunk_q  <= 1'b0;
                  buffer_q       <= 3'(buffer_q) + 3'd1 == p.chunk_buffers ? '0 : buffer_q + 2'd1;
                  buffer_begin_q <= 3'(buffer_q) + 3'd1 == p.chunk_buffers ? p.column_begin
                                                                               : buffer_begin_q + p.chunk_entries;
                  ring_q         <= ring_next;
                  step_q         <= step_q + RowBits'(chunk);
                  span_q         <= row_ends ? '0 : span_q + 12'd1;
                  column_q       <= row_ends ? -18'(p.c.pad_left) : column_q + span_columns_q;
                  error_column_q <= row_ends ? '0 : error_column_q + p.span;
                  if (row_ends) rows_left_q <= rows_left_q - 28'(chunk);
                end
              end
            end
          end
        end
      end
      default: begin
        // The next pass begins with whole windows of rows after those of this one.
        state_q <= pass_last ? Idle : Wait;
        ring_q  <= around(ring_q + halo_q);
        begin_pass();
      end
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  task automatic begin_pass();
    rows_left_q    <= p.rows;
    span_q         <= '0;
    column_q       <= -18'(p.c.pad_left);
    error_column_q <= '0;
    first_chunk_q  <= 1'b1;
  endtask

  task automatic begin_kernel_row(input logic [16:0] row, input logic [7:0] tap);
    ky_row_q  <= row;
    tap_row_q <= tap;
    tap_q     <= tap;
    kx_q      <= '0;
    kx_left_q <= p.kx_groups;
    begin_groups(row);
  endtask

  task automatic begin_groups(input logic [16:0] row);
    group_q         <= '0;
    group_entry_q   <= buffer_begin_q;
    group_address_q <= pass_group_address_q;
    group_element_q <= pass_group_element_q;
    begin_set(row, buffer_begin_q);
  endtask

  task automatic begin_set(input logic [16:0] row, input logic [15:0] entry);
    plane_q        <= '0;
    plane_word_q   <= '0;
    entry_q        <= entry;
    third_q        <= '0;
    second_q       <= 1'b0;
    first_window_q <= 1'b1;
    triple_q       <= origin;
    triple_q.row   <= row;
    pixel_q        <= origin;
    pixel_q.row    <= row;
  endtask

  logic unused;
  assign unused = &{1'b0, p};
endmodule
