/// Writes tiles of codes and records. A tile leaves when it is complete, so records never wait for long.
///
/// The first tile by output channel goes first, and all else waits until memory has answered: where codes cannot be
/// written, nothing is.
module weight_code_store
  import vector_pkg::*;
  import weight_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,         ///< a command begins
    input  logic [25:0]         out_image_i,     ///< bytes from channel to channel
    input  logic [25:0]         in_image_i,
    // Jobs whose tiles are complete, by side: 0 of output, 1 of input channels.
    input  logic [ 1:0]         valid_i,
    input  job_t [1:0]          job_i,
    output logic [ 1:0]         take_o,          ///< one cycle: the side's job has been stored
    input  logic                record_valid_i,
    output logic                record_take_o,
    input  record_t             record_i,
    // The tiles: data comes three cycles after its address.
    output logic [ 3:0]         read_channel_o,
    output logic [ 5:0]         read_o,
    input  logic [1:0][63:0]    data_i,
    output logic                idle_o,          ///< nothing is left to be given to the writer
    output request_t            wr_req_o,
    input  logic                wr_req_ready_i,
    output logic                wr_valid_o,
    input  logic                wr_ready_i,
    output logic [DataBits-1:0] wr_data_o,
    input  logic                wr_idle_i
);
  localparam int unsigned Entries   = BusBytes / 8;  // of four words, in a beat
  localparam int unsigned EntryBits = Entries == 1 ? 1 : $clog2(Entries);
  localparam int unsigned Depth     = 8;
  typedef enum logic [2:0] { Idle, AskTile, Read, Fence, Next, AskRecord, GiveRecord } state_e;
  state_e state_q;

  logic side_q, last_side_q, side, open_q;  // open_q: the first tile is in memory
  logic [3:0] channel_q;
  logic [6:0] entry_q, entries_q;
  logic [31:0] addr_q;
  job_t job;
  logic wanted, read, beat_begins, beat_ends, room, push_record;
  logic [3:0] reserved_q;  // beats in the queue, or on their way there
  assign side   = open_q && (valid_i[!last_side_q] ? !last_side_q : last_side_q);  // by turns
  assign job    = job_i[side_q];
  assign wanted = side_q ? job.in : job.out;
  assign room   = reserved_q < 4'(Depth);

  // Reads, and what comes back.
  typedef struct packed {
    logic                 valid;
    logic                 ends;   // a beat
    logic                 side;
    logic [EntryBits-1:0] entry;
  } answer_t;
  answer_t [3:1] answer_q;
  logic [Entries-1:0][63:0] beat_q;
  logic push_q, empty, unused_full;
  logic [EntryBits-1:0] beat_entry;
  assign beat_entry  = EntryBits'(32'(entry_q) % Entries);
  assign beat_begins = beat_entry == '0;
  assign beat_ends   = 32'(beat_entry) == Entries - 1 || entry_q == entries_q - 7'd1;
  assign read        = state_q == Read && (!beat_begins || room);
  assign push_record = state_q == GiveRecord && !push_q && room && answer_q == '0;
  assign {read_channel_o, read_o} = {channel_q, entry_q[5:0]};
  always_ff @(posedge clk_i) begin
    answer_q <= {answer_q[2:1], answer_t'{valid: read, ends: beat_ends, side: side_q, entry: beat_entry}};
    if (answer_q[3].valid) beat_q[answer_q[3].entry] <= data_i[answer_q[3].side];
    push_q <= answer_q[3].valid && answer_q[3].ends;
    if (!read) answer_q[1] <= '0;
    if (!rst_ni) {answer_q, push_q} <= '0;
  end
  // Of a record only 8 bytes count.
  logic [Entries-1:0][63:0] beat;
  always_comb begin
    beat = beat_q;
    if (!push_q) beat[0] = record_i.data;
  end
  sync_fifo #(.Width(DataBits), .Depth(Depth)) u_beats (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .push_i (push_q || push_record),
      .data_i (beat),
      .pop_i  (wr_valid_o && wr_ready_i),
      .data_o (wr_data_o),
      .full_o (unused_full),
      .empty_o(empty)
  );
  assign wr_valid_o = !empty;
  assign idle_o     = state_q == Idle && reserved_q == '0 && !record_valid_i && valid_i == '0;

  assign wr_req_o.valid = state_q inside {AskTile, AskRecord};
  assign wr_req_o.addr  = state_q == AskTile ? addr_q : record_i.addr;
  assign wr_req_o.bytes = state_q == AskTile ? {8'd0, job.words, 1'b0} : 18'd8;
  assign record_take_o  = push_record;
  always_comb begin
    take_o         = '0;
    take_o[side_q] = state_q == Next && (channel_q == '1 || !wanted);
  end

  always_ff @(posedge clk_i) begin
    reserved_q <= reserved_q + 4'((read && beat_begins) || push_record) - 4'(wr_valid_o && wr_ready_i);
    unique case (state_q)
      Idle: begin
        side_q    <= side;
        channel_q <= '0;
        entry_q   <= '0;
        addr_q    <= side ? job_i[1].in_addr : job_i[0].out_addr;
        entries_q <= 7'((job_i[side].words + 9'd3) >> 2);
        if (record_valid_i && open_q) state_q <= AskRecord;
        else if (valid_i[side]) state_q <= (side ? job_i[1].in : job_i[0].out) ? AskTile : Next;
      end
      AskTile: if (wr_req_ready_i) state_q <= Read;
      Read:
      if (read) begin
        entry_q <= entry_q + 7'd1;
        if (entry_q == entries_q - 7'd1) state_q <= open_q ? Next : Fence;
      end
      Fence:
      if (reserved_q == '0 && wr_idle_i) begin
        open_q  <= 1'b1;
        state_q <= Next;
      end
      Next: begin
        entry_q     <= '0;
        channel_q   <= channel_q + 4'd1;
        addr_q      <= addr_q + 32'(side_q ? in_image_i : out_image_i);
        last_side_q <= side_q;
        state_q     <= channel_q == '1 || !wanted ? Idle : AskTile;
      end
      AskRecord: if (wr_req_ready_i) state_q <= GiveRecord;
      default: if (push_record) state_q <= Idle;  // GiveRecord
    endcase
    if (start_i) open_q <= 1'b0;
    if (!rst_ni) begin
      state_q     <= Idle;
      reserved_q  <= '0;
      last_side_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, unused_full, record_i.long_one, job, job_i};
endmodule
