/// Weights to codes: a job at a time, `Lanes` weights a cycle, each with the scale of its output channel and with that
/// of its input channel.
module weight_coder
  import weight_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    parameter  int unsigned Lanes    = 2,
    localparam int unsigned Parts    = 16 / Lanes,
    localparam int unsigned PartBits = $clog2(Parts),
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   half_i,           ///< of the command
    input  logic [ 4:0]            bits_i,
    input  logic [ 4:0]            interval_i,       ///< cycles from the end of a line to that of the next, at least
    input  logic [ 3:0]            kernel_w_i,
    input  logic [ 7:0]            row_words_i,      ///< words of a kernel row in a tile
    // Scales.
    input  logic                   write_i,
    input  logic                   write_side_i,
    input  logic                   write_table_i,
    input  logic [ 3:0]            write_channel_i,
    input  scale_t                 scale_i,
    // A job and its words.
    input  logic                   job_valid_i,      ///< job_i may be done; it stays until job_done_o
    input  job_t                   job_i,
    output logic                   job_done_o,       ///< one cycle: all its words have been taken
    input  logic                   words_valid_i,
    output logic                   words_ready_o,
    input  logic [DataBits-1:0]    words_i,
    // Codes.
    output logic                   valid_o,
    output logic                   last_o,           ///< of the job
    output logic [ 3:0]            ci_o,
    output logic [ 3:0]            tap_o,
    output logic [PartBits-1:0]    part_o,
    output logic [ 7:0]            place_o,          ///< of the tap in the tile of codes_in, turned over
    output logic [Lanes-1:0][15:0] out_codes_o,
    output logic [Lanes-1:0][15:0] in_codes_o
);
  localparam int unsigned Steps = BusBytes / 4 / Lanes;  // of a beat
  localparam int unsigned Delay = CodeLatency + 1;       // operands are registered first

  // Scales, two tables a side.
  logic [Lanes-1:0][29:0] out_scales_q[2*Parts];
  logic [29:0] in_scales_q[32];
  for (genvar i = 0; i < Lanes; i++) begin : gen_table
    always_ff @(posedge clk_i) begin
      if (write_i && !write_side_i && write_channel_i[$clog2(Lanes)-1:0] == ($clog2(Lanes))'(i)) begin
        out_scales_q[{write_table_i, write_channel_i[3:$clog2(Lanes)]}][i] <= scale_i;
      end
    end
  end
  always_ff @(posedge clk_i) if (write_i && write_side_i) in_scales_q[{write_table_i, write_channel_i}] <= scale_i;

  // Steps.
  typedef struct packed {
    logic [3:0]          ci;
    logic [3:0]          tap;
    logic [PartBits-1:0] part;
    logic [7:0]          place;
    logic                last;
  } where_t;
  where_t at, at_late;
  logic [3:0] ci_q, tap_q, column_q;
  logic [7:0] row, row_q;  // the turned row's first word
  logic [PartBits-1:0] part_q;
  logic [4:0] since_q;  // a line ended, up to interval_i
  logic step, beat_last, tap_last;
  assign tap_last      = 5'(tap_q) == job_i.taps - 5'd1;
  assign at            = '{ci: ci_q, tap: tap_q, part: part_q, place: row + 8'(kernel_w_i) - 8'd1 - 8'(column_q),
                           last: part_q == '1 && tap_last && ci_q == '1};
  assign row           = tap_q == '0 ? job_i.words[7:0] - row_words_i : row_q;
  assign step          = job_valid_i && (words_valid_i || !job_i.stored) && (part_q != '1 || since_q >= interval_i);
  assign words_ready_o = step && job_i.stored && beat_last;
  assign job_done_o    = step && at.last;

  logic [Lanes-1:0][31:0] words, words_q;
  if (Steps == 1) begin : gen_beat
    assign words     = words_i;
    assign beat_last = 1'b1;
  end else begin : gen_part
    logic [Steps-1:0][Lanes-1:0][31:0] parts;
    assign parts     = words_i;
    assign words     = parts[part_q[$clog2(Steps)-1:0]];
    assign beat_last = part_q[$clog2(Steps)-1:0] == '1;
  end

  scale_t in_scale_q;
  scale_t [Lanes-1:0] out_scale_q;
  logic [Delay-1:0] valid_q;
  always_ff @(posedge clk_i) begin
    words_q     <= job_i.stored ? words : '0;
    in_scale_q  <= in_scales_q[{job_i.in_table, ci_q}];
    out_scale_q <= out_scales_q[{job_i.out_table, part_q}];
    valid_q     <= {valid_q[Delay-2:0], step};
    if (step) begin
      part_q <= part_q + 1'b1;
      if (part_q == '1) tap_q <= tap_last ? '0 : tap_q + 4'd1;
      if (part_q == '1 && tap_last) ci_q <= ci_q + 4'd1;
      row_q <= row;
      if (part_q == '1) begin
        column_q <= column_q + 4'd1;
        if (column_q == kernel_w_i - 4'd1) begin
          column_q <= '0;
          row_q    <= row - row_words_i;
        end
      end
    end
    if (step && part_q == '1) since_q <= 5'd1;
    else if (since_q < interval_i) since_q <= since_q + 5'd1;
    if (!rst_ni) {part_q, tap_q, ci_q, column_q, valid_q, since_q} <= '0;
  end
  delay_line #(.Bits($bits(where_t)), .Cycles(Delay)) u_place (.clk_i, .data_i(at), .data_o(at_late));
  assign valid_o = valid_q[Delay-1];
  assign {ci_o, tap_o, part_o, place_o} = {at_late.ci, at_late.tap, at_late.part, at_late.place};
  assign last_o  = at_late.last && valid_o;

  // Limits: with HALF all codes of that width, else as many below 0 as above.
  logic [16:0] most, least;
  assign most  = 17'((18'd1 << (bits_i - 5'd1)) - 18'd1);
  assign least = half_i ? ~most : -most;
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    weight_code_lane u_out (
        .clk_i,
        .near_i (!half_i),
        .least_i(least),
        .most_i (most),
        .w_i    (words_q[i]),
        .scale_i(out_scale_q[i]),
        .code_o (out_codes_o[i])
    );
    weight_code_lane u_in (
        .clk_i,
        .near_i (!half_i),
        .least_i(least),
        .most_i (most),
        .w_i    (words_q[i]),
        .scale_i(in_scale_q),
        .code_o (in_codes_o[i])
    );
  end

  logic unused;
  assign unused = &{1'b0, job_i};
endmodule
