/// Issues the reads of a command when nothing after them will have to wait: nothing stalls between here and the store
/// buffer.
///
/// The last read of a window waits until the array has run through the window before (b_bits cycles), the last read of
/// a group until the results of the group before are drained, the first read of a segment for a slot of the store
/// buffer.
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

  logic conv_valid, conv_full, conv_opens, conv_done, conv_waits, conv_step_done, conv_ready;
  logic wgrad_valid, wgrad_full, wgrad_opens, wgrad_done, wgrad_waits, wgrad_chunk_done, wgrad_takes, wgrad_ready;
  logic [4:0] wgrad_chunk;
  read_t conv_read, wgrad_read, read;
  window_t conv_window, wgrad_window, window;
  segment_t conv_segment, wgrad_segment;
  logic [31:0] set_address, set_element, set_sums;
  logic [3:0] set_taps;
  logic [5:0] loaded_q;

  conv_reads #(.Build(Build)) u_conv (
      .clk_i,
      .rst_ni,
      .start_i,
      .plan_i,
      .step_ready_i(loaded_q != '0),
      .waits_o     (conv_waits),
      .valid_o     (conv_valid),
      .ready_i     (conv_ready),
      .read_o      (conv_read),
      .full_o      (conv_full),
      .window_o    (conv_window),
      .opens_o     (conv_opens),
      .segment_o   (conv_segment),
      .step_done_o (conv_step_done),
      .done_o      (conv_done)
  );
  wgrad_reads #(.Build(Build)) u_wgrad (
      .clk_i,
      .rst_ni,
      .start_i,
      .plan_i,
      .ready_i_steps(loaded_q),
      .takes_o      (wgrad_takes),
      .chunk_o      (wgrad_chunk),
      .waits_o      (wgrad_waits),
      .valid_o      (wgrad_valid),
      .ready_i      (wgrad_ready),
      .read_o       (wgrad_read),
      .full_o       (wgrad_full),
      .window_o     (wgrad_window),
      .opens_o      (wgrad_opens),
      .segment_o    (wgrad_segment),
      .set_address_o(set_address),
      .set_element_o(set_element),
      .set_sums_o   (set_sums),
      .set_taps_o   (set_taps),
      .chunk_done_o (wgrad_chunk_done),
      .done_o       (wgrad_done)
  );

  // Rows become free for the loader some cycles after their last read. The counts follow the delay.
  logic [DoneDelay-1:0][4:0] done_q;  // row steps done
  logic [5:0] owed_q;                 // done row steps that are still to be reported, one a cycle
  logic [4:0] chunk_q;
  assign step_done_o  = owed_q != '0;
  assign chunk_done_o = done_q[DoneDelay-1] != '0;
  always_ff @(posedge clk_i) begin
    done_q <= {done_q[DoneDelay-2:0], conv_step_done ? 5'd1 : wgrad_chunk_done ? chunk_q : 5'd0};
    if (wgrad_takes) chunk_q <= wgrad_chunk;
    owed_q <= owed_q + 6'(done_q[DoneDelay-1]) - 6'(owed_q != '0);
    if (!rst_ni) begin
      done_q <= '0;
      owed_q <= '0;
    end
  end

  // What must be free.
  logic wgrad, valid, full, opens, taken, pace_ok, drain_ok, slot_ok;
  logic [3:0] pace_q;
  logic [8:0] drain_q, drain_cycles;
  logic [3:0] free_q;   // slots of the store buffer
  logic [7:0] table_q;  // WGRAD: cycles until the addresses of the set before are written

  assign wgrad       = plan_i.c.wgrad;
  assign valid       = wgrad ? wgrad_valid : conv_valid;
  assign full        = wgrad ? wgrad_full : conv_full;
  assign opens       = wgrad ? wgrad_opens : conv_opens;
  assign read        = wgrad ? wgrad_read : conv_read;
  assign window      = wgrad ? wgrad_window : conv_window;
  assign pace_ok     = !full || pace_q == '0;
  assign drain_ok    = !(full && window.last) || drain_q == '0;
  assign slot_ok     = !opens || (free_q != '0 && table_q == '0);
  assign taken       = valid && pace_ok && drain_ok && slot_ok;
  assign conv_ready  = taken && !wgrad;
  assign wgrad_ready = taken && wgrad;
  assign done_o      = conv_done && wgrad_done;

  always_comb begin
    drain_cycles = 9'(RoundWords);
    if (window.group.store) begin
      unique case (last_part_of(plan_i.c.out_format, compact(Build.lanes, Build.slice_groups)))
        2'd1:    drain_cycles = 9'(2 * RoundWords);
        2'd3:    drain_cycles = 9'(4 * RoundWords);
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken && full) pace_q <= 4'(plan_i.c.b_bits - 5'd1);
    else if (pace_q != '0) pace_q <= pace_q - 4'd1;
    if (taken && full && window.last) drain_q <= drain_cycles - 9'd1;
    else if (drain_q != '0) drain_q <= drain_q - 9'd1;
    if (taken && opens && wgrad) table_q <= 8'(RoundWords + 2);
    else if (table_q != '0) table_q <= table_q - 8'd1;
    free_q   <= start_i ? 4'(7'(LanePieces) >> plan_i.segment_log) : free_q + 4'(slot_free_i) - 4'(taken && opens);
    loaded_q <= loaded_q + 6'(step_loaded_i)
        - (wgrad ? (wgrad_takes ? 6'(wgrad_chunk) : '0) : 6'(conv_step_done));
    if (!rst_ni) begin
      pace_q   <= '0;
      drain_q  <= '0;
      free_q   <= '0;
      table_q  <= '0;
      loaded_q <= '0;
    end
  end

  // Stage 0 of the lanes; a window is full two cycles after its last read.
  logic window_valid_q;
  window_t window_q;
  always_ff @(posedge clk_i) begin
    read_valid_o   <= taken && rst_ni;
    read_o         <= read;
    for (int unsigned b = 0; b < 4; b++) read_address_o[b] <= read.start[15:2] + 14'(2'(b) < read.start[1:0]);
    window_valid_q <= taken && full && rst_ni;
    window_q       <= window;
    window_valid_o <= window_valid_q && rst_ni;
    window_o       <= window_q;
    open_valid_o   <= taken && opens && rst_ni;
    open_segment_o <= wgrad ? wgrad_segment : conv_segment;
    set_address_o  <= set_address;
    set_element_o  <= set_element;
    set_sums_o     <= set_sums;
    set_taps_o     <= set_taps;
    load_stall_o   <= conv_waits || wgrad_waits;
    store_stall_o  <= valid && pace_ok && !(drain_ok && slot_ok);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      steps_are_loaded : assert (
        wgrad ? !wgrad_takes || loaded_q >= 6'(wgrad_chunk) : !conv_step_done || loaded_q != '0);
      steps_are_few    : assert (loaded_q <= 6'(MostAhead));
      slots_are_few    : assert (start_i || !slot_free_i || free_q < 4'(7'(LanePieces) >> plan_i.segment_log));
    end
  end
`endif

  logic unused;
  assign unused = &{1'b0, plan_i};
endmodule
