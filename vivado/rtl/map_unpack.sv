/// Takes what the walker has asked for: words of planes go to the banks of their strip, coefficients to registers.
module map_unpack
  import contract_pkg::*;
  import map_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    parameter  int unsigned Banks    = 16,
    localparam int unsigned BusWords = BusBytes / 2,
    localparam int unsigned BankBits = $clog2(Banks),
    localparam int unsigned StripBits = $clog2(InStrips),
    localparam int unsigned AddrBits = StripBits + 2 + 1 + 4
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           item_valid_i,
    output logic                           item_ready_o,
    input  item_t                          item_i,
    input  logic                           scales_i,       ///< blocks have coefficients
    input  logic [3:0]                     shift_i,        ///< of C, to the left
    input  logic                           rd_valid_i,
    output logic                           rd_ready_o,
    input  logic [8*BusBytes-1:0]          rd_data_i,
    input  logic                           between_i,      ///< no pixel of the block before is under way
    output logic                           block_o,        ///< one cycle: the block may begin
    output logic [15:0][24:0]              a_o,
    output logic [15:0][39:0]              c_o,
    output logic [15:0][47:0]              b_o,
    output logic [Banks-1:0]               write_o,
    output logic [Banks-1:0]               mask_write_o,
    output logic [Banks-1:0][AddrBits-1:0] addr_o,         ///< strip, tensor, part, plane
    output logic [Banks-1:0][15:0]         data_o,
    output logic                           strip_o         ///< one cycle: a strip is complete
);
  localparam int unsigned BeatBits = $clog2(BusWords);
  localparam int unsigned Beats    = 512 / BusBytes;  // of a block's coefficients
  localparam int unsigned CountBits = $clog2(Beats);

  typedef enum logic [1:0] { Idle, Fill, Load } state_e;
  state_e state_q;
  item_t item_q;
  logic [StripBits-1:0] strip_q;
  logic [CountBits-1:0] beat_q;

  logic step, begins, records, piece_valid, piece_beat, piece_last, piece_part;
  logic [BeatBits-1:0] piece_from;
  logic [BankBits-1:0] piece_bank, piece_lane;
  logic [BankBits:0] piece_words;
  logic [3:0] piece_plane;
  map_pieces #(.BusWords(BusWords), .Banks(Banks)) u_pieces (
      .clk_i,
      .rst_ni,
      .start_i(begins && !records),
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

  assign records      = item_i.kind == Records;
  assign item_ready_o = state_q == Idle && (!records || between_i);
  assign begins       = item_valid_i && item_ready_o;
  assign step         = state_q == Fill && piece_valid && rd_valid_i;
  assign rd_ready_o   = (state_q == Fill && piece_valid && piece_beat) || state_q == Load;

  logic loaded;
  assign loaded = state_q == Load && rd_valid_i && beat_q == CountBits'(Beats - 1);
  always_ff @(posedge clk_i) begin
    block_o <= loaded || (begins && records && !scales_i);
    unique case (state_q)
      Idle: if (begins) begin
        item_q  <= item_i;
        beat_q  <= '0;
        state_q <= !records ? Fill : scales_i ? Load : Idle;
      end
      Fill: if (step && piece_last) state_q <= Idle;
      default: begin
        if (rd_valid_i) beat_q <= beat_q + 1'b1;
        if (loaded) state_q <= Idle;
      end
    endcase
    if (!rst_ni) begin
      state_q <= Idle;
      block_o <= 1'b0;
    end
  end

  // C of the records that begin in a beat, then the same shifted.
  localparam int unsigned CsABeat = BusBytes > 32 ? BusBytes / 32 : 1;
  logic load_q;
  logic [CountBits-1:0] beat2_q;
  logic signed [CsABeat-1:0][24:0] c_q;
  logic [CsABeat-1:0][27:0] by_1;
  logic [CsABeat-1:0][39:0] by_4;
  for (genvar r = 0; r < CsABeat; r++) begin : gen_record
    logic signed [27:0] c;
    logic signed [39:0] c_by_1;
    assign c      = 28'($signed(c_q[r]));
    assign c_by_1 = 40'($signed(by_1[r]));
    select_four #(.Width(28)) u_by_1 (
        .data_i({c << 3, c << 2, c << 1, c}), .select_i(shift_i[1:0]), .data_o(by_1[r])
    );
    select_four #(.Width(40)) u_by_4 (
        .data_i({c_by_1 << 12, c_by_1 << 8, c_by_1 << 4, c_by_1}), .select_i(shift_i[3:2]), .data_o(by_4[r])
    );
    always_ff @(posedge clk_i) c_q[r] <= rd_data_i[256*r+32+:25];
  end
  always_ff @(posedge clk_i) begin
    load_q  <= state_q == Load;
    beat2_q <= beat_q;
  end

  // A command without coefficients sums x0 itself: it is multiplied by 1.
  for (genvar ch = 0; ch < 16; ch++) begin : gen_coefficients
    localparam int unsigned AC = 32 * ch;  // bytes
    localparam int unsigned B  = 32 * ch + 8;
    always_ff @(posedge clk_i) begin
      if (state_q == Load && beat_q == CountBits'(AC / BusBytes)) a_o[ch] <= rd_data_i[8*(AC%BusBytes)+:25];
      if (load_q && beat2_q == CountBits'(AC / BusBytes)) c_o[ch] <= by_4[AC%BusBytes/32];
      if (state_q == Load && beat_q == CountBits'(B / BusBytes)) b_o[ch] <= rd_data_i[8*(B%BusBytes)+:48];
      if (!scales_i) {a_o[ch], c_o[ch], b_o[ch]} <= {25'd1, 40'd0, 48'd0};
    end
  end

  // Stage 1: the piece and its beat. Stage 2: turned to its banks.
  logic valid_q, turned_valid_q, mask_q, turned_mask_q, end_q, turned_end_q;
  logic [BankBits-1:0] bank_q, lane_q, turn_q;
  logic [BankBits:0] words_q;
  logic [3:0] plane_q;
  logic [2:0] gather_q;
  logic [StripBits+2:0] high_q, turned_high_q;  // strip, tensor, part
  logic [Banks-1:0] banks;
  logic [Banks-1:0][3:0] planes;
  logic [16*Banks-1:0] data_q, turned;
  map_spread #(.Banks(Banks)) u_spread (
      .clk_i,
      .bank_i  (bank_q),
      .words_i (words_q),
      .lane_i  (lane_q),
      .plane_i (plane_q),
      .gather_i(gather_q),
      .banks_o (banks),
      .planes_o(planes)
  );
  rotate #(.Bytes(2 * Banks), .UnitBytes(2)) u_turn (.data_i(data_q), .shift_i(turn_q), .data_o(turned));
  always_ff @(posedge clk_i) begin
    valid_q  <= step;
    end_q    <= step && piece_last && item_q.last;
    data_q   <= (16 * Banks)'(rd_data_i);
    turn_q   <= BankBits'(piece_from) - piece_bank;
    bank_q   <= piece_bank;
    words_q  <= piece_words;
    lane_q   <= piece_lane;
    plane_q  <= piece_plane;
    gather_q <= item_q.gather;
    mask_q   <= item_q.tensor == 2'(MaskTensor);
    high_q   <= {strip_q, item_q.tensor, piece_part};

    turned_valid_q <= valid_q;
    turned_mask_q  <= mask_q;
    turned_high_q  <= high_q;
    turned_end_q   <= end_q;
    data_o         <= turned;
    strip_o        <= turned_end_q;
    if (step && piece_last && item_q.last) strip_q <= strip_q + 1'b1;
    if (!rst_ni) begin
      {valid_q, turned_valid_q, end_q, turned_end_q, strip_o} <= '0;
      strip_q <= '0;
    end
  end
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign write_o[b]      = turned_valid_q && !turned_mask_q && banks[b];
    assign mask_write_o[b] = turned_valid_q && turned_mask_q && banks[b];
    assign addr_o[b]       = {turned_high_q, planes[b]};
  end

  logic unused;
  assign unused = &{1'b0, item_q};
endmodule
