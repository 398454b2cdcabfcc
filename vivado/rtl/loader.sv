/// Walks over the rows that the lanes need and asks for their bytes; says what each request is for.
///
/// For each pass: the weights (CONV), then row step by row step and lane by lane the new rows of A and (WGRAD) of the
/// error. Lane l begins at flat row l * rows, that is at image n, row y, with n * pitch + y = l * rows. Row (y, ky) is
/// row v = y * stride_y - pad_top + ky of the zero-inserted map; v >= virtual_pitch is in the next image.
module loader
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter  config_t     Build    = CONFIG_TINY,
    parameter  int unsigned Writers  = 2,
    localparam int unsigned LaneBits = $clog2(Build.lanes)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,       ///< begin with plan_i
    input  plan_t               plan_i,        ///< stable until done_o
    output logic                done_o,        ///< everything of the plan was asked for
    input  logic                step_done_i,   ///< the array has done with a row step, and with a chunk
    input  logic                chunk_done_i,
    input  logic                array_idle_i,
    input  logic                halt_i,        ///< ask for nothing more
    output logic                req_valid_o,   ///< bytes to read, and the job that takes them
    input  logic                req_ready_i,
    output logic [31:0]         req_addr_o,
    output logic [17:0]         req_bytes_o,
    output job_t                job_o,
    output logic [$clog2(Writers)-1:0] job_writer_o,
    output logic                mark_valid_o,  ///< a row step has been asked for: mark it in all writers
    input  logic                mark_ready_i,
    output logic                mask_valid_o,  ///< which kernel rows of a lane's row are inside the map
    output logic [LaneBits-1:0] mask_lane_o,
    output logic [ RowBits-1:0] mask_row_o,
    output logic [        14:0] mask_o,
    output logic                row_valid_o,   ///< CONV: where a lane's row goes
    output logic                row_live_o,
    output logic [        31:0] row_address_o,
    output logic [        31:0] row_element_o,
    output logic [        31:0] row_sums_o
);
  localparam int unsigned G = Build.slice_groups;
  localparam int unsigned L = Build.lanes;

  typedef enum logic [3:0] {
    Idle, PassWait, Deal, Weights, StepWait, LaneBegin, LaneBase, Divide, KernelRow, RowAddress, RowParts,
    ErrorAddress, ErrorParts, LaneEnd, StepMark, PassEnd
  } state_e;

  typedef struct packed {
    logic [16:0] n;
    logic [15:0] y;
    logic [31:0] a;        // address of the image in A
    logic [31:0] b;        // in the error (WGRAD)
    logic [31:0] out;      // in the result (CONV)
    logic [31:0] element;
    logic [31:0] sums;
  } lane_state_t;

  state_e state_q;
  plan_t p;
  assign p = plan_i;

  // The pass.
  logic pass_next, pass_last;
  logic [11:0] a_first, a_count, y_first, y_count;
  logic [3:0] ky_first;
  pass_counter u_pass (
      .clk_i,
      .start_i   (start_i),
      .next_i    (pass_next),
      .plan_i,
      .a_first_o (a_first),
      .a_count_o (a_count),
      .y_first_o (y_first),
      .y_count_o (y_count),
      .ky_first_o(ky_first),
      .last_o    (pass_last)
  );

  // Blocks that earlier passes have covered (WGRAD).
  logic [31:0] a_offset_q, b_offset_q;
  always_ff @(posedge clk_i) begin
    a_offset_q <= 32'(a_first) * p.c.a_block_stride;
    b_offset_q <= 32'(y_first) * p.c.b_block_stride;
  end

  // Lanes: where each is.
  lane_state_t states_q[L];
  lane_state_t deal_q, lane_q, moved;
  logic [LaneBits-1:0] lane_q_index;
  logic lane_last, deal_wraps, row_ends;
  logic [16:0] deal_y;

  assign lane_last  = lane_q_index == LaneBits'(L - 1);
  assign deal_y     = 17'(deal_q.y) + 17'(p.lane_rest);
  assign deal_wraps = deal_y >= 17'(p.pitch);

  always_comb begin
    moved = lane_q;
    if (row_ends) begin
      moved.y = lane_q.y + 16'd1;
      if (moved.y == p.pitch) begin
        moved = '{
            n: lane_q.n + 17'd1,
            y: '0,
            a: lane_q.a + p.c.a_image_stride,
            b: lane_q.b + p.c.b_image_stride,
            out: lane_q.out + p.c.out_image_stride,
            element: lane_q.element + p.image_element,
            sums: lane_q.sums + p.image_sums
        };
      end
    end
  end

  // Steps: the row of every lane, and the span of its columns.
  logic [27:0] row_left_q;
  logic [11:0] span_q;
  logic [RowBits-1:0] step_q;          // row step modulo RowDepth
  logic [5:0] ahead_q;                 // row steps asked for that the array has not done
  logic [1:0] chunks_q;                // chunks begun that the array has not done
  logic [4:0] chunk_row_q;
  logic first_step_q, chunk_buffer_q, room, new_chunk;
  logic [16:0] ring_q, ring_next_q;    // place of the first new row of the step, of the next one
  logic [16:0] ring_step;
  logic signed [17:0] column_q;        // first column of the span in A: span * SpanMax * stride_x - pad_left
  logic [11:0] error_column_q;         // and in the error

  assign row_ends  = span_q + 12'd1 == p.spans;
  assign new_chunk = chunk_row_q == '0;
  assign room = 32'(ahead_q) * 32'(p.step_rows) + 32'(p.pass_ky) <= 32'(p.ring_rows) && ahead_q < 6'(RowDepth - 4)
      && (!p.c.wgrad || !new_chunk || chunks_q < (p.two_chunks ? 2'd2 : 2'd1));
  assign ring_step = ring_next_q + 17'(p.row_words) >= p.ring_words ? ring_next_q + 17'(p.row_words) - p.ring_words
                                                                    : ring_next_q + 17'(p.row_words);

  // One row of one lane.
  logic signed [20:0] v_q;
  logic [20:0] row_q;                  // v / up_y, and
  logic [3:0] rest_q;                  // v % up_y, kept from 0 and from the next image's 0 on
  logic next_q;                        // v is in the next image
  logic [3:0] ky_q;
  logic [14:0] mask_q;
  logic live, in_map, is_new, has_row;
  logic [4:0] divide_q;
  logic [20:0] base_product_q;
  logic [31:0] row_product_q, error_product_q, out_product_q, element_product_q, sums_product_q;

  assign live    = lane_q.n < 17'(p.c.images) && lane_q.y < 16'(p.c.y_height);
  assign in_map  = !v_q[20] && rest_q == '0 && row_q < 21'(p.c.a_height);
  assign is_new  = first_step_q || ky_q >= p.pass_ky - p.step_rows;
  assign has_row = in_map && lane_q.n + 17'(next_q) < 17'(p.c.images);

  // Parts of a row: its blocks, or the planes of a run of it.
  logic [11:0] part_q, parts;
  logic [31:0] address_q;
  logic [15:0] place_q;
  logic signed [17:0] run_begin, run_end;
  logic [17:0] run_words;
  logic [11:0] error_run;
  logic run_empty;

  assign run_begin = !p.segmented || column_q < 0 ? 18'sd0 : column_q;
  assign run_end   = !p.segmented || column_q + 18'(p.row_width) > 18'(p.c.a_width) ? 18'(p.c.a_width)
                                                                                   : column_q + 18'(p.row_width);
  assign run_empty = run_end <= run_begin;
  assign run_words = p.segmented ? 18'(run_end - run_begin) : 18'(p.block_words);
  assign error_run = p.c.y_width - error_column_q < p.span ? p.c.y_width - error_column_q : p.span;

  // Weights: column by column, block by block.
  logic [11:0] group_q;
  logic [3:0] column_index_q;
  logic [31:0] column_address_q;
  logic [15:0] entry_q, group_entry_q, taps_entries_q;
  logic [5:0] slot_q;
  logic [6:0] slot_sum;
  logic slot_wraps;
  assign slot_sum   = 7'(slot_q) + 7'(p.taps_mod);
  assign slot_wraps = slot_sum >= 7'(G);

  // The error: entries of the chunk's rows.
  logic [15:0] error_entry_q, span_entries_q;
  logic [1:0] error_place_q;
  logic [2:0] place_sum;
  assign place_sum = 3'(error_place_q) + 3'(p.span_mod3);

  always_comb begin
    req_valid_o  = 1'b0;
    req_addr_o   = address_q;
    req_bytes_o  = {run_words[16:0], 1'b0};
    parts        = p.segmented ? 12'(p.c.a_bits) : a_count;
    job_o        = '{kind: JobLane, target: 8'(lane_q_index), address: place_q, words: run_words, slot: '0, planes: '0,
                     run: '0};
    job_writer_o = ($clog2(Writers))'(32'(lane_q_index) % Writers);
    unique case (state_q)
      Weights: begin
        req_valid_o  = !halt_i;
        req_bytes_o  = p.b_tile[17:0];
        job_o        = '{kind: JobWeights, target: 8'(column_index_q), address: entry_q, words: p.b_tile[18:1],
                         slot: slot_q, planes: p.c.b_bits, run: 12'(p.c.kernel_w)};
        job_writer_o = ($clog2(Writers))'(32'(column_index_q) % Writers);
      end
      RowParts: req_valid_o = !halt_i;
      ErrorParts: begin
        req_valid_o = !halt_i;
        req_bytes_o = p.segmented ? {5'd0, error_run, 1'b0} : p.b_row_bytes;
        parts       = p.segmented ? 12'(p.c.b_bits) : y_count;
        job_o       = '{kind: JobError, target: 8'(lane_q_index), address: place_q,
                        words: p.segmented ? 18'(error_run) : {1'b0, p.b_row_bytes[17:1]},
                        slot: 6'(error_place_q), planes: p.segmented ? 5'd1 : p.c.b_bits, run: error_run};
      end
      default: ;
    endcase
  end
  assign mark_valid_o  = state_q == StepMark && !halt_i;
  assign mask_valid_o  = state_q == LaneEnd;
  assign mask_lane_o   = lane_q_index;
  assign mask_row_o    = step_q;
  assign mask_o        = mask_q;
  assign row_valid_o   = state_q == LaneEnd && !p.c.wgrad;
  assign row_live_o    = live;
  assign row_address_o = lane_q.out + out_product_q;
  assign row_element_o = lane_q.element + element_product_q;
  assign row_sums_o    = lane_q.sums + sums_product_q;
  assign pass_next     = state_q == PassEnd && !pass_last;
  assign done_o        = state_q == Idle;

  logic part_last;
  assign part_last = part_q + 12'd1 == parts;

  always_ff @(posedge clk_i) begin
    base_product_q    <= 21'(lane_q.y) * 21'(p.c.stride_y);
    row_product_q     <= 32'(row_q[11:0]) * 32'(p.a_row_bytes);
    error_product_q   <= 32'(lane_q.y[11:0]) * 32'(p.b_row_bytes);
    out_product_q     <= 32'(lane_q.y[11:0]) * 32'(p.out_row_bytes);
    element_product_q <= 32'(lane_q.y[11:0]) * {16'd0, p.c.y_width, 4'd0};
    sums_product_q    <= 32'(lane_q.y[11:0]) * {18'd0, p.c.y_width, 2'd0};
    span_entries_q    <= 16'(32'(p.span_div3) * 32'(p.c.b_bits));
    taps_entries_q    <= 16'(32'(p.taps_div) * 32'(p.c.b_bits));

    ahead_q  <= ahead_q + 6'(mark_valid_o && mark_ready_i) - 6'(step_done_i);
    chunks_q <= chunks_q + 2'(mark_valid_o && mark_ready_i && new_chunk && p.c.wgrad) - 2'(chunk_done_i && p.c.wgrad);

    unique case (state_q)
      Idle:
      if (start_i) begin
        state_q          <= PassWait;
        ahead_q          <= '0;
        chunks_q         <= '0;
        column_address_q <= p.c.b_addr;
      end
      PassWait: begin
        // The array must have done with the column memories before they are loaded anew.
        if (ahead_q == '0 && array_idle_i) state_q <= Deal;
        lane_q_index   <= '0;
        deal_q         <= '{n: '0, y: '0, a: p.c.a_addr, b: p.c.b_addr, out: p.c.out_addr, element: '0,
                            sums: p.c.sums_addr};
        row_left_q     <= p.rows;
        span_q         <= '0;
        step_q         <= '0;
        chunk_row_q    <= '0;
        chunk_buffer_q <= 1'b0;
        first_step_q   <= 1'b1;
        ring_q         <= '0;
        column_q       <= -18'(p.c.pad_left);
        error_column_q <= '0;
        error_entry_q  <= '0;
        error_place_q  <= '0;
        group_q        <= '0;
        column_index_q <= '0;
        part_q         <= '0;
        entry_q        <= '0;
        group_entry_q  <= '0;
        slot_q         <= '0;
        address_q      <= column_address_q;
      end
      Deal: begin
        states_q[lane_q_index] <= deal_q;
        deal_q <= '{
            n: deal_q.n + 17'(p.lane_images) + 17'(deal_wraps),
            y: deal_wraps ? 16'(deal_y - 17'(p.pitch)) : deal_y[15:0],
            a: deal_q.a + p.lane_a + (deal_wraps ? p.c.a_image_stride : '0),
            b: deal_q.b + p.lane_b + (deal_wraps ? p.c.b_image_stride : '0),
            out: deal_q.out + p.lane_out + (deal_wraps ? p.c.out_image_stride : '0),
            element: deal_q.element + p.lane_element + (deal_wraps ? p.image_element : '0),
            sums: deal_q.sums + p.lane_sums + (deal_wraps ? p.image_sums : '0)
        };
        lane_q_index <= lane_last ? '0 : lane_q_index + 1'b1;
        if (lane_last) state_q <= p.c.wgrad ? StepWait : Weights;
      end
      Weights:
      if (req_valid_o && req_ready_i) begin
        address_q <= address_q + p.c.b_block_stride;
        slot_q    <= slot_wraps ? 6'(slot_sum - 7'(G)) : slot_sum[5:0];
        entry_q   <= entry_q + taps_entries_q + (slot_wraps ? 16'(p.c.b_bits) : '0);
        part_q    <= part_q + 12'd1;
        if (part_q + 12'd1 == p.c.a_blocks) begin
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
            if (group_q + 12'd1 == y_count) state_q <= StepWait;
          end
        end
      end
      StepWait: begin
        lane_q_index <= '0;
        if (room) state_q <= LaneBegin;
      end
      LaneBegin: begin
        lane_q      <= states_q[lane_q_index];
        ring_next_q <= ring_q;
        ky_q        <= '0;
        state_q     <= LaneBase;
        next_q      <= 1'b0;
        mask_q      <= '0;
        divide_q    <= '0;
      end
      LaneBase: begin
        // One cycle for the product of y and the stride.
        divide_q <= 5'd1;
        if (divide_q[0]) begin
          v_q      <= 21'(base_product_q) - 21'(p.c.pad_top) + 21'(ky_first);
          row_q    <= base_product_q - 21'(p.c.pad_top) + 21'(ky_first);
          rest_q   <= '0;
          divide_q <= 5'd21;
          state_q  <= p.c.up_y == 4'd1 ? KernelRow : Divide;
        end
      end
      Divide: begin
        // Restoring division of v by up_y; a negative v needs none, as counting begins anew at 0.
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
      KernelRow: begin
        mask_q[ky_q] <= live && in_map && !next_q;
        if (is_new && has_row && !run_empty) state_q <= RowAddress;
        else begin
          if (is_new) ring_next_q <= ring_step;
          advance_kernel_row();
        end
      end
      RowAddress: begin
        // The product of the row and its bytes is there.
        address_q <= (next_q ? lane_q.a + p.c.a_image_stride : lane_q.a) + row_product_q
            + (p.c.wgrad ? a_offset_q : '0) + {13'd0, run_begin, 1'b0};
        place_q   <= 16'(ring_next_q) + (p.segmented ? 16'(run_begin - column_q) : '0);
        part_q    <= '0;
        state_q   <= RowParts;
      end
      RowParts:
      if (req_valid_o && req_ready_i) begin
        part_q    <= part_q + 12'd1;
        address_q <= address_q + (p.segmented ? {19'd0, p.c.a_width, 1'b0} : p.c.a_block_stride);
        place_q   <= place_q + (p.segmented ? 16'(p.row_width) : p.block_words);
        if (part_last) begin
          part_q      <= '0;
          ring_next_q <= ring_step;
          state_q     <= KernelRow;
          advance_kernel_row();
        end
      end
      ErrorAddress: begin
        address_q <= lane_q.b + error_product_q + b_offset_q + {19'd0, error_column_q, 1'b0};
        place_q   <= (chunk_buffer_q ? p.chunk_entries : '0) + error_entry_q;
        part_q    <= '0;
        state_q   <= live ? ErrorParts : LaneEnd;
      end
      ErrorParts:
      if (req_valid_o && req_ready_i) begin
        part_q    <= part_q + 12'd1;
        address_q <= address_q + (p.segmented ? {19'd0, p.c.y_width, 1'b0} : p.c.b_block_stride);
        place_q   <= place_q + (p.segmented ? 16'd1 : p.group_entries);
        if (part_last) begin
          part_q  <= '0;
          state_q <= LaneEnd;
        end
      end
      LaneEnd: begin
        states_q[lane_q_index] <= moved;
        lane_q_index           <= lane_last ? '0 : lane_q_index + 1'b1;
        state_q                <= lane_last ? StepMark : LaneBegin;
      end
      StepMark:
      if (mark_valid_o && mark_ready_i) begin
        ring_q         <= ring_next_q;
        step_q         <= step_q + 1'b1;
        first_step_q   <= p.segmented;
        span_q         <= row_ends ? '0 : span_q + 12'd1;
        error_column_q <= row_ends ? '0 : error_column_q + p.span;
        column_q       <= row_ends ? -18'(p.c.pad_left) : column_q + 18'(32'(p.span) * 32'(p.c.stride_x));
        row_left_q     <= row_left_q - 28'(row_ends);
        chunk_row_q    <= chunk_row_q + 5'd1;
        error_entry_q  <= error_entry_q + span_entries_q + (place_sum >= 3'd3 ? 16'(p.c.b_bits) : '0);
        error_place_q  <= 2'(place_sum >= 3'd3 ? place_sum - 3'd3 : place_sum);
        if (chunk_row_q + 5'd1 == p.chunk_rows) begin
          chunk_row_q    <= '0;
          chunk_buffer_q <= p.two_chunks && !chunk_buffer_q;
          error_entry_q  <= '0;
          error_place_q  <= '0;
        end
        state_q <= row_ends && row_left_q == 28'd1 ? PassEnd : StepWait;
      end
      PassEnd: state_q <= pass_last ? Idle : PassWait;
      default: state_q <= Idle;
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  // Behind a kernel row: one row of the zero-inserted map further.
  task automatic advance_kernel_row();
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
    if (ky_q + 4'd1 == p.pass_ky) state_q <= p.c.wgrad ? ErrorAddress : LaneEnd;
  endtask

  logic unused;
  assign unused = &{1'b0, p};
endmodule
