/// A command as memory holds it, as the core sees it once the checks have passed, and what the checks computed.
package command_pkg;
  import contract_pkg::*;

  localparam int unsigned UsedWords = 23;  ///< words of a command that hold fields, whatever its opcode

  /// Whether a word holds no field of any command.
  function automatic logic is_reserved(logic [31:0] word);
    return word >= UsedWords;
  endfunction

  typedef logic [UsedWords-1:0][31:0] words_t;

  /// The fields of a command in the widths that the checks leave; offsets are into the region.
  typedef struct packed {
    logic        wgrad;  // else CONV
    logic [ 4:0] a_bits;
    logic [ 4:0] b_bits;
    logic [ 4:0] out_bits;
    logic [ 6:0] flags;
    logic [ 1:0] out_format;
    logic [ 5:0] shift;
    logic [15:0] images;
    logic [11:0] a_blocks;
    logic [11:0] y_blocks;
    logic [11:0] a_height;
    logic [11:0] a_width;
    logic [11:0] y_height;
    logic [11:0] y_width;
    logic [ 3:0] kernel_h;
    logic [ 3:0] kernel_w;
    logic [ 3:0] stride_y;
    logic [ 3:0] stride_x;
    logic [ 3:0] up_y;
    logic [ 3:0] up_x;
    logic [ 4:0] pad_top;
    logic [ 4:0] pad_left;
    logic [ 4:0] pad_bottom;
    logic [ 4:0] pad_right;
    logic [31:0] a_addr;
    logic [31:0] a_image_stride;
    logic [31:0] a_block_stride;
    logic [31:0] b_addr;
    logic [31:0] b_image_stride;
    logic [31:0] b_block_stride;
    logic [31:0] out_addr;
    logic [31:0] out_image_stride;
    logic [31:0] out_block_stride;
    logic [31:0] sums_addr;
    logic [31:0] seed_lo;
    logic [31:0] seed_hi;
    logic [31:0] tally_addr;
  } command_t;

  /// A command that has passed the checks.
  typedef struct packed {
    command_t    c;
    logic [ 7:0] taps;      // kernel_h * kernel_w
    logic [19:0] groups;    // taps * a_blocks: words of 16 channels in K of a CONV
    logic [23:0] pixels;    // y_height * y_width
    logic [39:0] rows;      // images * pixels: result rows of a CONV, K of a WGRAD
    logic [31:0] a_tile;    // bytes of a tile
    logic [31:0] b_tile;
    logic [31:0] out_tile;
    logic [31:0] a_end;     // first byte after the tensor, an offset into the region
    logic [31:0] b_end;
    logic [31:0] out_end;
    logic [31:0] sums_end;  // meaningful with ROW_SUMS
    logic [31:0] tally_end; // meaningful with STATS
  } decoded_t;

  /// The fields cut to the widths that legal values have.
  function automatic command_t decode(words_t w);
    return '{
        wgrad: w[FIELD_OPCODE_WORD][FIELD_OPCODE_LSB+:8] == 8'(OPCODE_WGRAD),
        a_bits: w[FIELD_A_BITS_WORD][FIELD_A_BITS_LSB+:5],
        b_bits: w[FIELD_B_BITS_WORD][FIELD_B_BITS_LSB+:5],
        out_bits: w[FIELD_OUT_BITS_WORD][FIELD_OUT_BITS_LSB+:5],
        flags: w[FIELD_FLAGS_WORD][FIELD_FLAGS_LSB+:7],
        out_format: w[FIELD_OUT_FORMAT_WORD][FIELD_OUT_FORMAT_LSB+:2],
        shift: w[FIELD_SHIFT_WORD][FIELD_SHIFT_LSB+:6],
        images: w[FIELD_IMAGES_WORD][FIELD_IMAGES_LSB+:16],
        a_blocks: w[FIELD_A_BLOCKS_WORD][FIELD_A_BLOCKS_LSB+:12],
        y_blocks: w[FIELD_Y_BLOCKS_WORD][FIELD_Y_BLOCKS_LSB+:12],
        a_height: w[FIELD_A_HEIGHT_WORD][FIELD_A_HEIGHT_LSB+:12],
        a_width: w[FIELD_A_WIDTH_WORD][FIELD_A_WIDTH_LSB+:12],
        y_height: w[FIELD_Y_HEIGHT_WORD][FIELD_Y_HEIGHT_LSB+:12],
        y_width: w[FIELD_Y_WIDTH_WORD][FIELD_Y_WIDTH_LSB+:12],
        kernel_h: w[FIELD_KERNEL_H_WORD][FIELD_KERNEL_H_LSB+:4],
        kernel_w: w[FIELD_KERNEL_W_WORD][FIELD_KERNEL_W_LSB+:4],
        stride_y: w[FIELD_STRIDE_Y_WORD][FIELD_STRIDE_Y_LSB+:4],
        stride_x: w[FIELD_STRIDE_X_WORD][FIELD_STRIDE_X_LSB+:4],
        up_y: w[FIELD_UP_Y_WORD][FIELD_UP_Y_LSB+:4],
        up_x: w[FIELD_UP_X_WORD][FIELD_UP_X_LSB+:4],
        pad_top: w[FIELD_PAD_TOP_WORD][FIELD_PAD_TOP_LSB+:5],
        pad_left: w[FIELD_PAD_LEFT_WORD][FIELD_PAD_LEFT_LSB+:5],
        pad_bottom: w[FIELD_PAD_BOTTOM_WORD][FIELD_PAD_BOTTOM_LSB+:5],
        pad_right: w[FIELD_PAD_RIGHT_WORD][FIELD_PAD_RIGHT_LSB+:5],
        a_addr: w[FIELD_A_ADDR_WORD][FIELD_A_ADDR_LSB+:32],
        a_image_stride: w[FIELD_A_IMAGE_STRIDE_WORD][FIELD_A_IMAGE_STRIDE_LSB+:32],
        a_block_stride: w[FIELD_A_BLOCK_STRIDE_WORD][FIELD_A_BLOCK_STRIDE_LSB+:32],
        b_addr: w[FIELD_B_ADDR_WORD][FIELD_B_ADDR_LSB+:32],
        b_image_stride: w[FIELD_B_IMAGE_STRIDE_WORD][FIELD_B_IMAGE_STRIDE_LSB+:32],
        b_block_stride: w[FIELD_B_BLOCK_STRIDE_WORD][FIELD_B_BLOCK_STRIDE_LSB+:32],
        out_addr: w[FIELD_OUT_ADDR_WORD][FIELD_OUT_ADDR_LSB+:32],
        out_image_stride: w[FIELD_OUT_IMAGE_STRIDE_WORD][FIELD_OUT_IMAGE_STRIDE_LSB+:32],
        out_block_stride: w[FIELD_OUT_BLOCK_STRIDE_WORD][FIELD_OUT_BLOCK_STRIDE_LSB+:32],
        sums_addr: w[FIELD_SUMS_ADDR_WORD][FIELD_SUMS_ADDR_LSB+:32],
        seed_lo: w[FIELD_SEED_LO_WORD][FIELD_SEED_LO_LSB+:32],
        seed_hi: w[FIELD_SEED_HI_WORD][FIELD_SEED_HI_LSB+:32],
        tally_addr: w[FIELD_TALLY_ADDR_WORD][FIELD_TALLY_ADDR_LSB+:32]
    };
  endfunction
endpackage
