/// The reads of a CONV, in the order: pass, row step, output block, column x, slice of K, plane of A.
///
/// A window is one slice of one plane. One read fills the taps of a kernel row if it has three (`by_three`), else one
/// tap.
module conv_reads
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter build_t Build = BUILD_TINY
) (
    input  logic     clk_i,
    input  logic     rst_ni,
    input  logic     start_i,
    input  plan_t    plan_i,
    input  logic     step_ready_i,  ///< the next row step is loaded
    output logic     waits_o,       ///< for a row step
    output logic     valid_o,
    input  logic     ready_i,
    output read_t    read_o,
    output logic     full_o,        ///< this read fills the window
    output window_t  window_o,      ///< that it belongs to
    output logic     opens_o,       ///< this read is the first of a segment
    output segment_t segment_o,
    output logic     step_done_o,   ///< with a read taken: the last of its row step
    output logic     done_o
);
  localparam int unsigned G = Build.slice_groups;

  typedef enum logic [1:0] { Idle, Wait, Read, PassEnd } state_e;

  /// A place in K: block, kernel row, kernel column.
  typedef struct packed {
    logic [15:0] block;    // word where the block begins in a row
    logic [ 3:0] ky;
    logic [16:0] row;      // word where the row begins
    logic [ 3:0] kx;
    logic [19:0] left;     // units after this one
  } place_t;

  state_e state_q;
  plan_t p;
  assign p = plan_i;

  logic pass_last;
  logic [11:0] y_first, y_count, unused_a_first, unused_a_count;
  logic [3:0] unused_ky;
  pass_counter u_pass (
      .clk_i,
      .start_i   (start_i),
      .next_i    (state_q == PassEnd),
      .plan_i,
      .a_first_o (unused_a_first),
      .a_count_o (unused_a_count),
      .y_first_o (y_first),
      .y_count_o (y_count),
      .ky_first_o(unused_ky),
      .last_o    (pass_last)
  );

  // Loops, from the outside in.
  logic [27:0] rows_left_q;
  logic first_step_q, last_step_q;       // of the pass; the latter a cycle later
  logic [RowBits-1:0] step_q;
  logic [16:0] ring_q, ring_next;
  logic [11:0] group_q, block_q;         // of the pass, of the result
  logic [15:0] group_entry_q;
  logic [31:0] group_element_q, group_address_q, pass_element_q, pass_address_q;
  logic [11:0] x_q;
  logic [11:0] segment_x_q;
  logic [5:0] pixel_q;                   // in the segment
  logic [2:0] slot_q, slot_next;
  logic first_pixel_q;
  logic signed [17:0] column_q;          // floor((x * stride_x - pad_left) / up_x)
  logic [3:0] column_rest_q;             // and the remainder
  logic [15:0] slice_left_q, entry_q;
  logic [3:0] plane_q;
  logic [15:0] plane_word_q;
  place_t slice_q, place_q, place_next, origin;
  logic [5:0] unit_q;
  logic [1:0] unit_mod3_q;

  logic unit_last, plane_last, slice_last, x_last, segment_last, group_last;
  logic [6:0] segment_pixels;
  logic [5:0] units_per_slice;

  assign units_per_slice = p.by_three ? 6'(G / 3) : 6'(G);
  assign unit_last    = unit_q + 6'd1 == units_per_slice || place_q.left == '0;
  assign plane_last   = 5'(plane_q) + 5'd1 == p.c.a_bits;
  assign slice_last   = slice_left_q == 16'd1;
  assign x_last       = x_q + 12'd1 == p.c.y_width;
  assign segment_last = x_last || 7'(pixel_q) + 7'd1 == segment_pixels;
  assign group_last   = group_q + 12'd1 == y_count;
  assign ring_next    = ring_q + p.step_words >= p.ring_end ? ring_q + p.step_words - p.ring_words
                                                              : ring_q + p.step_words;

  always_comb begin
    unique case (32'(p.c.out_format))
      FORMAT_INT32: segment_pixels = 7'd1 << (p.segment_log - 3'd1);
      FORMAT_INT64: segment_pixels = 7'd1 << (p.segment_log - 3'd2);
      default:      segment_pixels = 7'd1 << p.segment_log;
    endcase
    slot_next = 7'(slot_q) + 7'd1 == 7'(LanePieces) >> p.segment_log ? '0 : slot_q + 3'd1;
  end

  // The next place in K.
  logic [16:0] row_next;
  assign row_next = place_q.row + 17'(p.row_words) >= p.ring_end ? place_q.row + 17'(p.row_words) - p.ring_words
                                                                   : place_q.row + 17'(p.row_words);
  always_comb begin
    place_next      = place_q;
    place_next.left = place_q.left - 20'd1;
    if (!p.by_three && place_q.kx + 4'd1 != p.c.kernel_w) begin
      place_next.kx = place_q.kx + 4'd1;
    end else begin
      place_next.kx = '0;
      place_next.ky = place_q.ky + 4'd1;
      place_next.row = row_next;
      if (place_q.ky + 4'd1 == p.c.kernel_h) begin
        place_next.ky    = '0;
        place_next.row   = ring_q;
        place_next.block = place_q.block + p.block_words;
      end
    end
    origin = '{block: '0, ky: '0, row: ring_q, kx: '0, left: p.units - 20'd1};
  end

  /// Quotients and remainders of x / y at {y, x}: a divider's subtractions follow each other, a table is two LUTs deep.
  typedef logic [15:0][63:0][9:0] quotients_t;
  function automatic quotients_t quotients();
    for (int unsigned y = 0; y < 16; y++) begin
      for (int unsigned x = 0; x < 64; x++) quotients[y][x] = y == 0 ? '0 : {6'(x / y), 4'(x % y)};
    end
  endfunction
  localparam quotients_t Quotients = quotients();

  // The columns of the words that are read: kx after column_q, if up_x divides.
  logic signed [17:0] tap_column;
  logic [5:0] tap_sum, tap_quotient;
  logic [3:0] tap_rest;
  logic tap_divides;
  assign tap_sum      = 6'(5'(column_rest_q) + 5'(place_q.kx));
  assign {tap_quotient, tap_rest} = Quotients[p.c.up_x][tap_sum];
  assign tap_column   = p.by_three ? column_q : column_q + 18'($signed({1'b0, tap_quotient}));
  assign tap_divides  = p.by_three || tap_rest == '0;

  function automatic logic in_map(logic signed [17:0] column, logic [11:0] width);
    return column >= 0 && column < 18'($signed({1'b0, width}));
  endfunction

  always_comb begin
    read_o = '{
        start: 16'(place_q.row) + place_q.block + plane_word_q + 16'(tap_column) - (p.by_three ? '0 : 16'(unit_mod3_q)),
        words: '0,
        slots: p.by_three ? 64'd7 << (3 * 32'(unit_q)) : 64'd1 << unit_q,
        clear: unit_q == '0,
        row: step_q,
        ky: place_q.ky
    };
    if (p.by_three) begin
      for (int w = 0; w < 3; w++) read_o.words[w] = in_map(column_q + 18'(w), p.c.a_width);
    end else begin
      read_o.words[unit_mod3_q] = tap_divides && in_map(tap_column, p.c.a_width);
    end
    window_o = '{
        entry: entry_q,
        plane: plane_q,
        first: plane_q == '0 && slice_left_q == p.slices,
        last: plane_last && slice_last,
        group: '{
            store: 1'b1,
            fresh: 1'b1,
            accumulate: 1'b0,
            entry: '0,
            row: TableBits'(step_q),
            element: group_element_q + {16'd0, x_q, 4'd0},
            pixel: pixel_q[4:0],
            slot: slot_q,
            close: segment_last,
            begins: first_step_q && x_q == '0,
            tally: SlotBits'(block_q)
        }
    };
    segment_o = '{
        slot: slot_q,
        row: TableBits'(step_q),
        address: group_address_q + (p.c.out_format == 2'(FORMAT_PLANES) ? 32'(segment_x_q) << 1
                                    : 32'(segment_x_q) << (5 + 32'(p.c.out_format))),
        sums: 32'(segment_x_q) << 2,
        pixels: 12'(segment_pixels) < p.c.y_width - segment_x_q ? segment_pixels[5:0] : 6'(p.c.y_width - segment_x_q),
        with_sums: p.c.flags[FLAG_ROW_SUMS] && y_first == '0 && group_q == '0,
        with_tally: p.c.flags[FLAG_STATS] && last_step_q && 12'(segment_pixels) >= p.c.y_width - segment_x_q,
        block: block_q
    };
  end

  logic taken;
  assign valid_o     = state_q == Read;
  assign waits_o     = state_q == Wait && !step_ready_i;
  assign taken       = valid_o && ready_i;
  assign full_o      = unit_last;
  assign opens_o     = first_pixel_q && slice_left_q == p.slices && plane_q == '0 && unit_q == '0;
  assign step_done_o = taken && unit_last && plane_last && slice_last && x_last && group_last;
  assign done_o      = state_q == Idle;

  // After a column: one column, that is stride_x of the zero-inserted map, further.
  logic [5:0] step_sum, step_quotient;
  logic [3:0] step_rest;
  assign step_sum = 6'(5'(column_rest_q) + 5'(p.c.stride_x));
  assign {step_quotient, step_rest} = Quotients[p.c.up_x][step_sum];

  // Column 0: -pad_left, floored. Both are there long before the first row step.
  logic signed [17:0] column_begin;
  logic [3:0] rest_begin;
  logic [5:0] pad_sum, pad_up_q;
  logic [3:0] pad_rest_q;
  assign pad_sum      = 6'(p.c.pad_left) + 6'(p.c.up_x) - 6'd1;
  assign column_begin = -18'($signed({1'b0, pad_up_q}));
  assign rest_begin   = p.c.up_x - 4'd1 - pad_rest_q;
  always_ff @(posedge clk_i) {pad_up_q, pad_rest_q} <= Quotients[p.c.up_x][pad_sum];

  always_ff @(posedge clk_i) begin
    last_step_q <= rows_left_q == 28'd1;
    unique case (state_q)
      Idle:
      if (start_i && !p.c.wgrad) begin
        state_q         <= Wait;
        step_q          <= p.first_step;
        ring_q          <= p.ring_begin;
        rows_left_q     <= p.rows;
        first_step_q    <= 1'b1;
        slot_q          <= '0;
        group_q         <= '0;
        block_q         <= '0;
        group_entry_q   <= p.column_begin;
        group_element_q <= '0;
        group_address_q <= '0;
        pass_element_q  <= '0;
        pass_address_q  <= '0;
      end
      Wait: begin
        x_q           <= '0;
        segment_x_q   <= '0;
        pixel_q       <= '0;
        first_pixel_q <= 1'b1;
        column_q      <= column_begin;
        column_rest_q <= rest_begin;
        slice_left_q  <= p.slices;
        entry_q       <= group_entry_q;
        plane_q       <= '0;
        plane_word_q  <= '0;
        slice_q       <= origin;
        place_q       <= origin;
        unit_q        <= '0;
        unit_mod3_q   <= '0;
        if (step_ready_i) state_q <= Read;
      end
      Read:
      if (taken) begin
        place_q     <= place_next;
        unit_q      <= unit_q + 6'd1;
        unit_mod3_q <= unit_mod3_q == 2'd2 ? '0 : unit_mod3_q + 2'd1;
        if (unit_last) begin
          unit_q       <= '0;
          unit_mod3_q  <= '0;
          plane_q      <= plane_q + 4'd1;
          plane_word_q <= plane_word_q + 16'(p.row_width);
          place_q      <= slice_q;
          if (plane_last) begin
            plane_q      <= '0;
            plane_word_q <= '0;
            slice_q      <= place_next;
            place_q      <= place_next;
            slice_left_q <= slice_left_q - 16'd1;
            entry_q      <= entry_q + 16'(p.c.b_bits);
            if (slice_last) begin
              slice_q       <= origin;
              place_q       <= origin;
              slice_left_q  <= p.slices;
              entry_q       <= group_entry_q;
              x_q           <= x_q + 12'd1;
              column_q      <= column_q + 18'($signed({1'b0, step_quotient}));
              column_rest_q <= step_rest;
              pixel_q       <= pixel_q + 6'd1;
              first_pixel_q <= 1'b0;
              if (segment_last) begin
                pixel_q       <= '0;
                first_pixel_q <= 1'b1;
                segment_x_q   <= x_q + 12'd1;
                slot_q        <= slot_next;
              end
              if (x_last) begin
                x_q             <= '0;
                segment_x_q     <= '0;
                column_q        <= column_begin;
                column_rest_q   <= rest_begin;
                group_q         <= group_q + 12'd1;
                block_q         <= block_q + 12'd1;
                entry_q         <= group_entry_q + p.group_entries;
                group_entry_q   <= group_entry_q + p.group_entries;
                group_element_q <= group_element_q + p.block_element;
                group_address_q <= group_address_q + p.c.out_block_stride;
                if (group_last) begin
                  group_q         <= '0;
                  block_q         <= y_first;
                  group_entry_q   <= p.column_begin;
                  group_element_q <= pass_element_q;
                  group_address_q <= pass_address_q;
                  step_q          <= step_q + 1'b1;
                  ring_q          <= ring_next;
                  rows_left_q     <= rows_left_q - 28'd1;
                  first_step_q    <= 1'b0;
                  state_q         <= Wait;
                  if (rows_left_q == 28'd1) begin
                    state_q         <= PassEnd;
                    block_q         <= block_q + 12'd1;
                    pass_element_q  <= group_element_q + p.block_element;
                    pass_address_q  <= group_address_q + p.c.out_block_stride;
                    group_element_q <= group_element_q + p.block_element;
                    group_address_q <= group_address_q + p.c.out_block_stride;
                  end
                end
              end
            end
          end
        end
      end
      default: begin
        state_q     <= pass_last ? Idle : Wait;
        rows_left_q <= p.rows;
        first_step_q <= 1'b1;
        ring_q      <= p.ring_begin;
      end
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, p, unused_a_first, unused_a_count, unused_ky};
endmodule
