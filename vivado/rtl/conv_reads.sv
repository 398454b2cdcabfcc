/// The reads of a CONV, in the order: pass, row step, output block, column x, slice of K, plane of A.
///
/// A window is one slice of one plane. One read fills the taps of a kernel row if it has three (`by_three`), else one
/// tap. Places are kept rather than computed: each loop adds its step to a register.
module conv_reads
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter build_t Build = BUILD_TINY
) (
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   start_i,
    input  plan_t  plan_i,
    output logic   valid_o,
    input  logic   ready_i,
    output issue_t issue_o,
    output logic   done_o
);
  localparam int unsigned G = Build.slice_groups;

  typedef enum logic [1:0] { Idle, Wait, Read, PassEnd } state_e;

  /// A place in K: block, kernel row, kernel column.
  typedef struct packed {
    logic [15:0] top;      // word where the block's first kernel row begins,
    logic [15:0] row;      // where this one begins,
    logic [15:0] word;     // and its kernel column, next to output column 0
    logic [ 5:0] ring;     // which row of the ring it is
    logic [ 3:0] ky;
    logic [ 3:0] kx;
    logic [ 4:0] column;   // (rest of the output column + kx) / up_x, and
    logic [ 3:0] rest;     // the remainder
    logic [19:0] left;     // units after this one
    logic        last;     // there is none
  } place_t;

  state_e state_q;
  plan_t p;
  assign p = plan_i;

  // Loops, from the outside in. Each ends with the one inside it.
  logic begins, go, window_ends, slice_ends, column_ends, row_ends, step_ends, pass_ends;
  logic unit_last, plane_last, slice_last, x_last, pixel_last, segment_last, group_last, step_last, pass_last;
  logic pass_last_q, first_pass_q;
  logic [11:0] y_first, y_count, y_count_q, unused_a_first, unused_a_count;
  logic [3:0] unused_ky;
  logic [1:0] unused_ends;
  logic [6:0] segment_pixels;
  assign go          = state_q == Read && ready_i;
  assign begins      = state_q == Wait || (state_q == Idle && start_i && !p.c.wgrad);
  assign window_ends = go && unit_last;
  assign slice_ends  = window_ends && plane_last;
  assign column_ends = slice_ends && slice_last;
  assign row_ends    = column_ends && x_last;
  assign step_ends   = row_ends && group_last;
  assign pass_ends   = step_ends && step_last;

  pass_counter u_pass (
      .clk_i,
      .start_i   (state_q == Idle),
      .next_i    (pass_ends),
      .plan_i,
      .a_first_o (unused_a_first),
      .a_count_o (unused_a_count),
      .y_first_o (y_first),
      .y_count_o (y_count),
      .ky_first_o(unused_ky),
      .y_ends_o  (unused_ends[0]),
      .a_ends_o  (unused_ends[1]),
      .last_o    (pass_last)
  );
  loop_counter #(.Bits(28)) u_step (
      .clk_i, .restart_i(state_q == Idle || state_q == PassEnd), .next_i(step_ends), .count_i(p.rows),
      .last_o(step_last)
  );
  // Of the first pass there are as many as of a full one.
  loop_counter #(.Bits(12)) u_group (
      .clk_i, .restart_i(begins), .next_i(row_ends), .count_i(state_q == Idle ? p.pass_y : y_count_q),
      .last_o(group_last)
  );
  loop_counter #(.Bits(12)) u_x (
      .clk_i, .restart_i(begins), .next_i(column_ends), .count_i(p.c.y_width), .last_o(x_last)
  );
  loop_counter #(.Bits(7)) u_pixel (
      .clk_i, .restart_i(begins || row_ends), .next_i(column_ends), .count_i(segment_pixels), .last_o(pixel_last)
  );
  loop_counter #(.Bits(16)) u_slice (
      .clk_i, .restart_i(begins), .next_i(slice_ends), .count_i(p.slices), .last_o(slice_last)
  );
  loop_counter #(.Bits(5)) u_plane (
      .clk_i, .restart_i(begins), .next_i(window_ends), .count_i(p.c.a_bits), .last_o(plane_last)
  );
  always_ff @(posedge clk_i) begin
    y_count_q <= y_count;
    if (state_q == Read) pass_last_q <= pass_last;
    if (state_q == Idle) first_pass_q <= 1'b1;
    else if (state_q == PassEnd) first_pass_q <= 1'b0;
  end

  always_comb begin
    unique case (32'(p.c.out_format))
      FORMAT_INT32: segment_pixels = 7'd1 << (p.segment_log - 3'd1);
      FORMAT_INT64: segment_pixels = 7'd1 << (p.segment_log - 3'd2);
      default:      segment_pixels = 7'd1 << p.segment_log;
    endcase
  end

  // Where each loop is.
  logic first_step_q, first_group_q, first_pixel_q, first_slice_q, first_read_q;
  logic [RowBits-1:0] step_q;
  logic [16:0] ring_q;                   // where the row step's first row begins, and
  logic [5:0] ring_row_q;                // which row of the ring it is
  logic [11:0] block_q;                  // of the result
  logic [15:0] group_entry_q;
  logic [31:0] group_element_q, group_address_q, pass_element_q, pass_address_q;
  logic [11:0] x_q, segment_x_q;
  logic [11:0] segment_left_q;           // pixels of the row from the segment's first one on
  logic [4:0] pixel_q;                   // in the segment
  logic [2:0] slot_q, slot_next;
  logic signed [17:0] column_q;          // floor((x * stride_x - pad_left) / up_x)
  logic [3:0] column_rest_q;             // and the remainder
  logic [15:0] base_q;                   // of the column and the plane, next to a place's word
  logic [15:0] entry_q;
  logic [3:0] plane_q;
  logic [G-1:0] slots_q;                 // of the unit
  logic [2:0] third_q;                   // which of the three words of a read the unit is, if one by one
  place_t slice_q, place_q, place_next;

  localparam logic [G-1:0] FirstThree = G'(7), FirstOne = G'(1);
  assign unit_last    = slots_q[G-1] || place_q.last;
  assign segment_last = x_last || pixel_last;
  assign slot_next    = 7'(slot_q) + 7'd1 == 7'(LanePieces) >> p.segment_log ? '0 : slot_q + 3'd1;

  // The ring goes on by the rows of a step.
  logic [16:0] step_back_q;
  logic [15:0] row_back_q;
  logic [6:0] ring_row_next;
  logic ring_wraps_q;
  assign ring_row_next = 7'(ring_row_q) + 7'(p.step_rows);
  always_ff @(posedge clk_i) begin
    ring_wraps_q <= ring_row_next >= 7'(p.ring_rows);
    step_back_q  <= p.step_words - p.ring_words;
    row_back_q   <= 16'(p.row_words) - 16'(p.ring_words);
  end

  // The next place in K.
  logic row_wraps;
  logic [15:0] row_next, top_next;
  assign row_wraps = place_q.ring + 6'd1 == p.ring_rows;
  assign row_next  = place_q.row + (row_wraps ? row_back_q : p.row_words);
  assign top_next  = place_q.top + p.block_words;
  always_comb begin
    place_next      = place_q;
    place_next.left = place_q.left - 20'd1;
    place_next.last = place_q.left == 20'd1;
    if (!p.by_three && place_q.kx + 4'd1 != p.c.kernel_w) begin
      place_next.kx   = place_q.kx + 4'd1;
      place_next.rest = place_q.rest + 4'd1;
      if (place_q.rest + 4'd1 == p.c.up_x) begin
        place_next.rest   = '0;
        place_next.column = place_q.column + 5'd1;
        place_next.word   = place_q.word + 16'd1;
      end
    end else begin
      place_next.kx     = '0;
      place_next.rest   = column_rest_q;
      place_next.column = '0;
      if (place_q.ky + 4'd1 == p.c.kernel_h) begin
        place_next.ky   = '0;
        place_next.top  = top_next;
        place_next.row  = top_next;
        place_next.word = top_next;
        place_next.ring = ring_row_q;
      end else begin
        place_next.ky   = place_q.ky + 4'd1;
        place_next.row  = row_next;
        place_next.word = row_next;
        place_next.ring = row_wraps ? '0 : place_q.ring + 6'd1;
      end
    end
  end

  function automatic place_t origin(logic [15:0] ring, logic [5:0] ring_row, logic [3:0] rest);
    return '{top: ring, row: ring, word: ring, ring: ring_row, ky: '0, kx: '0, column: '0, rest: rest,
             left: p.units - 20'd1, last: p.units == 20'd1};
  endfunction

  place_t begun;  // of a row step
  assign begun = state_q == Idle ? origin(p.ring_begin[15:0], '0, p.first_rest)
                                 : origin(ring_q[15:0], ring_row_q, p.first_rest);

  // After a column: stride_x columns of the zero-inserted map further. Column 0 is at -pad_left.
  logic signed [17:0] column_next, column_begin;
  logic [4:0] rest_sum;
  logic [3:0] rest_next;
  logic rest_wraps;
  assign column_begin = -18'($signed({1'b0, p.pad_columns}));
  assign rest_sum     = 5'(column_rest_q) + 5'(p.stride_rest);
  assign rest_wraps   = rest_sum >= 5'(p.c.up_x);
  assign rest_next    = 4'(rest_wraps ? rest_sum - 5'(p.c.up_x) : rest_sum);
  assign column_next  = column_q + 18'($signed({1'b0, p.stride_columns})) + 18'($signed({1'b0, rest_wraps}));

  function automatic logic in_map(logic signed [17:0] column, logic [11:0] width);
    return column >= 0 && column < 18'($signed({1'b0, width}));
  endfunction

  always_comb begin
    issue_o = '0;
    issue_o.read = '{
        start: place_q.word + base_q - 16'(third_q[2:1]),
        words: '0,
        slots: 64'(slots_q),
        clear: slots_q[0],
        row: step_q,
        ky: place_q.ky
    };
    if (p.by_three) begin
      for (int w = 0; w < 3; w++) issue_o.read.words[w] = in_map(column_q + 18'(w), p.c.a_width);
    end else if (place_q.rest == '0 && in_map(column_q + 18'($signed({1'b0, place_q.column})), p.c.a_width)) begin
      issue_o.read.words = third_q;
    end
    issue_o.full   = unit_last;
    issue_o.window = '{
        entry: entry_q,
        plane: plane_q,
        first: plane_q == '0 && first_slice_q,
        last: plane_last && slice_last,
        group: '{
            store: 1'b1,
            fresh: 1'b1,
            accumulate: 1'b0,
            entry: '0,
            row: TableBits'(step_q),
            element: group_element_q + {16'd0, x_q, 4'd0},
            pixel: pixel_q,
            slot: slot_q,
            close: segment_last,
            begins: first_step_q && x_q == '0,
            tally: SlotBits'(block_q)
        }
    };
    issue_o.opens   = first_pixel_q && first_slice_q && plane_q == '0 && slots_q[0];
    issue_o.segment = '{
        slot: slot_q,
        row: TableBits'(step_q),
        address: group_address_q + (p.c.out_format == 2'(FORMAT_PLANES) ? 32'(segment_x_q) << 1
                                    : 32'(segment_x_q) << (5 + 32'(p.c.out_format))),
        sums: 32'(segment_x_q) << 2,
        pixels: 12'(segment_pixels) < segment_left_q ? segment_pixels[5:0] : segment_left_q[5:0],
        with_sums: p.c.flags[FLAG_ROW_SUMS] && first_pass_q && first_group_q,
        with_tally: p.c.flags[FLAG_STATS] && step_last && 12'(segment_pixels) >= segment_left_q,
        block: block_q
    };
    issue_o.begins    = first_read_q;
    issue_o.ends      = unit_last && plane_last && slice_last && x_last && group_last;
    issue_o.pass_ends = issue_o.ends && step_last;
    issue_o.steps     = 5'd1;
  end

  assign valid_o = state_q == Read;
  assign done_o  = state_q == Idle;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:    if (begins) state_q <= Read;
      Wait:    state_q <= Read;
      Read:    if (step_ends) state_q <= step_last ? PassEnd : Wait;
      default: state_q <= pass_last_q ? Idle : Wait;
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  // Row steps, blocks, segments.
  always_ff @(posedge clk_i) begin
    if (row_ends) begin
      block_q         <= block_q + 12'd1;
      group_entry_q   <= group_entry_q + p.group_entries;
      group_element_q <= group_element_q + p.block_element;
      group_address_q <= group_address_q + p.c.out_block_stride;
      first_group_q   <= 1'b0;
    end
    if (step_ends) begin
      group_entry_q <= p.column_begin;
      first_group_q <= 1'b1;
      first_step_q  <= 1'b0;
      step_q        <= step_q + 1'b1;
      ring_q        <= ring_q + (ring_wraps_q ? step_back_q : p.step_words);
      ring_row_q    <= 6'(ring_wraps_q ? ring_row_next - 7'(p.ring_rows) : ring_row_next);
      if (step_last) begin
        pass_element_q <= group_element_q + p.block_element;
        pass_address_q <= group_address_q + p.c.out_block_stride;
      end else begin
        block_q         <= y_first;
        group_element_q <= pass_element_q;
        group_address_q <= pass_address_q;
      end
    end
    if (column_ends) begin
      pixel_q       <= pixel_q + 5'd1;
      first_pixel_q <= 1'b0;
      if (segment_last) begin
        pixel_q        <= '0;
        first_pixel_q  <= 1'b1;
        segment_x_q    <= x_last ? '0 : x_q + 12'd1;
        segment_left_q <= x_last ? p.c.y_width : segment_left_q - 12'(segment_pixels);
        slot_q         <= slot_next;
      end
    end
    if (begins) begin
      pixel_q        <= '0;
      first_pixel_q  <= 1'b1;
      segment_x_q    <= '0;
      segment_left_q <= p.c.y_width;
    end
    if (state_q == PassEnd) begin
      first_step_q <= 1'b1;
      ring_q       <= p.ring_begin;
      ring_row_q   <= '0;
    end
    if (state_q == Idle) begin
      step_q          <= p.first_step;
      ring_q          <= p.ring_begin;
      ring_row_q      <= '0;
      first_step_q    <= 1'b1;
      first_group_q   <= 1'b1;
      slot_q          <= '0;
      block_q         <= '0;
      group_entry_q   <= p.column_begin;
      group_element_q <= '0;
      group_address_q <= '0;
      pass_element_q  <= '0;
      pass_address_q  <= '0;
    end
  end

  // Columns, slices, planes, units.
  always_ff @(posedge clk_i) begin
    if (go) begin
      first_read_q <= 1'b0;
      place_q      <= place_next;
      slots_q      <= p.by_three ? slots_q << 3 : slots_q << 1;
      if (!p.by_three) third_q <= {third_q[1:0], third_q[2]};
    end
    if (window_ends) begin
      slots_q <= p.by_three ? FirstThree : FirstOne;
      third_q <= 3'd1;
      plane_q <= plane_q + 4'd1;
      base_q  <= base_q + 16'(p.row_width);
      place_q <= slice_q;
    end
    if (slice_ends) begin
      plane_q       <= '0;
      base_q        <= column_q[15:0];
      slice_q       <= place_next;
      place_q       <= place_next;
      first_slice_q <= 1'b0;
      entry_q       <= entry_q + 16'(p.c.b_bits);
    end
    if (column_ends) begin
      slice_q       <= origin(ring_q[15:0], ring_row_q, x_last ? p.first_rest : rest_next);
      place_q       <= origin(ring_q[15:0], ring_row_q, x_last ? p.first_rest : rest_next);
      base_q        <= x_last ? column_begin[15:0] : column_next[15:0];
      column_q      <= x_last ? column_begin : column_next;
      column_rest_q <= x_last ? p.first_rest : rest_next;
      first_slice_q <= 1'b1;
      entry_q       <= x_last ? group_entry_q + p.group_entries : group_entry_q;
      x_q           <= x_last ? '0 : x_q + 12'd1;
    end
    if (begins) begin
      slice_q       <= begun;
      place_q       <= begun;
      slots_q       <= p.by_three ? FirstThree : FirstOne;
      third_q       <= 3'd1;
      plane_q       <= '0;
      base_q        <= column_begin[15:0];
      column_q      <= column_begin;
      column_rest_q <= p.first_rest;
      first_slice_q <= 1'b1;
      first_read_q  <= 1'b1;
      entry_q       <= state_q == Idle ? p.column_begin : group_entry_q;
      x_q           <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, p, unused_a_first, unused_a_count, unused_ky, unused_ends};
endmodule
