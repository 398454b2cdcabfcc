/// Writes new weights and velocities in chunks of 16 beats, one tensor after the other, and records between them.
///
/// A chunk begins when all of it is there: records can always leave.
module weight_update_store
  import vector_pkg::*;
  import weight_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,         ///< begin a pass
    input  logic                only_records_i,  ///< of this pass
    input  logic [31:0]         w_addr_i,
    input  logic [31:0]         v_addr_i,
    input  logic [28:0]         beats_i,         ///< of each tensor
    output logic                idle_o,          ///< all beats of the pass, and all records that were there, have left
    output logic                room_o,          ///< there is room for a beat that begins to be computed; reserve_i
    input  logic                reserve_i,
    input  logic                push_i,
    input  logic [DataBits-1:0] w_i,
    input  logic [DataBits-1:0] v_i,
    input  logic                record_valid_i,
    output logic                record_take_o,
    input  record_t             record_i,
    output request_t            wr_req_o,
    input  logic                wr_req_ready_i,
    output logic                wr_valid_o,
    input  logic                wr_ready_i,
    output logic [DataBits-1:0] wr_data_o
);
  localparam int unsigned ChunkBeats = 16;
  localparam int unsigned Depth      = 32;
  typedef enum logic [2:0] { Idle, AskW, GiveW, AskV, GiveV, AskRecord, GiveRecord } state_e;
  state_e state_q;

  logic [28:0] left_q;
  logic [31:0] w_addr_q, v_addr_q;
  logic [ 5:0] there_q, reserved_q;  // beats in the queues; beats that are, or are still to come
  logic [ 4:0] beats, beats_q, given_q;
  logic pop_w, pop_v, last;
  logic [DataBits-1:0] w_beat, v_beat;
  logic [1:0] unused_full, unused_empty;
  assign beats  = left_q >= 29'(ChunkBeats) ? 5'(ChunkBeats) : left_q[4:0];
  assign pop_w  = state_q == GiveW && wr_ready_i;
  assign pop_v  = state_q == GiveV && wr_ready_i;
  assign last   = given_q == beats_q - 5'd1;
  assign room_o = reserved_q < 6'(Depth);
  assign idle_o = state_q == Idle && left_q == '0 && !record_valid_i;

  sync_fifo #(.Width(DataBits), .Depth(Depth)) u_w (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i,
      .data_i (w_i),
      .pop_i  (pop_w),
      .data_o (w_beat),
      .full_o (unused_full[0]),
      .empty_o(unused_empty[0])
  );
  sync_fifo #(.Width(DataBits), .Depth(Depth)) u_v (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i,
      .data_i (v_i),
      .pop_i  (pop_v),
      .data_o (v_beat),
      .full_o (unused_full[1]),
      .empty_o(unused_empty[1])
  );

  assign wr_req_o.valid = state_q inside {AskW, AskV, AskRecord};
  assign wr_req_o.addr  = state_q == AskW ? w_addr_q : state_q == AskV ? v_addr_q : record_i.addr;
  assign wr_req_o.bytes = state_q == AskRecord ? 18'd4 : 18'(beats_q) * 18'(BusBytes);
  assign wr_valid_o     = state_q inside {GiveW, GiveV, GiveRecord};
  always_comb begin  // of a record only 4 bytes count
    wr_data_o = state_q == GiveW ? w_beat : v_beat;
    if (state_q == GiveRecord) wr_data_o[31:0] = record_i.data[31:0];
  end
  assign record_take_o  = state_q == GiveRecord && wr_ready_i;

  always_ff @(posedge clk_i) begin
    there_q    <= there_q + 6'(push_i) - 6'(pop_v);
    reserved_q <= reserved_q + 6'(reserve_i) - 6'(pop_v);
    if (pop_w || pop_v) given_q <= given_q + 5'd1;
    unique case (state_q)
      Idle: begin
        beats_q <= beats;
        given_q <= '0;
        if (record_valid_i) state_q <= AskRecord;
        else if (left_q != '0 && there_q >= 6'(beats)) state_q <= AskW;
      end
      AskW: if (wr_req_ready_i) state_q <= GiveW;
      GiveW:
      if (wr_ready_i && last) begin
        given_q  <= '0;
        w_addr_q <= w_addr_q + 32'(beats_q) * 32'(BusBytes);
        state_q  <= AskV;
      end
      AskV: if (wr_req_ready_i) state_q <= GiveV;
      GiveV:
      if (wr_ready_i && last) begin
        v_addr_q <= v_addr_q + 32'(beats_q) * 32'(BusBytes);
        left_q   <= left_q - 29'(beats_q);
        state_q  <= Idle;
      end
      AskRecord: if (wr_req_ready_i) state_q <= GiveRecord;
      default: if (wr_ready_i) state_q <= Idle;  // GiveRecord
    endcase
    if (start_i) begin
      left_q   <= only_records_i ? '0 : beats_i;
      w_addr_q <= w_addr_i;
      v_addr_q <= v_addr_i;
    end
    if (!rst_ni) begin
      state_q    <= Idle;
      left_q     <= '0;
      there_q    <= '0;
      reserved_q <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, unused_full, unused_empty, record_i};
endmodule
