/// The accelerator's core: executes one checked command after another.
///
/// Loader, array and store are decoupled: the loader fills rings of rows ahead of the array, the store empties slots of
/// its buffer while the array fills others. The loader goes on with the next command while the array works on this
/// one, if there is room for its operands and they are not among this one's results.
module core
  import contract_pkg::*;
  import command_pkg::*;
  import core_pkg::*;
  import rounding_pkg::*;
#(
    parameter  build_t      Build      = BUILD_TINY,
    parameter  bit          VectorUnit = 1'b0,          ///< CONV may have HALF and STATS
    localparam int unsigned BusBytes = Build.bus_bytes
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  flush_i,         ///< drop everything
    output logic                  idle_o,          ///< nothing is in flight, the engines included
    input  logic                  cmd_valid_i,
    output logic                  cmd_ready_o,
    input  decoded_t              cmd_i,
    input  logic [31:0]           mem_base_i,
    output logic                  cmd_done_o,      ///< the oldest command is complete in memory
    output logic                  load_error_o,    ///< it has ended with a failed read, or write; until flush_i
    output logic                  store_error_o,
    output logic                  busy_o,          ///< the array took an operand pair
    output logic                  load_stall_o,    ///< it could have, but operands were missing
    output logic                  store_stall_o,   ///< it could have, but results could not leave
    output logic                  rd_req_valid_o,
    input  logic                  rd_req_ready_i,
    output logic [31:0]           rd_req_addr_o,
    output logic [17:0]           rd_req_bytes_o,
    input  logic                  rd_data_valid_i,
    output logic                  rd_data_ready_o,
    input  logic [8*BusBytes-1:0] rd_data_i,
    input  logic                  rd_last_i,
    input  logic                  rd_error_i,
    input  logic                  rd_idle_i,
    output logic                  wr_req_valid_o,
    input  logic                  wr_req_ready_i,
    output logic [31:0]           wr_req_addr_o,
    output logic [17:0]           wr_req_bytes_o,
    output logic                  wr_data_valid_o,
    input  logic                  wr_data_ready_i,
    output logic [8*BusBytes-1:0] wr_data_o,
    input  logic                  wr_idle_i,
    input  logic                  wr_error_i,
    input  lent_t                 lent_i,          ///< a lane of the rounding, lent while this core is idle
    output logic [15:0][15:0]     lent_values_o
);
  localparam int unsigned L        = Build.lanes;
  localparam int unsigned G        = Build.slice_groups;
  localparam int unsigned M        = memories_of(Build.slice_groups);
  localparam int unsigned Writers  = BusBytes / 4;
  localparam int unsigned LaneBits = $clog2(L);  // of a row of the array, and
  localparam int unsigned MemoryBits = $clog2(M);  // of a lane memory

  if (!legal(Build)) begin : gen_illegal
    $error("core: a parameter of the build is outside its legal range");
  end
  if (G % 3 != 0 || L > M || 16 % Writers != 0 || Build.lane_words >= 65536 || Build.lane_words % 4 != 0
      || 2 ** $clog2(Build.column_words) != Build.column_words) begin : gen_bad
    $error("core: not 3 * n slice_groups for up to 16 * n lanes, 4 * n < 65536 lane_words and 2 ** n column_words");
  end

  logic run_n;
  assign run_n = rst_ni && !flush_i;

  // Commands.
  typedef enum logic [1:0] { Idle, Start, Run, Failed } state_e;
  state_e state_q;
  plan_t next_plan, load_plan_q, plan_q;
  logic plan_valid, plan_take, start, load_start_q;
  logic next_q;  // load_plan_q is of a command that the array has not begun
  span_t a_span, b_span, out_span, sums_span, tally_span;

  planner #(.Build(Build)) u_planner (
      .clk_i,
      .rst_ni      (run_n),
      .cmd_valid_i,
      .cmd_ready_o,
      .cmd_i,
      .mem_base_i,
      .plan_valid_o(plan_valid),
      .plan_ready_i(plan_take),
      .plan_o      (next_plan),
      .a_span_o    (a_span),
      .b_span_o    (b_span),
      .out_span_o  (out_span),
      .sums_span_o (sums_span),
      .tally_span_o(tally_span)
  );
  assign start = state_q == Start;

  // Loading the next command into what this one leaves free of the memories: rings at the other end, entries of the
  // column memories after its own (they wrap). Judged a cycle before.
  logic loader_done, reads_result, fits_beside, may_load_q, beside, high_q;
  logic [RowBits-1:0] load_step;
  logic [15:0] column_end, column_used, column_need;
  logic last_chunk;
  span_t load_out_q, load_sums_q, load_tally_q, out_q, sums_q, tally_q;
  assign reads_result = overlap(a_span, out_q) || overlap(b_span, out_q)
      || (plan_q.c.flags[FLAG_ROW_SUMS] && (overlap(a_span, sums_q) || overlap(b_span, sums_q)))
      || (VectorUnit && plan_q.c.flags[FLAG_STATS] && (overlap(a_span, tally_q) || overlap(b_span, tally_q)));
  assign fits_beside  = 18'(plan_q.ring_words) + 18'(next_plan.ring_words) <= 18'(Build.lane_words)
      && 17'(column_used) + 17'(column_need) <= 17'(Build.column_words) && last_chunk;
  assign column_used  = plan_q.c.wgrad ? plan_q.chunk_entries : plan_q.column_size;
  assign column_need  = next_plan.c.wgrad ? next_plan.chunk_entries : next_plan.column_size;
  assign beside       = state_q != Idle && !high_q;
  assign plan_take    = plan_valid && !next_q && loader_done && (state_q == Idle || (may_load_q && state_q == Run));
  always_ff @(posedge clk_i) begin
    may_load_q   <= plan_valid && state_q inside {Start, Run} && fits_beside && !reads_result;
    load_start_q <= plan_take && run_n;
    if (plan_take) begin
      load_plan_q              <= next_plan;
      load_plan_q.first_step   <= load_step;
      load_plan_q.ring_begin   <= beside ? 17'(Build.lane_words) - next_plan.ring_words : '0;
      load_plan_q.ring_end     <= beside ? 17'(Build.lane_words) : next_plan.ring_words;
      load_plan_q.ring_last    <= (beside ? 17'(Build.lane_words) : next_plan.ring_words) - 17'(next_plan.row_words);
      load_plan_q.column_begin <= column_end;
      load_plan_q.column_free  <= 17'(column_used) + 17'(next_plan.column_size) <= 17'(Build.column_words);
      load_out_q               <= out_span;
      load_sums_q              <= sums_span;
      load_tally_q             <= tally_span;
      high_q                   <= beside;
    end
  end

  // Load.
  logic step_done, chunk_done, feeder_idle, load_failed, step_loaded;
  logic req_valid, req_ready, mark_valid, mark_ready;
  logic [31:0] req_addr;
  logic [17:0] req_bytes;
  job_t job;
  logic [$clog2(Writers)-1:0] job_writer;
  logic mask_valid, row_valid, row_ready, row_live;
  logic [MemoryBits-1:0] mask_lane;
  logic [RowBits-1:0] mask_row;
  logic [14:0] mask;
  logic [31:0] row_address, row_element, row_sums;

  logic rows_valid, rows_ready;
  rows_t rows;
  loader #(.Build(Build)) u_loader (
      .clk_i,
      .rst_ni       (run_n),
      .start_i      (load_start_q),
      .plan_i       (load_plan_q),
      .done_o       (loader_done),
      .step_o       (load_step),
      .column_end_o (column_end),
      .last_chunk_o (last_chunk),
      .step_loaded_i(step_loaded),
      .step_done_i  (step_done),
      .chunk_done_i (chunk_done),
      .array_idle_i (feeder_idle),
      .rows_valid_o (rows_valid),
      .rows_ready_i (rows_ready),
      .rows_o       (rows),
      .mask_valid_o (mask_valid),
      .mask_lane_o  (mask_lane),
      .mask_row_o   (mask_row),
      .mask_o       (mask),
      .row_valid_o  (row_valid),
      .row_ready_i  (row_ready),
      .row_live_o   (row_live),
      .row_address_o(row_address),
      .row_element_o(row_element),
      .row_sums_o   (row_sums)
  );
  row_requests #(.BusBytes(BusBytes), .Writers(Writers)) u_requests (
      .clk_i,
      .rst_ni      (run_n),
      .plan_i      (load_plan_q),
      .rows_valid_i(rows_valid),
      .rows_ready_o(rows_ready),
      .rows_i      (rows),
      .halt_i      (load_failed),
      .req_valid_o (req_valid),
      .req_ready_i (req_ready),
      .req_addr_o  (req_addr),
      .req_bytes_o (req_bytes),
      .job_o       (job),
      .job_writer_o(job_writer),
      .mark_valid_o(mark_valid),
      .mark_ready_i(mark_ready)
  );

  logic [Writers-1:0] lane_valid, triple_valid;
  logic [Writers-1:0][7:0] lane_index, triple_index;
  logic [Writers-1:0][3:0] bank_write;
  logic [Writers-1:0][3:0][13:0] bank_address;
  logic [Writers-1:0][3:0][15:0] load_words;
  logic [Writers-1:0][15:0] word_entry;
  logic [Writers-1:0][2:0] word_write;

  load_dispatch #(.Build(Build), .Writers(Writers)) u_dispatch (
      .clk_i,
      .rst_ni        (run_n),
      .b_bits_i      (load_plan_q.c.b_bits),
      .row_words_i   (load_plan_q.row_words),
      .ring_words_i  (load_plan_q.ring_words),
      .ring_last_i   (load_plan_q.ring_last),
      .req_valid_i   (req_valid),
      .req_ready_o   (req_ready),
      .req_addr_i    (req_addr),
      .req_bytes_i   (req_bytes),
      .job_i         (job),
      .job_writer_i  (job_writer),
      .mark_valid_i  (mark_valid),
      .mark_ready_o  (mark_ready),
      .rd_req_valid_o,
      .rd_req_ready_i,
      .rd_req_addr_o,
      .rd_req_bytes_o,
      .rd_data_valid_i,
      .rd_data_ready_o,
      .rd_data_i,
      .rd_last_i,
      .rd_error_i,
      .error_o       (load_failed),
      .step_loaded_o (step_loaded),
      .lane_valid_o  (lane_valid),
      .lane_o        (lane_index),
      .bank_write_o  (bank_write),
      .bank_address_o(bank_address),
      .triple_valid_o(triple_valid),
      .triple_o      (triple_index),
      .entry_o       (word_entry),
      .word_write_o  (word_write),
      .data_o        (load_words)
  );

  // Compute.
  logic sequencer_done, slot_free, read_valid, ahead_valid, window_valid, open_valid, waits, store_waits;
  logic [3:0][13:0] read_address;
  logic [15:0] ahead_entry;
  read_t read;
  window_t window;
  segment_t segment;
  logic [31:0] set_address, set_element, set_sums;
  logic [3:0] set_taps;

  sequencer #(.Build(Build)) u_sequencer (
      .clk_i,
      .rst_ni        (run_n),
      .start_i       (start),
      .plan_i        (plan_q),
      .done_o        (sequencer_done),
      .step_loaded_i (step_loaded),
      .slot_free_i   (slot_free),
      .read_valid_o  (read_valid),
      .read_address_o(read_address),
      .read_o        (read),
      .ahead_valid_o (ahead_valid),
      .ahead_entry_o (ahead_entry),
      .window_valid_o(window_valid),
      .window_o      (window),
      .open_valid_o  (open_valid),
      .open_segment_o(segment),
      .set_address_o (set_address),
      .set_element_o (set_element),
      .set_sums_o    (set_sums),
      .set_taps_o    (set_taps),
      .step_done_o   (step_done),
      .chunk_done_o  (chunk_done),
      .load_stall_o  (waits),
      .store_stall_o (store_waits)
  );

  read_t fill_q;
  logic fill_valid_read_q;
  always_ff @(posedge clk_i) begin
    fill_q            <= read;
    fill_valid_read_q <= read_valid;
  end

  logic [15:0] entry_ahead;
  logic [M/8-1:0][15:0] entry_q;  // one for eight lanes
  copies #(.Bits(16), .Copies(M / 8)) u_entry (.clk_i, .data_i(entry_ahead), .data_o(entry_q));

  logic [G-1:0][15:0] windows[M];
  logic [2:0][15:0] triples[M];
  for (genvar l = 0; l < M; l++) begin : gen_lane
    // One writer for the lane's rows, its pixels of the error, and the weights of column l mod 16.
    localparam int unsigned Own = l % Writers;
    logic lane_hit, triple_hit;
    logic fill_valid_q, fill_clear_q;
    logic [1:0] fill_rotate_q;
    logic [2:0] fill_words_q;
    logic [G-1:0] fill_slots_q;
    copies #(.Bits(G + 7), .Copies(1)) u_fill (
        .clk_i,
        .data_i({fill_valid_read_q, fill_q.clear, fill_q.start[1:0], fill_q.words, fill_q.slots[G-1:0]}),
        .data_o({fill_valid_q, fill_clear_q, fill_rotate_q, fill_words_q, fill_slots_q})
    );
    assign lane_hit   = lane_valid[Own] && lane_index[Own] == 8'(l / Writers);
    assign triple_hit = triple_valid[Own] && triple_index[Own] == 8'(l / Writers);
    lane #(.Words(Build.lane_words), .ColumnWords(Build.column_words), .Slots(G)) u_lane (
        .clk_i,
        .bank_write_i  (lane_hit ? bank_write[Own] : '0),
        .bank_address_i(bank_address[Own]),
        .bank_data_i   (load_words[Own]),
        .mask_write_i  (mask_valid && mask_lane == MemoryBits'(l)),
        .mask_row_i    (mask_row),
        .mask_i        (mask),
        .read_valid_i  (read_valid),
        .read_address_i(read_address),
        .read_row_i    (read.row),
        .read_ky_i     (read.ky),
        .fill_valid_i  (fill_valid_q),
        .fill_rotate_i (fill_rotate_q),
        .fill_words_i  (fill_words_q),
        .fill_slots_i  (fill_slots_q),
        .fill_clear_i  (fill_clear_q),
        .window_o      (windows[l]),
        .word_write_i  (triple_hit ? word_write[Own] : '0),
        .word_entry_i  (word_entry[Own]),
        .word_data_i   (load_words[Own][2:0]),
        .entry_i       (entry_q[l/8]),
        .triple_o      (triples[l])
    );
  end

  logic take, op_valid, op_first, op_last, op_sums, op_negate, op_negate_a;
  logic [4:0] op_shift;
  logic [3:0] op_plane;
  group_t op_group;
  feeder u_feeder (
      .clk_i,
      .rst_ni        (run_n),
      .plan_i        (plan_q),
      .ahead_valid_i (ahead_valid),
      .ahead_entry_i (ahead_entry),
      .window_valid_i(window_valid),
      .window_i      (window),
      .entry_ahead_o (entry_ahead),
      .take_o        (take),
      .op_valid_o    (op_valid),
      .op_first_o    (op_first),
      .op_last_o     (op_last),
      .op_sums_o     (op_sums),
      .op_negate_o   (op_negate),
      .op_negate_a_o (op_negate_a),
      .op_shift_o    (op_shift),
      .op_plane_o    (op_plane),
      .op_group_o    (op_group),
      .idle_o        (feeder_idle)
  );

  logic next_valid, drain_valid, acc_valid;
  logic [7:0] ahead_pair, next_pair, drain_pair, acc_pair;
  logic [1:0] drain_part, acc_part;
  group_t ahead_group, next_group, drain_group, acc_group;
  logic [1:0][15:0][47:0] drain_results, acc_results;
  logic [1:0][31:0] drain_sums, acc_sums;
  array #(.Build(Build)) u_array (
      .clk_i,
      .rst_ni         (run_n),
      .wgrad_i        (plan_q.c.wgrad),
      .out_format_i   (plan_q.c.out_format),
      .windows_i      (windows),
      .triples_i      (triples),
      .take_i         (take),
      .op_valid_i     (op_valid),
      .op_first_i     (op_first),
      .op_last_i      (op_last),
      .op_sums_i      (op_sums),
      .op_negate_i    (op_negate),
      .op_negate_a_i  (op_negate_a),
      .op_shift_i     (op_shift),
      .op_plane_i     (op_plane),
      .op_group_i     (op_group),
      .ahead_pair_o   (ahead_pair),
      .ahead_group_o  (ahead_group),
      .next_valid_o   (next_valid),
      .next_pair_o    (next_pair),
      .next_group_o   (next_group),
      .drain_valid_o  (drain_valid),
      .drain_pair_o   (drain_pair),
      .drain_part_o   (drain_part),
      .drain_group_o  (drain_group),
      .drain_results_o(drain_results),
      .drain_sums_o   (drain_sums)
  );
  accumulator #(.VectorUnit(VectorUnit)) u_accumulator (
      .clk_i,
      .rst_ni       (run_n),
      .half_i       (plan_q.c.flags[FLAG_HALF]),
      .ahead_valid_i(next_valid),
      .ahead_pair_i (next_pair),
      .ahead_group_i(next_group),
      .valid_i      (drain_valid),
      .pair_i       (drain_pair),
      .part_i       (drain_part),
      .group_i      (drain_group),
      .results_i    (drain_results),
      .sums_i       (drain_sums),
      .valid_o      (acc_valid),
      .pair_o       (acc_pair),
      .part_o       (acc_part),
      .group_o      (acc_group),
      .results_o    (acc_results),
      .sums_o       (acc_sums)
  );

  // Results.
  logic [TableBits-1:0] element_row;
  logic [$clog2(TableRows*L/2)-1:0] table_place;
  logic [7:0] element_pair;
  logic [1:0][31:0] elements;
  logic [1:0] elements_live;
  logic acc_last;
  logic [1:0] table_live;
  logic [1:0][31:0] table_address, table_sums;
  row_table #(.Lanes(L)) u_table (
      .clk_i,
      .rst_ni        (run_n),
      .plan_i        (plan_q),
      .row_valid_i   (row_valid),
      .row_ready_o   (row_ready),
      .row_lane_i    (LaneBits'(mask_lane)),
      .row_i         (mask_row),
      .row_live_i    (row_live),
      .row_address_i (row_address),
      .row_element_i (row_element),
      .row_sums_i    (row_sums),
      .set_valid_i   (open_valid && plan_q.c.wgrad),
      .set_row_i     (segment.row),
      .set_address_i (set_address),
      .set_element_i (set_element),
      .set_sums_i    (set_sums),
      .set_taps_i    (set_taps),
      .element_row_i (element_row),
      .element_pair_i(element_pair),
      .element_o     (elements),
      .element_live_o(elements_live),
      .read_place_i  (table_place),
      .read_live_o   (table_live),
      .read_address_o(table_address),
      .read_sums_o   (table_sums)
  );

  assign acc_last = acc_group.close && acc_pair == 8'(L / 2 - 1) && acc_part == last_part_of(plan_q.c.out_format);

  rounded_t rounded;
  logic piece_valid, piece_last, sums_valid;
  logic [1:0][7:0] piece_lane;
  logic [1:0][5:0] piece_index;
  logic [1:0][255:0] piece_data;
  logic [5:0] sums_piece;
  logic [7:0] sums_pair;
  logic [1:0][31:0] sums;
  epilogue #(.Lends(VectorUnit)) u_epilogue (
      .clk_i,
      .rst_ni         (run_n),
      .plan_i         (plan_q),
      .seed_valid_i   (load_start_q),
      .seed_lo_i      (load_plan_q.c.seed_lo),
      .seed_hi_i      (load_plan_q.c.seed_hi),
      .seed_own_i     (!next_q),
      .ahead_pair_i   (ahead_pair),
      .ahead_group_i  (ahead_group),
      .valid_i        (acc_valid),
      .pair_i         (acc_pair),
      .part_i         (acc_part),
      .last_i         (acc_last),
      .group_i        (acc_group),
      .results_i      (acc_results),
      .sums_i         (acc_sums),
      .table_row_o    (element_row),
      .table_pair_o   (element_pair),
      .table_element_i(elements),
      .table_live_i   (elements_live),
      .rounded_o      (rounded),
      .valid_o        (piece_valid),
      .last_o         (piece_last),
      .lane_o         (piece_lane),
      .piece_o        (piece_index),
      .data_o         (piece_data),
      .sums_valid_o   (sums_valid),
      .sums_piece_o   (sums_piece),
      .sums_pair_o    (sums_pair),
      .sums_o         (sums),
      .lent_i,
      .lent_values_o
  );

  logic buffer_read, store_idle;
  logic [7:0] buffer_lane;
  logic [4:0] buffer_place;
  logic buffer_plane, buffer_turn;
  logic [3:0] buffer_word;
  logic [2:0] buffer_sums_place;
  logic [511:0] buffer_data;
  logic [255:0] buffer_sums;
  store_buffer #(.Lanes(L)) u_buffer (
      .clk_i,
      .write_i      (piece_valid),
      .write_lane_i (piece_lane),
      .write_piece_i(piece_index),
      .write_data_i (piece_data),
      .sums_write_i (sums_valid),
      .sums_piece_i (sums_piece),
      .sums_pair_i  (sums_pair),
      .sums_i       (sums),
      .read_i       (buffer_read),
      .read_lane_i  (buffer_lane),
      .read_place_i (buffer_place),
      .read_plane_i (buffer_plane),
      .read_word_i  (buffer_word),
      .sums_place_i (buffer_sums_place),
      .turn_i       (buffer_turn),
      .data_o       (buffer_data),
      .sums_o       (buffer_sums)
  );
  logic tally_read, tally_header;
  logic [SlotBits-1:0] tally_slot;
  logic [2:0] tally_pair;
  logic [511:0] tally_data;
  if (VectorUnit) begin : gen_tally
    tally #(.Lanes(L)) u_tally (
        .clk_i,
        .rst_ni     (run_n),
        .signed_i   (plan_q.c.flags[FLAG_OUT_SIGNED]),
        .blocks_i   (plan_q.c.y_blocks),
        .count_i    (plan_q.count),
        .rounded_i  (rounded),
        .read_i     (tally_read),
        .header_i   (tally_header),
        .read_slot_i(tally_slot),
        .read_pair_i(tally_pair),
        .turn_i     (buffer_turn),
        .data_o     (tally_data)
    );
  end else begin : gen_no_tally
    assign tally_data = '0;
    logic unused_tally;
    assign unused_tally = &{1'b0, rounded, tally_read, tally_header, tally_slot, tally_pair};
  end
  store #(.Build(Build), .VectorUnit(VectorUnit)) u_store (
      .clk_i,
      .rst_ni         (run_n),
      .plan_i         (plan_q),
      .open_valid_i   (open_valid),
      .open_segment_i (segment),
      .closed_i       (piece_valid && piece_last),
      .slot_free_o    (slot_free),
      .idle_o         (store_idle),
      .table_place_o  (table_place),
      .table_live_i   (table_live),
      .table_address_i(table_address),
      .table_sums_i   (table_sums),
      .buffer_read_o  (buffer_read),
      .buffer_lane_o  (buffer_lane),
      .buffer_place_o (buffer_place),
      .buffer_plane_o (buffer_plane),
      .buffer_word_o  (buffer_word),
      .buffer_sums_o  (buffer_sums_place),
      .buffer_turn_o  (buffer_turn),
      .buffer_data_i  (buffer_data),
      .buffer_sums_i  (buffer_sums),
      .tally_read_o   (tally_read),
      .tally_header_o (tally_header),
      .tally_slot_o   (tally_slot),
      .tally_pair_o   (tally_pair),
      .tally_data_i   (tally_data),
      .req_valid_o    (wr_req_valid_o),
      .req_ready_i    (wr_req_ready_i),
      .req_addr_o     (wr_req_addr_o),
      .req_bytes_o    (wr_req_bytes_o),
      .data_valid_o   (wr_data_valid_o),
      .data_ready_i   (wr_data_ready_i),
      .data_o         (wr_data_o)
  );

  // The end of a command. After a failed read what was computed before is stored and the core comes to rest. A read
  // that fails while the next command is being loaded is that one's.
  logic complete, stuck, failed;
  logic [4:0] stuck_q;
  assign failed   = load_failed && !next_q;
  assign complete = state_q == Run && (loader_done || next_q) && sequencer_done && store_idle && wr_idle_i;
  assign stuck    = state_q == Run && failed && (waits || sequencer_done) && store_idle && wr_idle_i && rd_idle_i
      && !rd_data_valid_i && !op_valid;

  // While the array has no command its plan follows the one that is loaded: a register enables so many.
  logic follow_q;
  always_ff @(posedge clk_i) begin
    follow_q <= !run_n || (state_q == Idle && !next_q) || (state_q == Run && complete && !failed && !wr_error_i);
    if (follow_q) begin
      plan_q  <= load_plan_q;
      out_q   <= load_out_q;
      sums_q  <= load_sums_q;
      tally_q <= load_tally_q;
    end
  end

  always_ff @(posedge clk_i) begin
    stuck_q <= stuck ? stuck_q + 5'd1 : '0;
    if (plan_take) next_q <= 1'b1;
    unique case (state_q)
      Idle:
      if (next_q) begin
        next_q  <= 1'b0;
        state_q <= Start;
      end
      Start: state_q <= Run;
      Run:
      if (complete && !failed) state_q <= wr_error_i ? Failed : Idle;
      else if (stuck_q == '1) state_q <= Failed;
      default: ;
    endcase
    if (!run_n) begin
      state_q <= Idle;
      next_q  <= 1'b0;
    end
  end
  assign cmd_done_o    = complete && !failed && !wr_error_i && run_n;
  assign load_error_o  = state_q == Failed && failed;
  assign store_error_o = state_q == Failed && !failed;
  assign idle_o        = state_q == Idle && rd_idle_i && wr_idle_i;
  assign busy_o        = op_valid;
  assign load_stall_o  = waits && !op_valid;
  assign store_stall_o = store_waits && !op_valid;

  logic unused;
  assign unused = &{1'b0, read, fill_q};
endmodule
