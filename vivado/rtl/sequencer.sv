/// Issues the reads of a command when nothing after them will have to wait: nothing stalls between here and the store
/// buffer.
///
/// Reads come from two walkers, which are up to two reads ahead. The first read of a row step waits until the
/// step is loaded, the last read of a window until the array has run through the window before (b_bits cycles),
/// the last read of a group until the results of the group before are drained, the first read of a segment for a slot
/// of the store buffer.
module sequencer
  import contract_pkg::*;
  import core_pkg::*;
#(
    parameter build_t Build = BUILD_TINY
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               start_i,
    input  plan_t              plan_i,
    output logic               done_o,           ///< all reads are issued
    input  logic               step_loaded_i,    ///< a row step is in the lanes' memories
    input  logic               slot_free_i,      ///< a slot of the store buffer is stored
    output logic               read_valid_o,
    output logic [3:0][13:0]   read_address_o,   ///< of each bank of the lanes
    output read_t              read_o,
    output logic               ahead_valid_o,    ///< two cycles before window_valid_o: its window's entry
    output logic [15:0]        ahead_entry_o,
    output logic               window_valid_o,   ///< the window is full in the next cycle
    output window_t            window_o,
    output logic               open_valid_o,     ///< a segment begins
    output segment_t           open_segment_o,
    output logic [31:0]        set_address_o,    ///< WGRAD: where a set's results go
    output logic [31:0]        set_element_o,
    output logic [31:0]        set_sums_o,
    output logic [ 3:0]        set_taps_o,
    output logic               step_done_o,      ///< row steps are done: pulses, one for each
    output logic               chunk_done_o,
    output logic               load_stall_o,
    output logic               store_stall_o
);
  localparam int unsigned RoundWords = Build.lanes / 2;

  // Reads, one at a time.
  logic wgrad, conv_valid, conv_done, wgrad_valid, wgrad_done, full, empty, taken;
  logic [4:0] wgrad_chunk;
  issue_t conv_issue, wgrad_issue, issue;
  assign wgrad  = plan_i.c.wgrad;
  assign done_o = conv_done && wgrad_done && empty;

  conv_reads #(.Build(Build)) u_conv (
      .clk_i, .rst_ni, .start_i, .plan_i, .valid_o(conv_valid), .ready_i(!full), .issue_o(conv_issue),
      .done_o(conv_done)
  );
  wgrad_reads #(.Build(Build)) u_wgrad (
      .clk_i, .rst_ni, .start_i, .plan_i, .chunk_o(wgrad_chunk), .valid_o(wgrad_valid), .ready_i(!full),
      .issue_o(wgrad_issue), .done_o(wgrad_done)
  );
  sync_fifo #(.Width($bits(issue_t)), .Depth(2), .Head(1'b1)) u_issues (
      .clk_i, .rst_ni, .clear_i(1'b0), .push_i((wgrad ? wgrad_valid : conv_valid) && !full),
      .data_i(wgrad ? wgrad_issue : conv_issue), .pop_i(taken), .data_o(issue), .full_o(full), .empty_o(empty)
  );

  // Rows become free for the loader some cycles after their last read. The counts follow the delay.
  logic [DoneDelay-1:0][4:0] done_q;  // row steps done
  logic [5:0] owed_q;                 // done row steps that are still to be reported, one a cycle
  assign step_done_o  = owed_q != '0;
  assign chunk_done_o = done_q[DoneDelay-1] != '0;
  always_ff @(posedge clk_i) begin
    done_q <= {done_q[DoneDelay-2:0], taken && issue.ends ? issue.steps : 5'd0};
    owed_q <= owed_q + 6'(done_q[DoneDelay-1]) - 6'(owed_q != '0);
    if (!rst_ni) begin
      done_q <= '0;
      owed_q <= '0;
    end
  end

  // What must be there: the row step, or those of the next chunk; a WGRAD's is judged when it is known, after a cycle.
  logic enough, between, loaded_ok_q, waiting_q;
  logic [1:0] unknown_q;  // cycles until the next row step, or chunk, is known
  logic [5:0] loaded_q;
  assign enough  = loaded_q >= (wgrad ? 6'(wgrad_chunk) : 6'd1);
  assign between = taken && issue.ends;
  always_ff @(posedge clk_i) begin
    loaded_ok_q <= enough && unknown_q == '0 && !between && !start_i;
    if (start_i || between) unknown_q <= 2'(wgrad) + 2'(between && issue.pass_ends);
    else if (unknown_q != '0) unknown_q <= unknown_q - 2'd1;
    loaded_q <= loaded_q + 6'(step_loaded_i)
        - (wgrad ? (taken && issue.begins ? 6'(issue.steps) : '0) : 6'(between));
    if (taken && issue.begins) waiting_q <= 1'b0;
    if (start_i || between) waiting_q <= 1'b1;
    if (!rst_ni) begin
      loaded_q  <= '0;
      unknown_q <= '0;
      waiting_q <= 1'b0;
    end
  end

  // What must be free.
  logic pace_free, drain_free, table_free, pace_ok, drain_ok, slot_ok, loaded_ok;
  logic [8:0] drain_cycles;
  logic [3:0] free_q;   // slots of the store buffer
  assign pace_ok   = !issue.full || pace_free;
  assign drain_ok  = !(issue.full && issue.window.last) || drain_free;
  assign slot_ok   = !issue.opens || (free_q != '0 && table_free);
  assign loaded_ok = !issue.begins || loaded_ok_q;
  assign taken     = !empty && loaded_ok && pace_ok && drain_ok && slot_ok;

  always_comb begin
    drain_cycles = 9'(RoundWords);
    if (issue.window.group.store && 32'(plan_i.c.out_format) == FORMAT_INT32) drain_cycles = 9'(2 * RoundWords);
    if (issue.window.group.store && 32'(plan_i.c.out_format) == FORMAT_INT64) drain_cycles = 9'(4 * RoundWords);
  end
  timer #(.Bits(5)) u_pace (
      .clk_i, .rst_ni, .start_i(taken && issue.full), .cycles_i(plan_i.c.b_bits), .done_o(pace_free)
  );
  timer #(.Bits(9)) u_drain (
      .clk_i, .rst_ni, .start_i(taken && issue.full && issue.window.last), .cycles_i(drain_cycles),
      .done_o(drain_free)
  );
  // WGRAD: the addresses of the set before are written.
  timer #(.Bits(8)) u_table (
      .clk_i, .rst_ni, .start_i(taken && issue.opens && wgrad), .cycles_i(8'(RoundWords + 3)), .done_o(table_free)
  );
  always_ff @(posedge clk_i) begin
    free_q <= start_i ? 4'(7'(LanePieces) >> plan_i.segment_log)
                      : free_q + 4'(slot_free_i) - 4'(taken && issue.opens);
    if (!rst_ni) free_q <= '0;
  end

  // Stage 0 of the lanes; a window is full three cycles after its last read.
  logic window_valid_q, window_next_q, load_waits_q, store_waits_q;
  window_t window_q, window2_q;
  read_t read;
  assign read          = issue.read;
  assign ahead_valid_o = window_valid_q;
  assign ahead_entry_o = window_q.entry;
  always_ff @(posedge clk_i) begin
    read_valid_o   <= taken && rst_ni;
    read_o         <= read;
    for (int unsigned b = 0; b < 4; b++) read_address_o[b] <= read.start[15:2] + 14'(2'(b) < read.start[1:0]);
    window_valid_q <= taken && issue.full && rst_ni;
    window_q       <= issue.window;
    window_next_q  <= window_valid_q && rst_ni;
    window2_q      <= window_q;
    window_valid_o <= window_next_q && rst_ni;
    window_o       <= window2_q;
    open_valid_o   <= taken && issue.opens && rst_ni;
    open_segment_o <= issue.segment;
    set_address_o  <= issue.set_address + (32'(issue.tap) << (5 + 32'(plan_i.c.out_format)));
    set_element_o  <= issue.set_element + {20'd0, issue.tap, 4'd0};
    set_sums_o     <= issue.set_sums + {22'd0, issue.tap, 2'd0};
    set_taps_o     <= issue.set_taps;
    load_waits_q   <= waiting_q && !done_o && (unknown_q == '0 ? !enough : wgrad && unknown_q == 2'd1);
    store_waits_q  <= !empty && loaded_ok && pace_ok && !(drain_ok && slot_ok);
    load_stall_o   <= load_waits_q;  // in step with the lanes
    store_stall_o  <= store_waits_q;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      steps_are_loaded : assert (!taken || !issue.begins || loaded_q >= 6'(issue.steps));
      steps_are_few    : assert (loaded_q <= 6'(MostAhead));
      slots_are_few    : assert (start_i || !slot_free_i || free_q < 4'(7'(LanePieces) >> plan_i.segment_log));
    end
  end
`endif

  logic unused;
  assign unused = &{1'b0, plan_i};
endmodule
