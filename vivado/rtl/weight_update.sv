/// UPDATE, once its headers are judged: momentum SGD on every weight, and both MAXIMA blocks.
///
/// One pass over the layer. Of a bundle with more output blocks than `MaximaBlocks`, later passes read the weights
/// again for the maxima of those that are left.
module weight_update
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import weight_pkg::*;
#(
    parameter  int unsigned BusBytes     = 8,
    parameter  int unsigned MaximaBlocks = 64,                        ///< a power of two
    localparam int unsigned Lanes        = BusBytes >= 32 ? 2 : 1,    ///< weights a cycle; memory is no faster
    localparam int unsigned DataBits     = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,
    input  words_t              words_i,         ///< this and the rest stays until done_o
    input  shape_t              shape_i,
    input  sizes_t              sizes_i,
    input  logic [24:0]         multiplier_i,    ///< as weight_update_lane has them
    input  logic                up_i,
    input  logic [ 6:0]         shift_i,
    input  logic [31:0]         momentum_i,
    input  logic [31:0]         decay_i,
    input  logic [31:0]         rate_i,
    output logic                done_o,          ///< one cycle: all has been given to the writer
    output request_t            rd_req_o,
    input  logic                rd_req_ready_i,
    input  logic                rd_valid_i,
    output logic                rd_ready_o,
    input  logic [DataBits-1:0] rd_data_i,
    input  logic                rd_last_i,
    output request_t            wr_req_o,
    input  logic                wr_req_ready_i,
    output logic                wr_valid_o,
    input  logic                wr_ready_i,
    output logic [DataBits-1:0] wr_data_o,
    input  logic                wr_idle_i
);
  localparam int unsigned PartBits = $clog2(16 / Lanes);
  localparam int unsigned Beat     = BusBytes / 4 / Lanes;      // steps of a beat
  localparam int unsigned Delay    = UpdateLatency + 1;         // of a step: its words are registered, then computed
  localparam int unsigned Drain    = Delay + 6;                 // after which its maxima are in memory
  localparam int unsigned LineBeats = 64 / BusBytes;

  typedef enum logic [2:0] { Idle, Start, Steps, Settle, Dump, Finish, Fence } state_e;
  state_e state_q;
  logic [11:0] window_q;
  logic [$clog2(Drain+1)-1:0] wait_q;
  logic later, start, ended_q;
  logic [28:0] beats;
  assign later = window_q != '0;
  assign start = state_q == Start;
  assign beats = 29'(sizes_i.lines) * 29'(LineBeats);

  // A step.
  logic words_there, take, store_room, records_room, begins;
  logic [Lanes-1:0][47:0] acc, acc_q;
  logic [Lanes-1:0][31:0] w, v, w_q, v_q, new_w, new_v;
  logic [Lanes-1:0] live;
  logic [$clog2(Beat)-1:0] beat_step_q;
  assign begins = beat_step_q == '0;
  assign take   = state_q == Steps && words_there && records_room && (later || !begins || store_room);

  weight_update_reads #(.BusBytes(BusBytes), .Lanes(Lanes)) u_reads (
      .clk_i,
      .rst_ni,
      .start_i   (start),
      .only_w_i  (later),
      .wide_i    (32'(words_i[WEIGHT_FIELD_ACC_FORMAT_WORD][23:16]) == FORMAT_INT64),
      .acc_addr_i(words_i[WEIGHT_FIELD_ACC_ADDR_WORD]),
      .w_addr_i  (words_i[WEIGHT_FIELD_W_ADDR_WORD]),
      .v_addr_i  (words_i[WEIGHT_FIELD_V_ADDR_WORD]),
      .beats_i   (beats),
      .rd_req_o,
      .rd_req_ready_i,
      .rd_valid_i,
      .rd_ready_o,
      .rd_data_i,
      .rd_last_i,
      .valid_o   (words_there),
      .take_i    (take),
      .acc_o     (acc),
      .w_o       (w),
      .v_o       (v)
  );

  typedef struct packed {
    logic [PartBits-1:0] part;
    logic [11:0]         block;
    logic                row_first;
    logic                row_last;
    logic                fresh;
  } place_in_layer_t;
  place_in_layer_t place, place_late;
  logic [11:0] base, base_q;
  logic bundle_last, last;
  weight_update_walk #(.Lanes(Lanes)) u_walk (
      .clk_i,
      .start_i      (start),
      .words_i,
      .shape_i,
      .take_i       (take),
      .part_o       (place.part),
      .block_o      (place.block),
      .base_o       (base),
      .live_o       (live),
      .row_first_o  (place.row_first),
      .row_last_o   (place.row_last),
      .fresh_o      (place.fresh),
      .bundle_last_o(bundle_last),
      .last_o       (last)
  );

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    weight_update_lane u_lane (
        .clk_i,
        .multiplier_i,
        .up_i,
        .shift_i,
        .momentum_i,
        .decay_i,
        .rate_i,
        .live_i(live[i] && !later),
        .acc_i (acc_q[i]),
        .w_i   (w_q[i]),
        .v_i   (v_q[i]),
        .w_o   (new_w[i]),
        .v_o   (new_v[i])
    );
  end
  delay_line #(.Bits($bits(place_in_layer_t)), .Cycles(Delay)) u_place (.clk_i, .data_i(place), .data_o(place_late));

  // Results, a beat at a time.
  logic [Delay-1:0] valid_q;
  logic [Beat-1:0][Lanes-1:0][31:0] w_beat_q, v_beat_q;
  logic [$clog2(Beat)-1:0] result_step_q;
  logic push_q;
  always_ff @(posedge clk_i) begin
    {acc_q, w_q, v_q} <= {acc, w, v};
    valid_q           <= {valid_q[Delay-2:0], take};
    push_q            <= valid_q[Delay-1] && result_step_q == '1 && !later;
    if (take) beat_step_q <= beat_step_q + 1'b1;
    if (valid_q[Delay-1]) begin
      w_beat_q[result_step_q] <= new_w;
      v_beat_q[result_step_q] <= new_v;
      result_step_q           <= result_step_q + 1'b1;
    end
    if (!rst_ni) {valid_q, push_q, beat_step_q, result_step_q} <= '0;
  end

  logic store_idle, maxima_busy, record_valid, record_take;
  record_t record;
  weight_maxima #(.Lanes(Lanes), .Blocks(MaximaBlocks)) u_maxima (
      .clk_i,
      .rst_ni,
      .start_i    (start),
      .max_out_i  (words_i[WEIGHT_FIELD_MAX_OUT_ADDR_WORD] + 32'd64),
      .max_in_i   (words_i[WEIGHT_FIELD_MAX_IN_ADDR_WORD] + 32'd64),
      .rows_i     (!later),
      .window_i   (window_q),
      .valid_i    (valid_q[Delay-1]),
      .w_i        (new_w),
      .block_i    (place_late.block),
      .part_i     (place_late.part),
      .row_first_i(place_late.row_first),
      .row_last_i (place_late.row_last),
      .fresh_i    (place_late.fresh),
      .dump_i     (state_q == Settle && wait_q == '0),
      .first_i    (base_q),
      .count_i    (shape_i.out_blocks),
      .outs_i     (shape_i.outs),
      .busy_o     (maxima_busy),
      .room_o     (records_room),
      .valid_o    (record_valid),
      .take_i     (record_take),
      .record_o   (record)
  );
  weight_update_store #(.BusBytes(BusBytes)) u_store (
      .clk_i,
      .rst_ni,
      .start_i       (start),
      .only_records_i(later),
      .w_addr_i      (words_i[WEIGHT_FIELD_W_ADDR_WORD]),
      .v_addr_i      (words_i[WEIGHT_FIELD_V_ADDR_WORD]),
      .beats_i       (beats),
      .idle_o        (store_idle),
      .room_o        (store_room),
      .reserve_i     (take && begins && !later),
      .push_i        (push_q),
      .w_i           (w_beat_q),
      .v_i           (v_beat_q),
      .record_valid_i(record_valid),
      .record_take_o (record_take),
      .record_i      (record),
      .wr_req_o,
      .wr_req_ready_i,
      .wr_valid_o,
      .wr_ready_i,
      .wr_data_o
  );

  // Bundles and passes. A pass that reads what the one before has written waits until it is in memory.
  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    if (take) base_q <= base;
    unique case (state_q)
      Idle: begin
        window_q <= '0;
        if (start_i) state_q <= Start;
      end
      Start: state_q <= Steps;
      Steps: begin
        wait_q <= ($bits(wait_q))'(Drain);
        ended_q <= last;
        if (take && bundle_last) state_q <= Settle;
      end
      Settle: begin
        wait_q <= wait_q - 1'b1;
        if (wait_q == '0) state_q <= Dump;
      end
      Dump: if (!maxima_busy) state_q <= ended_q ? Finish : Steps;
      Finish:
      if (store_idle) begin
        window_q <= window_q + 12'(MaximaBlocks);
        state_q  <= Fence;
        if (13'(window_q) + 13'(MaximaBlocks) >= 13'(shape_i.out_blocks)) begin
          done_o  <= 1'b1;
          state_q <= Idle;
        end
      end
      default: if (wr_idle_i) state_q <= Start;  // Fence
    endcase
    if (!rst_ni) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, words_i, sizes_i};
endmodule
