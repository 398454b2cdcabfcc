/// What the fields of NORM, SCALE, JOIN and ERROR say by themselves, and what lies at their addresses.
module scalar_fields
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
(
    input  words_t     words_i,
    input  logic       reserved_i,  ///< a bit of a word that holds no field of any command is set
    output logic [7:0] error_o,     ///< RESERVED, WIDTH, FORMAT or SHAPE, the first that fails, or OK
    input  logic [3:0] index_i,     ///< of an address field: word FirstPlace + index
    output place_t     place_o      ///< what lies there
);
  logic [7:0] opcode, bits, wide_bits, shift, shift1;
  logic [15:0] flags, channels;
  assign {shift, wide_bits, bits, opcode} = words_i[0];
  assign {shift1, flags}                  = words_i[1][23:0];
  assign channels                         = words_i[4][15:0];

  logic norm, scale, join_, error;
  assign norm  = opcode == 8'(OPCODE_NORM);
  assign scale = opcode == 8'(OPCODE_SCALE);
  assign join_ = opcode == 8'(OPCODE_JOIN);
  assign error = opcode == 8'(OPCODE_ERROR);

  logic evaluate, relu, node, stream, branch, power, second;
  assign {power, branch, stream, node, relu, evaluate} = flags[5:0];
  assign second = stream || branch;

  logic reserved, widths, format, limits;
  always_comb begin
    reserved = reserved_i || flags[15:6] != '0 || words_i[1][31:24] != '0 || words_i[3][31:16] != '0
        || words_i[4][31:16] != '0;
    for (int unsigned i = SCALAR_FIELD_STEP_ADDR_WORD + 1; i < UsedWords; i++) reserved |= words_i[i] != '0;
  end

  function automatic logic in_range(logic [15:0] value, logic [15:0] least, logic [31:0] most);
    return value >= least && 32'(value) <= most;
  endfunction
  logic uses_bits, uses_wide;
  assign uses_bits = scale || error;
  assign uses_wide = join_ || (scale && node);
  assign widths    = (!uses_bits || in_range(16'(bits), relu && scale ? 16'd1 : 16'd2, MAX_OPERAND_BITS))
      && (!uses_wide || in_range(16'(wide_bits), 16'd2, MAX_OPERAND_BITS));
  assign format    = !(evaluate && !norm) && !((relu || node) && !scale) && !(second && !scale && !join_)
      && !(power && !join_ && !error) && !(stream && branch) && !(scale && second && !node)
      && (uses_bits || bits == '0) && (uses_wide || wide_bits == '0)
      && 32'(shift) <= MAX_SHIFT && 32'(shift1) <= MAX_SHIFT;
  assign limits    = words_i[3][15:0] != '0 && in_range(channels, 16'd1, CHANNEL_BLOCK * MAX_BLOCKS)
      && in_range(words_i[5][15:0], 16'd1, MAX_EXTENT) && in_range(words_i[5][31:16], 16'd1, MAX_EXTENT);

  always_comb begin
    if (reserved) error_o = 8'(ERROR_RESERVED);
    else if (!widths) error_o = 8'(ERROR_WIDTH);
    else if (!format) error_o = 8'(ERROR_FORMAT);
    else if (!limits) error_o = 8'(ERROR_SHAPE);
    else error_o = 8'(ERROR_OK);
  end

  logic [11:0] blocks;
  assign blocks = 12'((17'(channels) + 17'd15) >> 4);
  function automatic place_t place(logic used, logic writes, logic [6:0] record);
    return block_place(used, writes, blocks, record);
  endfunction

  always_comb begin
    unique case (32'(index_i) + FirstPlace)
      SCALAR_FIELD_TALLY_ADDR_WORD:        place_o = place(!scale || node, 1'b0, 7'(TALLY_RECORD_BYTES));
      SCALAR_FIELD_TALLY1_ADDR_WORD:
      place_o = place(error || (join_ && second) || (scale && stream), 1'b0, 7'(TALLY_RECORD_BYTES));
      SCALAR_FIELD_NORM_ADDR_WORD:         place_o = place(!join_, norm, 7'(NORM_RECORD_BYTES));
      SCALAR_FIELD_NORM1_ADDR_WORD:        place_o = place(scale && branch, 1'b0, 7'(NORM_RECORD_BYTES));
      SCALAR_FIELD_PARAMETERS_ADDR_WORD:   place_o = place(norm || error, !evaluate, 7'(PARAMETERS_RECORD_BYTES));
      SCALAR_FIELD_UNITS_ADDR_WORD:        place_o = place(!scale && !power, 1'b0, 7'(UNITS_RECORD_BYTES));
      SCALAR_FIELD_UNITS1_ADDR_WORD:       place_o = place(join_ && branch, 1'b0, 7'(UNITS_RECORD_BYTES));
      SCALAR_FIELD_IN_ADDR_WORD:           place_o = place(!scale, 1'b0, 7'(TENSOR_RECORD_BYTES));
      SCALAR_FIELD_IN1_ADDR_WORD:
      place_o = place((join_ && second) || (scale && stream), 1'b0, 7'(TENSOR_RECORD_BYTES));
      SCALAR_FIELD_OUT_ADDR_WORD:          place_o = place(!norm, 1'b1, 7'(TENSOR_RECORD_BYTES));
      SCALAR_FIELD_COEFFICIENTS_ADDR_WORD: place_o = place(!norm, 1'b1, 7'(COEFFICIENTS_RECORD_BYTES));
      SCALAR_FIELD_STEP_ADDR_WORD:         place_o = place((norm && !evaluate) || error, 1'b0, 7'(STEP_RECORD_BYTES));
      default:                             place_o = '0;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, words_i};
endmodule
