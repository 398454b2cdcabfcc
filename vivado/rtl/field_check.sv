/// The checks of a command that look at single fields: OPCODE, RESERVED, WIDTH, FORMAT and the limits of SHAPE.
module field_check
  import contract_pkg::*;
  import command_pkg::*;
(
    input  logic       clk_i,
    input  words_t     words_i,
    input  logic       reserved_i,  ///< a bit of a word that holds no field is set
    output logic [7:0] error_o      ///< a cycle later: the first check that fails, or OK
);
  logic [7:0] opcode, a_bits, b_bits, out_bits, flags, out_format, shift;
  logic requantised, known, reserved, widths, format, limits;
  logic known_q, reserved_q, widths_q, format_q, limits_q;

  assign {out_bits, b_bits, a_bits, opcode} = words_i[0];
  assign {shift, out_format, flags}         = words_i[1][23:0];
  assign requantised = out_format == 8'(FORMAT_INT16) || out_format == 8'(FORMAT_PLANES);
  assign reserved    = reserved_i || words_i[1][31:24] != '0 || flags[7]
                       || words_i[3][31:16] != '0 || words_i[8][31:16] != '0;

  function automatic logic in_range(logic [15:0] value, logic [15:0] least, logic [31:0] most);
    return value >= least && 32'(value) <= most;
  endfunction

  function automatic logic in_bits(logic [7:0] value);
    return in_range({8'd0, value}, 16'd1, MAX_OPERAND_BITS);
  endfunction

  assign widths = in_bits(a_bits) && in_bits(b_bits) && (!requantised || in_bits(out_bits));

  always_comb begin
    if (requantised) format = 32'(shift) <= MAX_SHIFT;
    else begin
      format = (out_format == 8'(FORMAT_INT32) || out_format == 8'(FORMAT_INT64))
          && out_bits == '0 && shift == '0
          && !flags[FLAG_OUT_SIGNED[2:0]] && !flags[FLAG_STOCHASTIC[2:0]];
    end
  end

  always_comb begin
    limits = in_range(words_i[3][15:0], 16'd1, MAX_IMAGES);
    for (int i = 0; i < 2; i++) begin
      limits &= in_range(words_i[4][16*i+:16], 16'd1, MAX_BLOCKS);
      limits &= in_range(words_i[5][16*i+:16], 16'd1, MAX_EXTENT);
      limits &= in_range(words_i[6][16*i+:16], 16'd1, MAX_EXTENT);
      limits &= in_range({8'd0, words_i[7][8*i+:8]}, 16'd1, MAX_KERNEL);
      limits &= in_range({8'd0, words_i[7][16+8*i+:8]}, 16'd1, MAX_STEP);
      limits &= in_range({8'd0, words_i[8][8*i+:8]}, 16'd1, MAX_STEP);
    end
    for (int i = 0; i < 4; i++) begin
      limits &= in_range({8'd0, words_i[9][8*i+:8]}, 16'd0, MAX_PADDING);
    end
  end

  assign known = opcode == 8'(OPCODE_CONV) || opcode == 8'(OPCODE_WGRAD);
  always_ff @(posedge clk_i) begin
    known_q    <= known;
    reserved_q <= reserved;
    widths_q   <= widths;
    format_q   <= format;
    limits_q   <= limits;
  end
  always_comb begin
    if (!known_q) error_o = 8'(ERROR_OPCODE);
    else if (reserved_q) error_o = 8'(ERROR_RESERVED);
    else if (!widths_q) error_o = 8'(ERROR_WIDTH);
    else if (!format_q) error_o = 8'(ERROR_FORMAT);
    else if (!limits_q) error_o = 8'(ERROR_SHAPE);
    else error_o = 8'(ERROR_OK);
  end

  logic unused;
  assign unused = &{1'b0, words_i};
endmodule
