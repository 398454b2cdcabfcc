/// Codes by output channel: from the order in which weights come, [ci] [tap] [co], to the planes of one output channel
/// and tap, whose words have a bit of each of the 16 input channels.
///
/// A job is written into one half of a memory while the job before is read from the other, [tap] [co / Lanes] [ci],
/// into shift registers, one for each output channel and plane.
module weight_transpose #(
    parameter  int unsigned Lanes    = 2,
    localparam int unsigned Parts    = 16 / Lanes,
    localparam int unsigned PartBits = $clog2(Parts)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic [ 3:0]            kernel_w_i,      ///< of the command
    input  logic [ 7:0]            row_words_i,     ///< words of a kernel row in a tile
    // Codes as they come.
    input  logic                   valid_i,
    input  logic                   half_i,          ///< of the memory
    input  logic [ 3:0]            ci_i,
    input  logic [ 3:0]            tap_i,
    input  logic [PartBits-1:0]    part_i,
    input  logic [Lanes-1:0][15:0] codes_i,
    // A job that is complete.
    input  logic                   start_i,         ///< begin it; only when idle
    input  logic                   read_half_i,     ///< this and the next stay until done_o
    input  logic [ 4:0]            taps_i,
    output logic                   idle_o,
    output logic                   done_o,          ///< one cycle: all its planes have been handed over
    // Planes of `Lanes` output channels.
    output logic                   planes_valid_o,  ///< one cycle; they are taken
    input  logic                   planes_ready_i,  ///< others could be taken
    output logic [ 3:0]            co_o,            ///< the first channel
    output logic [ 7:0]            place_o,         ///< number of the first plane's word in the tile
    output logic [Lanes-1:0][15:0][15:0] planes_o
);
  localparam int unsigned LaneBits = $clog2(Lanes);

  // The memory.
  localparam int unsigned IndexBits = 9 + PartBits;
  logic [Lanes-1:0][15:0] codes_q[2**IndexBits], read_q, code_q;
  logic [IndexBits-1:0] read_at;
  always_ff @(posedge clk_i) begin
    if (valid_i) codes_q[{half_i, ci_i, tap_i, part_i}] <= codes_i;
    read_q <= codes_q[read_at];
    code_q <= read_q;
  end

  // Reads: groups of 16. One begins when the planes of the group before the last have been put away.
  logic reading_q, early, group_begins, read, group_last, job_last;
  logic [3:0] ci_q, tap_q, column_q;
  logic [7:0] row_q;  // words of the rows before
  logic [PartBits-1:0] part_q;
  logic [1:0] in_flight_q;  // groups that are read but not handed over
  assign read_at      = {read_half_i, ci_q, tap_q, part_q};
  assign group_begins = ci_q == '0;
  assign read         = reading_q && (!group_begins || (planes_ready_i && in_flight_q == '0) || early);
  assign group_last   = ci_q == '1;
  assign job_last     = group_last && part_q == '1 && 5'(tap_q) == taps_i - 5'd1;

  // What comes out of the memory two cycles later.
  typedef struct packed {
    logic                valid;
    logic                last;     // of the group
    logic                ends;     // of the job
    logic [PartBits-1:0] part;
    logic [7:0]          place;
  } answer_t;
  answer_t answer_q, answer_2_q, full_q;

  // Shift registers. The last group has just been read and can be handed over when it comes; the next may follow at
  // once, if its planes are put away within the 16 cycles of a group: weight_tiles does so for kernels with an odd
  // width.
  logic [Lanes-1:0][15:0][15:0] shift_q;
  assign early          = planes_ready_i && in_flight_q == 2'd1 && kernel_w_i[0];
  assign planes_valid_o = full_q.valid;
  assign planes_o       = shift_q;
  assign co_o           = {full_q.part, LaneBits'(0)};
  assign place_o        = full_q.place;
  assign idle_o         = !reading_q && in_flight_q == '0;

  always_ff @(posedge clk_i) begin
    answer_q   <= '{valid: read, last: group_last, ends: job_last, part: part_q, place: row_q + 8'(column_q)};
    answer_2_q <= answer_q;
    full_q     <= '{valid: answer_2_q.valid && answer_2_q.last, last: 1'b0, ends: answer_2_q.ends,
                    part: answer_2_q.part, place: answer_2_q.place};
    if (answer_2_q.valid) begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        for (int unsigned plane = 0; plane < 16; plane++) begin
          shift_q[i][plane] <= {code_q[i][plane], shift_q[i][plane][15:1]};
        end
      end
    end
    if (start_i) begin
      {ci_q, tap_q, part_q, row_q, column_q} <= '0;
    end else if (read) begin
      ci_q <= ci_q + 4'd1;
      if (group_last) part_q <= part_q + 1'b1;
      if (group_last && part_q == '1) begin
        tap_q    <= tap_q + 4'd1;
        column_q <= column_q + 4'd1;
        if (column_q == kernel_w_i - 4'd1) begin
          column_q <= '0;
          row_q    <= row_q + row_words_i;
        end
      end
    end
    in_flight_q <= in_flight_q + 2'(read && group_begins) - 2'(full_q.valid);
    done_o <= full_q.valid && full_q.ends;
    if (read && job_last) reading_q <= 1'b0;
    if (start_i) reading_q <= 1'b1;
    if (!rst_ni) begin
      {reading_q, in_flight_q, done_o} <= '0;
      {answer_q, answer_2_q, full_q} <= '0;
    end
  end

  logic unused;
  assign unused = full_q.last;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) no_group_is_lost : assert (!full_q.valid || planes_ready_i);
`endif
endmodule
