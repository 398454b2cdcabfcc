/// What the fields of UPDATE and WEIGHTS say by themselves, and what lies at their addresses.
module weight_fields
  import contract_pkg::*;
  import command_pkg::*;
  import vector_pkg::*;
  import weight_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       start_i,     ///< judge words_i, which stay; groups take a while
    input  words_t     words_i,
    input  logic       reserved_i,  ///< a bit of a word that holds no field of any command is set
    output logic       done_o,      ///< from when error_o is valid until the next start
    output logic [7:0] error_o,     ///< RESERVED, WIDTH, FORMAT or SHAPE, the first that fails, or OK
    input  logic [3:0] index_i,     ///< of an address field: word FirstPlace + index
    output place_t     place_o      ///< what lies there; valid with done_o
);
  logic quantises, half, both;
  logic [7:0] bits, acc_format, kernel_h, kernel_w;
  logic [15:0] flags, in_channels, out_channels;
  assign quantises                   = words_i[0][7:0] == 8'(OPCODE_WEIGHTS);
  assign {acc_format, bits}          = words_i[WEIGHT_FIELD_BITS_WORD][23:8];
  assign flags                       = words_i[WEIGHT_FIELD_FLAGS_WORD][15:0];
  assign half                        = flags[WEIGHT_FLAG_HALF];
  assign both                        = flags[WEIGHT_FLAG_BOTH];
  assign {out_channels, in_channels} = words_i[WEIGHT_FIELD_IN_CHANNELS_WORD];
  assign {kernel_w, kernel_h}        = words_i[WEIGHT_FIELD_KERNEL_H_WORD][15:0];

  logic reserved, width, format, limits, groups;
  always_comb begin
    reserved = reserved_i || words_i[0][31:24] != '0 || words_i[1][31:16] != '0 || flags[15:2] != '0
        || words_i[WEIGHT_FIELD_KERNEL_H_WORD][31:16] != '0;
    for (int unsigned i = WEIGHT_FIELD_STEP_ADDR_WORD + 1; i < UsedWords; i++) reserved |= words_i[i] != '0;
  end
  assign width  = !quantises || (bits >= (half ? 8'd1 : 8'd2) && 32'(bits) <= MAX_OPERAND_BITS);
  assign format = quantises ? acc_format == '0
      : bits == '0 && flags == '0 && (32'(acc_format) == FORMAT_INT32 || 32'(acc_format) == FORMAT_INT64);

  function automatic logic in_range(logic [15:0] value, logic [31:0] most);
    return value != '0 && 32'(value) <= most;
  endfunction
  assign limits = in_range(in_channels, CHANNEL_BLOCK * MAX_BLOCKS)
        && in_range(out_channels, CHANNEL_BLOCK * MAX_BLOCKS)
      && in_range(16'(kernel_h), MAX_KERNEL) && in_range(16'(kernel_w), MAX_KERNEL) && groups;

  shape_t shape;
  weight_shape u_shape (.clk_i, .rst_ni, .start_i, .words_i, .done_o, .groups_o(groups), .shape_o(shape));

  always_comb begin
    if (reserved) error_o = 8'(ERROR_RESERVED);
    else if (!width) error_o = 8'(ERROR_WIDTH);
    else if (!format) error_o = 8'(ERROR_FORMAT);
    else if (!limits) error_o = 8'(ERROR_SHAPE);
    else error_o = 8'(ERROR_OK);
  end

  // Words have 32 or 64 bits: a line is 16 of them.
  function automatic place_t tensor(logic used, logic writes, logic [11:0] images, logic [11:0] blocks,
                                    logic [9:0] word_bits);
    return '{used: used, writes: writes, header: 1'b0, images: {images, 4'd0}, blocks: blocks, pixels: 21'(shape.taps),
             bits: word_bits};
  endfunction
  function automatic place_t words(logic used, logic [9:0] word_bits, logic writes);
    return tensor(used, writes, shape.ins, shape.out_blocks, word_bits);
  endfunction

  logic [6:0] maxima, units;
  assign maxima = 7'(MAXIMA_RECORD_BYTES);
  assign units  = 7'(UNITS_RECORD_BYTES);
  always_comb begin
    unique case (32'(index_i) + FirstPlace)
      WEIGHT_FIELD_ACC_ADDR_WORD:
      place_o = words(!quantises, 32'(acc_format) == FORMAT_INT64 ? 10'd64 : 10'd32, 1'b0);
      WEIGHT_FIELD_W_ADDR_WORD:        place_o = words(1'b1, 10'd32, !quantises);
      WEIGHT_FIELD_V_ADDR_WORD:        place_o = words(!quantises, 10'd32, 1'b1);
      WEIGHT_FIELD_MAX_OUT_ADDR_WORD:  place_o = block_place(1'b1, !quantises, shape.outs, maxima);
      WEIGHT_FIELD_MAX_IN_ADDR_WORD:   place_o = block_place(!quantises || both, !quantises, shape.ins, maxima);
      WEIGHT_FIELD_X_ADDR_WORD, WEIGHT_FIELD_E_ADDR_WORD, WEIGHT_FIELD_STEP_ADDR_WORD:
      place_o = block_place(!quantises, 1'b0, 12'd1, 7'(TENSOR_RECORD_BYTES));
      WEIGHT_FIELD_CODES_ADDR_WORD:
      place_o = tensor(quantises, 1'b1, shape.outs, shape.in_blocks, 10'(bits));
      WEIGHT_FIELD_CODES_IN_ADDR_WORD:
      place_o = tensor(quantises && both, 1'b1, shape.ins, shape.out_blocks, 10'(bits));
      WEIGHT_FIELD_UNITS_ADDR_WORD:    place_o = block_place(quantises, 1'b1, shape.outs, units);
      WEIGHT_FIELD_UNITS_IN_ADDR_WORD: place_o = block_place(quantises && both, 1'b1, shape.ins, units);
      default:                         place_o = '0;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, words_i};
endmodule
