/// Cuts the bytes of a request into pieces: words of one beat that go to successive banks.
///
/// A run is what lies side by side both in memory and in the banks: a row of a plane, at most Banks words of it; or
/// 2^gather planes of it. A piece is a run, or as much of it as a beat has. Runs are made one ahead of the pieces.
module map_pieces
  import map_pkg::*;
#(
    parameter  int unsigned BusWords = 4,   ///< of 16 bits, of a beat
    parameter  int unsigned Banks    = 16,
    localparam int unsigned BankBits = $clog2(Banks),
    localparam int unsigned BeatBits = $clog2(BusWords)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,   ///< item_i is a new request; there are no more pieces of the one before
    input  item_t               item_i,
    output logic                valid_o,   ///< there is a piece
    input  logic                step_i,    ///< take it; only if there is
    output logic [BeatBits-1:0] from_o,    ///< the piece's first word in its beat
    output logic [BankBits-1:0] bank_o,    ///< and its bank
    output logic [BankBits:0]   words_o,
    output logic [BankBits-1:0] lane_o,    ///< first lane of the row, modulo Banks
    output logic                part_o,    ///< lane / Banks
    output logic [3:0]          plane_o,   ///< first plane of the run
    output logic                beat_o,    ///< the beat's last piece
    output logic                last_o     ///< the request's last piece
);
  localparam int unsigned Pixels = Banks / 16;

  typedef struct packed {
    logic [BankBits-1:0] bank;
    logic [BankBits-1:0] lane;
    logic                part;
    logic [3:0]          plane;
    logic [BankBits:0]   words;
    logic                last;
  } run_t;

  // The run after next.
  item_t item_q;
  logic [6:0] row_q, lane;
  logic [4:0] plane_q, planes, rest;
  logic part_q, more_q, ends_plane, ends_row;
  logic [3:0] plane;
  run_t run;
  assign planes     = 5'd1 << item_q.gather;
  assign rest       = item_q.bits - plane_q;
  assign ends_plane = part_q || item_q.words <= 7'(Banks);
  assign ends_row   = ends_plane && rest <= planes;
  assign lane       = row_q << item_q.pitch;
  assign plane      = item_q.plane + plane_q[3:0];
  always_comb begin
    if (part_q) run.words = (BankBits + 1)'(item_q.words - 7'(Banks));
    else if (item_q.gather != '0 && rest < planes) run.words = (BankBits + 1)'(12'(rest) << item_q.pitch);
    else if (item_q.gather != '0 || !ends_plane) run.words = (BankBits + 1)'(Banks);
    else run.words = (BankBits + 1)'(item_q.words);
    run.lane  = lane[BankBits-1:0];
    run.part  = part_q || lane[BankBits];
    run.plane = plane;
    run.bank  = run.lane + BankBits'(Pixels) * BankBits'(place_of(plane, item_q.gather));
    run.last  = ends_row && row_q == item_q.rows - 7'd1;
  end

  // The next one, and what is left of this one.
  run_t ahead_q, run_q;
  logic ahead_valid_q, valid_q, loads, makes, ends_run;
  logic [BankBits-1:0] bank_q;
  logic [BankBits:0] words_q, left;
  logic [BeatBits-1:0] from_q;
  assign left     = (BankBits + 1)'(BusWords) - (BankBits + 1)'(from_q);
  assign ends_run = words_q <= left;
  assign loads    = ahead_valid_q && (!valid_q || (step_i && ends_run));
  assign makes    = more_q && (!ahead_valid_q || loads);

  assign valid_o = valid_q;
  assign words_o = ends_run ? words_q : left;
  assign last_o  = run_q.last && ends_run;
  assign beat_o  = words_q >= left || last_o;
  assign from_o  = from_q;
  assign lane_o  = run_q.lane;
  assign part_o  = run_q.part;
  assign plane_o = run_q.plane;
  assign bank_o  = bank_q;

  always_ff @(posedge clk_i) begin
    if (makes) begin
      ahead_q       <= run;
      ahead_valid_q <= 1'b1;
      part_q        <= !ends_plane;
      if (ends_plane) plane_q <= ends_row ? '0 : plane_q + planes;
      if (ends_row) row_q <= row_q + 7'd1;
      if (run.last) more_q <= 1'b0;
    end else if (loads) begin
      ahead_valid_q <= 1'b0;
    end
    if (step_i) begin
      from_q  <= beat_o ? '0 : from_q + BeatBits'(words_o);
      bank_q  <= bank_q + BankBits'(words_o);
      words_q <= words_q - words_o;
      if (ends_run) valid_q <= 1'b0;
    end
    if (loads) begin
      run_q   <= ahead_q;
      bank_q  <= ahead_q.bank;
      words_q <= ahead_q.words;
      valid_q <= 1'b1;
    end
    if (start_i) begin
      item_q  <= item_i;
      row_q   <= '0;
      plane_q <= '0;
      part_q  <= 1'b0;
      from_q  <= '0;
      more_q  <= 1'b1;
    end
    if (!rst_ni) {more_q, ahead_valid_q, valid_q} <= '0;
  end

  logic unused;
  assign unused = &{1'b0, item_q, lane, run_q};
endmodule
