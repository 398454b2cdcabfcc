/// Writes what the walker says: planes of the strips' results from their banks, the tally of a block, its header.
///
/// Pieces are read from the banks, turned to their place in a beat, and put together there. The header goes first, but
/// not before there are results: where no operand can be read, or no tally be written, nothing is.
module map_pack
  import contract_pkg::*;
  import map_pkg::*;
  import vector_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    parameter  int unsigned Banks    = 16,
    localparam int unsigned BusWords = BusBytes / 2,
    localparam int unsigned BankBits = $clog2(Banks),
    localparam int unsigned StripBits = $clog2(OutStrips),
    localparam int unsigned AddrBits = StripBits + 1 + 4
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           start_i,
    input  logic                           item_valid_i,
    output logic                           item_ready_o,
    input  item_t                          item_i,
    input  logic [31:0]                    channels_i,    ///< for the tally's header
    input  logic [31:0]                    count_i,
    input  logic                           filled_i,      ///< one cycle: a strip's results are complete
    output logic                           free_o,        ///< one cycle: a strip's banks are free
    input  logic                           drained_i,     ///< the block's tally is complete
    output logic                           tallied_o,     ///< one cycle: it has been taken, all but its last beats
    input  sums_t [15:0]                   tallies_i,     ///< stay for four cycles more
    output logic [Banks-1:0][AddrBits-1:0] addr_o,        ///< strip, part, plane
    input  logic [Banks-1:0][1:0][15:0]    data_i,        ///< two cycles later: out0, out1
    input  logic [Banks-1:0][15:0]         masks_i,       ///< likewise
    output request_t                       wr_req_o,
    input  logic                           wr_req_ready_i,
    output logic                           wr_valid_o,
    input  logic                           wr_ready_i,
    output logic [8*BusBytes-1:0]          wr_data_o,
    input  logic                           wr_idle_i,
    output logic                           idle_o
);
  localparam int unsigned BeatBits  = $clog2(BusWords);
  localparam int unsigned Beats     = 512 / BusBytes;  // of a block's records
  localparam int unsigned CountBits = $clog2(Beats);
  localparam int unsigned Queue     = 16;              // beats

  typedef enum logic [2:0] { Idle, Drain, Tally, Head, Settle } state_e;
  state_e state_q;
  item_t item_q;
  logic [StripBits:0] filled_q;
  logic [StripBits-1:0] strip_q;
  logic [CountBits-1:0] beat_q;
  logic [4:0] credit_q;  // beats that may be begun

  // An item begins when its request is taken.
  logic begins, may_begin, step, counts, last_beat, pushes;
  assign may_begin    = (item_i.kind != Records && filled_q != '0)
        || (item_i.kind != Planes && drained_i && !tallied_o);
  assign wr_req_o     = '{valid: item_valid_i && state_q == Idle && may_begin, addr: item_i.addr, bytes: item_i.bytes};
  assign item_ready_o = state_q == Idle && may_begin && wr_req_ready_i;
  assign begins       = item_valid_i && item_ready_o;

  logic piece_valid, piece_beat, piece_last, piece_part;
  logic [BeatBits-1:0] piece_from;
  logic [BankBits-1:0] piece_bank, piece_lane;
  logic [BankBits:0] piece_words;
  logic [3:0] piece_plane;
  map_pieces #(.BusWords(BusWords), .Banks(Banks)) u_pieces (
      .clk_i,
      .rst_ni (rst_ni && !start_i),
      .start_i(begins && item_i.kind == Planes),
      .item_i,
      .valid_o(piece_valid),
      .step_i (step),
      .from_o (piece_from),
      .bank_o (piece_bank),
      .words_o(piece_words),
      .lane_o (piece_lane),
      .part_o (piece_part),
      .plane_o(piece_plane),
      .beat_o (piece_beat),
      .last_o (piece_last)
  );
  assign step      = state_q == Drain && piece_valid && credit_q != '0;
  assign counts    = state_q inside {Tally, Head} && credit_q != '0;
  assign last_beat = beat_q == (state_q == Head ? CountBits'(64 / BusBytes - 1) : CountBits'(Beats - 1));

  logic frees;
  assign frees = step && piece_last && item_q.last;
  always_ff @(posedge clk_i) begin
    filled_q  <= filled_q + (StripBits + 1)'(filled_i) - (StripBits + 1)'(frees);
    credit_q  <= credit_q + 5'(wr_valid_o && wr_ready_i) - 5'((step && piece_beat) || counts);
    free_o    <= frees;
    tallied_o <= counts && last_beat && state_q == Tally;
    if (frees) strip_q <= strip_q + 1'b1;
    unique case (state_q)
      Idle: if (begins) begin
        item_q  <= item_i;
        beat_q  <= '0;
        state_q <= item_i.kind == Planes ? Drain : item_i.kind == Header ? Head : Tally;
      end
      Drain: if (step && piece_last) state_q <= Idle;
      Settle: if (credit_q == 5'(Queue) && wr_idle_i) state_q <= Idle;
      default: if (counts) begin
        beat_q <= beat_q + 1'b1;
        if (last_beat) state_q <= state_q == Head ? Settle : Idle;
      end
    endcase
    if (!rst_ni || start_i) begin
      state_q  <= Idle;
      filled_q <= '0;
      strip_q  <= '0;
      credit_q <= 5'(Queue);
      {free_o, tallied_o} <= '0;
    end
  end
  assign idle_o = state_q == Idle && credit_q == 5'(Queue);

  // Stage 1: the piece. Stages 2 to 4: banks. Stage 5: turned. Stage 6: a beat, in parts.
  typedef struct packed {
    logic                valid;
    logic                beat;    // it is complete
    logic [1:0]          source;  // out0, out1, mask, none of them
    logic [BeatBits-1:0] from;
    logic [BankBits-1:0] turn;
    logic [BankBits:0]   words;
  } tag_t;
  tag_t [4:0] tag_q;
  logic [BankBits-1:0] lane_q, bank_q;
  logic [3:0] plane_q;
  logic [2:0] gather_q;
  logic [StripBits:0] high_q, turned_high_q;  // strip, part
  logic [Banks-1:0] unused_banks;
  logic [Banks-1:0][3:0] planes;
  logic [Banks-1:0][15:0] first, second;
  map_spread #(.Banks(Banks)) u_spread (
      .clk_i,
      .bank_i  (bank_q),
      .words_i (tag_q[0].words),
      .lane_i  (lane_q),
      .plane_i (plane_q),
      .gather_i(gather_q),
      .banks_o (unused_banks),
      .planes_o(planes)
  );
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign addr_o[b] = {turned_high_q, planes[b]};
    assign first[b]  = data_i[b][0];
    assign second[b] = data_i[b][1];
  end

  // Beats that do not come from the banks, chosen when the others are read.
  logic [8*BusBytes-1:0] record, head, given_q;
  logic [2:0] head_q;
  logic [2:0][CountBits-1:0] beats_q;
  logic [511:0] header;
  assign header  = {416'd0, count_i, channels_i, BLOCK_TALLY};
  if (BusBytes > 32) begin : gen_records
    localparam int unsigned Each = BusBytes / 32;  // beat
    sums_t [Each-1:0] chosen_sums;
    assign chosen_sums = tallies_i[Each*beats_q[2]+:Each];
    for (genvar r = 0; r < Each; r++) begin : gen_record
      assign record[256*r+:256] = record_of(chosen_sums[r]);
    end
  end else begin : gen_parts
    localparam int unsigned PartBits = $clog2(32 / BusBytes);  // beats of a record, of which there are 16
    logic [2**PartBits-1:0][8*BusBytes-1:0] parts;
    assign parts  = record_of(tallies_i[beats_q[2][PartBits+:4]]);
    assign record = parts[beats_q[2]&CountBits'(2**PartBits-1)];
  end
  always_comb begin
    head = '0;
    for (int i = 0; i < 64 / BusBytes; i++) if (32'(beats_q[2]) == i) head = header[8*BusBytes*i+:8*BusBytes];
  end

  logic [16*Banks-1:0] chosen;
  logic [1:0] source;
  assign source = counts ? 2'd3 : item_q.tensor == 2'(MaskTensor) ? 2'd2 : item_q.tensor;
  logic [16*Banks-1:0] turned, turned_q;
  select_four #(.Width(16 * Banks)) u_choice (
      .data_i({(16 * Banks)'(given_q), masks_i, second, first}), .select_i(tag_q[3].source), .data_o(chosen)
  );
  rotate #(.Bytes(2 * Banks), .UnitBytes(2)) u_turn (.data_i(chosen), .shift_i(tag_q[3].turn), .data_o(turned));
  always_ff @(posedge clk_i) begin
    tag_q <= {tag_q[3:0], tag_t'{valid: step || counts, beat: counts || piece_beat, source: source,
              from: counts ? '0 : piece_from, turn: counts ? '0 : piece_bank - BankBits'(piece_from),
              words: counts ? (BankBits + 1)'(BusWords) : piece_words}};
    lane_q        <= piece_lane;
    bank_q        <= piece_bank;
    plane_q       <= piece_plane;
    gather_q      <= item_q.gather;
    high_q        <= {strip_q, piece_part};
    turned_high_q <= high_q;
    turned_q      <= turned;
    head_q        <= {head_q[1:0], state_q == Head};
    beats_q       <= {beats_q[1:0], beat_q};
    given_q       <= head_q[2] ? head : record;
    if (!rst_ni || start_i) for (int i = 0; i < 5; i++) tag_q[i].valid <= 1'b0;
  end

  logic [8*BusBytes-1:0] parts_q;
  logic [BusWords-1:0] mine_q;  // words of the beat that the piece has
  for (genvar w = 0; w < BusWords; w++) begin : gen_word
    always_ff @(posedge clk_i) if (tag_q[4].valid && mine_q[w]) parts_q[16*w+:16] <= turned_q[16*w+:16];
  end
  always_ff @(posedge clk_i) begin
    mine_q <= ~({BusWords{1'b1}} << tag_q[3].words) << tag_q[3].from;
    pushes <= tag_q[4].valid && tag_q[4].beat && rst_ni && !start_i;
  end

  logic empty, unused_full;
  sync_fifo #(.Width(8 * BusBytes), .Depth(Queue)) u_beats (
      .clk_i,
      .rst_ni,
      .clear_i(start_i),
      .push_i (pushes),
      .data_i (parts_q),
      .pop_i  (wr_valid_o && wr_ready_i),
      .data_o (wr_data_o),
      .full_o (unused_full),
      .empty_o(empty)
  );
  assign wr_valid_o = !empty;

  logic unused;
  assign unused = &{1'b0, item_q, unused_full, unused_banks, turned_q, tag_q};
endmodule
