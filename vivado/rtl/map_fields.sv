/// What the fields of a MAP say by themselves, and what lies at its addresses.
module map_fields
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
(
    input  words_t      words_i,
    input  logic        reserved_i,  ///< a bit of a word that holds no field of any command is set
    input  logic [20:0] pixels_i,    ///< height * width
    output logic [ 7:0] error_o,     ///< RESERVED, WIDTH, FORMAT or SHAPE, the first that fails, or OK
    input  logic [ 3:0] index_i,     ///< of an address field: word FirstPlace + index
    output place_t      place_o      ///< what lies there
);
  logic [7:0] x0_bits, x1_bits, x2_bits, out0_bits, out1_bits;
  logic [15:0] flags;
  assign {x2_bits, x1_bits, x0_bits} = words_i[0][31:8];
  assign {out1_bits, out0_bits, flags} = words_i[1];

  logic reserved, widths, format, limits, tallies, masks, rounds, is_signed;
  always_comb begin
    reserved = reserved_i || flags[15:9] != '0 || words_i[3][31:16] != '0 || words_i[4][31:16] != '0;
    for (int unsigned i = MAP_FIELD_SEED_HI_WORD + 1; i < UsedWords; i++) reserved |= words_i[i] != '0;
  end

  function automatic logic in_bits(logic [7:0] bits);
    return 32'(bits) <= MAX_OPERAND_BITS;
  endfunction
  assign widths = x0_bits != '0 && in_bits(x0_bits) && in_bits(x1_bits) && in_bits(x2_bits) && in_bits(out0_bits)
      && in_bits(out1_bits);

  assign tallies   = flags[MAP_FLAG_TALLY];
  assign is_signed = flags[MAP_FLAG_OUT_SIGNED];
  assign masks     = (flags[MAP_FLAG_MASK_X0] && (flags[MAP_FLAG_MASK_OUT] || flags[MAP_FLAG_MASK_WRITE]))
      || (flags[MAP_FLAG_MASK_OUT] && flags[MAP_FLAG_MASK_WRITE]);
  assign rounds    = x1_bits != '0 || out1_bits != '0 || is_signed || flags[MAP_FLAG_STOCHASTIC]
      || flags[MAP_FLAG_MASK_OUT] || flags[MAP_FLAG_MASK_WRITE];
  assign format    = !masks && (out0_bits != '0 || (tallies && !rounds)) && (x2_bits == '0 || tallies)
      && (x1_bits != '0 || !flags[MAP_FLAG_X1_SIGNED])
      && !(is_signed && (out0_bits == 8'd1 || out1_bits == 8'd1));

  function automatic logic in_range(logic [15:0] value, logic [31:0] most);
    return value != '0 && 32'(value) <= most;
  endfunction
  assign limits = words_i[3][15:0] != '0 && in_range(words_i[4][15:0], MAX_BLOCKS)
      && in_range(words_i[5][15:0], MAX_EXTENT) && in_range(words_i[5][31:16], MAX_EXTENT);

  always_comb begin
    if (reserved) error_o = 8'(ERROR_RESERVED);
    else if (!widths) error_o = 8'(ERROR_WIDTH);
    else if (!format) error_o = 8'(ERROR_FORMAT);
    else if (!limits) error_o = 8'(ERROR_SHAPE);
    else error_o = 8'(ERROR_OK);
  end

  logic [11:0] blocks;
  assign blocks = words_i[4][11:0];
  function automatic place_t planes(logic writes, logic [7:0] bits, logic [20:0] pixels);
    return '{used: bits != '0, writes: writes, header: 1'b0, images: words_i[3][15:0], blocks: blocks, pixels: pixels,
             bits: 10'(bits)};
  endfunction

  logic reads_mask;
  assign reads_mask = flags[MAP_FLAG_MASK_X0] || flags[MAP_FLAG_MASK_OUT];
  always_comb begin
    unique case (32'(index_i) + FirstPlace)
      MAP_FIELD_X0_ADDR_WORD:           place_o = planes(1'b0, x0_bits, flags[MAP_FLAG_BROADCAST] ? 21'd1 : pixels_i);
      MAP_FIELD_X1_ADDR_WORD:           place_o = planes(1'b0, x1_bits, pixels_i);
      MAP_FIELD_X2_ADDR_WORD:           place_o = planes(1'b0, x2_bits, pixels_i);
      MAP_FIELD_MASK_ADDR_WORD:
      place_o = planes(!reads_mask, 8'(reads_mask || flags[MAP_FLAG_MASK_WRITE]), pixels_i);
      MAP_FIELD_OUT0_ADDR_WORD:         place_o = planes(1'b1, out0_bits, pixels_i);
      MAP_FIELD_OUT1_ADDR_WORD:         place_o = planes(1'b1, out1_bits, pixels_i);
      MAP_FIELD_COEFFICIENTS_ADDR_WORD:
      place_o = block_place(out0_bits != '0, 1'b0, blocks, 7'(COEFFICIENTS_RECORD_BYTES));
      MAP_FIELD_TALLY_ADDR_WORD:        place_o = block_place(tallies, 1'b1, blocks, 7'(TALLY_RECORD_BYTES));
      MAP_FIELD_STEP_ADDR_WORD:
      place_o = block_place(flags[MAP_FLAG_STOCHASTIC], 1'b0, blocks, 7'(STEP_RECORD_BYTES));
      default:                          place_o = '0;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, words_i};
endmodule
