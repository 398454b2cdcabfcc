/// From the greatest magnitude X of each channel to its scale, M = levels * 2^s / X of 24 bits, and to its unit
/// X * 2^-27 / levels: one channel after the other, with one divider, while the square before is coded.
module weight_scales
  import contract_pkg::*;
  import weight_pkg::*;
#(
    parameter  int unsigned BusBytes = 8,
    localparam int unsigned DataBits = 8 * BusBytes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                half_i,          ///< of the command
    input  logic [ 4:0]         bits_i,
    input  logic [31:0]         units_out_i,     ///< first records of the UNITS blocks
    input  logic [31:0]         units_in_i,
    input  logic                square_valid_i,
    input  square_t             square_i,
    // 16 maxima, of output or of input channels.
    input  logic                maxima_valid_i,
    output logic                maxima_ready_o,
    input  logic                side_i,
    input  logic                maxima_last_i,
    input  logic [DataBits-1:0] maxima_i,
    // Scales.
    output logic                write_o,
    output logic                write_side_o,
    output logic                write_table_o,
    output logic [ 3:0]         write_channel_o,
    output scale_t              scale_o,
    output logic                done_o,          ///< one cycle: those of a square are complete
    // Units.
    output logic                record_valid_o,
    input  logic                record_ready_i,
    output record_t             record_o
);
  localparam int unsigned QuotientBits = 33;
  typedef enum logic [2:0] { Idle, Side, Take, Normalise, Divide, Unit, Record, Finished } state_e;
  state_e state_q;
  logic side_q;
  logic [3:0] channel_q;

  // Maxima of both sides.
  localparam int unsigned Beats    = 64 / BusBytes;
  localparam int unsigned BeatBits = Beats == 1 ? 1 : $clog2(Beats);
  localparam int unsigned Words    = BusBytes / 4;
  localparam int unsigned WordBits = $clog2(Words);
  logic [Words-1:0][31:0] maxima_q[2*Beats], maxima;
  logic [BeatBits-1:0] beat_q;
  logic [$clog2(2*Beats)-1:0] put;
  logic [1:0] there_q;
  logic wanted;
  logic [31:0] found;
  assign maxima_ready_o = !there_q[side_i];
  assign wanted         = side_q ? square_i.in : square_i.out;
  assign found          = maxima[channel_q[WordBits-1:0]];
  if (Beats == 1) begin : gen_beat
    assign {maxima, put} = {maxima_q[side_q], side_i};
  end else begin : gen_beats
    assign {maxima, put} = {maxima_q[{side_q, channel_q[3:WordBits]}], side_i, beat_q};
  end

  // X with its leading one on top. 16, 8, 4, 2, 1 places.
  logic [30:0] x_q;
  logic [4:0] length_q;  // number of bits of X
  logic [2:0] step_q;
  logic [4:0] places;
  logic clear;
  assign places = 5'd16 >> step_q;
  always_comb begin
    unique case (step_q)
      3'd0:    clear = x_q[30-:16] == '0;
      3'd1:    clear = x_q[30-:8] == '0;
      3'd2:    clear = x_q[30-:4] == '0;
      3'd3:    clear = x_q[30-:2] == '0;
      default: clear = !x_q[30];
    endcase
  end

  // Levels are all ones: with their leading one on top, too.
  logic [4:0] level_bits;
  logic [30:0] levels;
  assign level_bits = half_i ? bits_i : bits_i - 5'd1;
  assign levels     = ~(31'h7FFF_FFFF >> level_bits);

  logic divide_q, unit_q, divided;
  logic [QuotientBits-1:0] quotient;
  logic [30:0] unused_rest;
  scalar_divider #(.Width(31), .Digits(16)) u_divider (
      .clk_i,
      .rst_ni,
      .start_i   (divide_q),
      .a_i       (unit_q ? x_q : levels),
      .b_i       (unit_q ? levels : x_q),
      .done_o    (divided),
      .quotient_o(quotient),
      .rest_o    (unused_rest)
  );

  // M is the quotient's top 24 bits. s is 24, or 23 if levels >= X, and X's bits beyond those of the levels; with HALF
  // one more.
  assign write_o         = state_q == Divide && divided;
  assign write_side_o    = side_q;
  assign write_table_o   = side_q ? square_i.in_table : square_i.out_table;
  assign write_channel_o = channel_q;
  assign scale_o         = '{multiplier: quotient[32] ? quotient[32:9] : quotient[31:8],
                             shift: (quotient[32] ? 6'd23 : 6'd24) + 6'(length_q) - 6'(level_bits) + 6'(half_i)};

  // The unit's exponent: -27 + length - level_bits - 32 + 2, one less if the quotient has 32 bits.
  logic signed [31:0] exponent;
  assign exponent = 32'(length_q) - 32'(level_bits) - (quotient[32] ? 32'd57 : 32'd58);
  assign record_valid_o = state_q == Record;
  assign record_o.long_one = 1'b1;
  always_ff @(posedge clk_i) begin
    if (state_q == Unit) begin
      record_o.data <= {exponent, 1'b0, quotient[32] ? quotient[32:2] : quotient[31:1]};
      record_o.addr <= side_q ? units_in_i + {13'd0, square_i.in_block, channel_q, 3'd0}
                              : units_out_i + {13'd0, square_i.out_block, channel_q, 3'd0};
    end
  end

  logic needs_unit, next;
  assign needs_unit = !side_q || square_i.unit_in;
  assign next       = (write_o && !needs_unit) || (state_q == Record && record_ready_i);
  assign done_o     = state_q == Finished;

  always_ff @(posedge clk_i) begin
    if (maxima_valid_i && maxima_ready_o) maxima_q[put] <= maxima_i;
  end

  always_ff @(posedge clk_i) begin
    if (maxima_valid_i && maxima_ready_o) begin
      beat_q <= maxima_last_i ? '0 : beat_q + 1'b1;
      if (maxima_last_i) there_q[side_i] <= 1'b1;
    end
    divide_q <= 1'b0;
    unique case (state_q)
      Idle: begin
        side_q <= 1'b0;
        if (square_valid_i) state_q <= Side;
      end
      Side: begin
        channel_q <= '0;
        if (wanted) begin
          if (there_q[side_q]) state_q <= Take;
        end else if (!side_q) side_q <= 1'b1;
        else state_q <= Finished;
      end
      Take: begin
        x_q      <= found[31] || found == '0 ? 31'd1 : found[30:0];
        length_q <= 5'd31;
        step_q   <= '0;
        unit_q   <= 1'b0;
        state_q  <= Normalise;
      end
      Normalise: begin
        step_q <= step_q + 3'd1;
        if (clear) begin
          x_q      <= x_q << places;
          length_q <= length_q - places;
        end
        if (step_q == 3'd4) begin
          divide_q <= 1'b1;
          state_q  <= Divide;
        end
      end
      Divide:
      if (divided) begin
        unit_q   <= 1'b1;
        divide_q <= needs_unit;
        if (needs_unit) state_q <= Unit;
      end
      Unit: if (divided) state_q <= Record;
      Finished: state_q <= Idle;
      default: ;
    endcase
    if (next) begin
      channel_q <= channel_q + 4'd1;
      state_q   <= Take;
      if (channel_q == '1) begin
        there_q[side_q] <= 1'b0;
        side_q          <= 1'b1;
        state_q         <= side_q ? Finished : Side;
      end
    end
    if (!rst_ni) begin
      state_q  <= Idle;
      there_q  <= '0;
      beat_q   <= '0;
      divide_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, unused_rest, quotient[0]};
endmodule
