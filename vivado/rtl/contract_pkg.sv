// Generated from sim/contract/contract.toml by `cpt constants --write`; do not edit.

/// The constants of the contract.
package contract_pkg;

  // verilator lint_off UNUSEDPARAM
  // A design uses those it needs.
  localparam logic [31:0] VERSION_MAGIC = 32'd1129337905;
  localparam logic [31:0] VERSION_MAJOR = 32'd1;
  localparam logic [31:0] VERSION_MINOR = 32'd0;
  localparam logic [31:0] CHANNEL_BLOCK = 32'd16;
  localparam logic [31:0] MAX_OPERAND_BITS = 32'd16;
  localparam logic [31:0] MAX_OUT_BITS = 32'd16;
  localparam logic [31:0] ACCUMULATOR_BITS = 32'd48;
  localparam logic [31:0] MAX_SHIFT = 32'd47;
  localparam logic [31:0] COMMAND_BYTES = 32'd128;
  localparam logic [31:0] COMMAND_WORDS = 32'd32;
  localparam logic [31:0] LIST_ALIGNMENT = 32'd64;
  localparam logic [31:0] ADDRESS_BITS = 32'd32;
  localparam logic [31:0] TENSOR_ALIGNMENT = 32'd64;
  localparam logic [31:0] MAX_IMAGES = 32'd65535;
  localparam logic [31:0] MAX_BLOCKS = 32'd4095;
  localparam logic [31:0] MAX_EXTENT = 32'd4095;
  localparam logic [31:0] MAX_KERNEL = 32'd15;
  localparam logic [31:0] MAX_STEP = 32'd15;
  localparam logic [31:0] MAX_PADDING = 32'd31;
  localparam logic [31:0] NO_COMMAND = 32'd4294967295;
  localparam logic [31:0] NOISE_SALT_0 = 32'd2654435769;
  localparam logic [31:0] NOISE_SALT_1 = 32'd2246822507;
  localparam logic [31:0] OPCODE_CONV = 32'd1;
  localparam logic [31:0] OPCODE_WGRAD = 32'd2;
  localparam logic [31:0] FORMAT_INT16 = 32'd0;
  localparam logic [31:0] FORMAT_INT32 = 32'd1;
  localparam logic [31:0] FORMAT_INT64 = 32'd2;
  localparam logic [31:0] FORMAT_PLANES = 32'd3;
  localparam logic [31:0] FLAG_A_SIGNED = 32'd0;
  localparam logic [31:0] FLAG_B_SIGNED = 32'd1;
  localparam logic [31:0] FLAG_OUT_SIGNED = 32'd2;
  localparam logic [31:0] FLAG_STOCHASTIC = 32'd3;
  localparam logic [31:0] FLAG_ROW_SUMS = 32'd4;
  localparam logic [31:0] ERROR_OK = 32'd0;
  localparam logic [31:0] ERROR_LIST_ALIGNMENT = 32'd1;
  localparam logic [31:0] ERROR_LIST_TRUNCATED = 32'd2;
  localparam logic [31:0] ERROR_LIST_RANGE = 32'd3;
  localparam logic [31:0] ERROR_OPCODE = 32'd16;
  localparam logic [31:0] ERROR_RESERVED = 32'd17;
  localparam logic [31:0] ERROR_WIDTH = 32'd18;
  localparam logic [31:0] ERROR_FORMAT = 32'd19;
  localparam logic [31:0] ERROR_SHAPE = 32'd20;
  localparam logic [31:0] ERROR_UNSUPPORTED = 32'd21;
  localparam logic [31:0] ERROR_OVERFLOW = 32'd22;
  localparam logic [31:0] ERROR_CAPACITY = 32'd23;
  localparam logic [31:0] ERROR_ALIGNMENT = 32'd24;
  localparam logic [31:0] ERROR_STRIDE = 32'd25;
  localparam logic [31:0] ERROR_RANGE = 32'd26;
  localparam logic [31:0] ERROR_OVERLAP = 32'd27;
  localparam logic [31:0] ERROR_READ_BUS = 32'd48;
  localparam logic [31:0] ERROR_WRITE_BUS = 32'd49;
  localparam logic [31:0] REGISTER_AP_CTRL = 32'd0;
  localparam logic [31:0] REGISTER_GIER = 32'd4;
  localparam logic [31:0] REGISTER_IER = 32'd8;
  localparam logic [31:0] REGISTER_ISR = 32'd12;
  localparam logic [31:0] REGISTER_MEM_BASE = 32'd16;
  localparam logic [31:0] REGISTER_MEM_BYTES = 32'd32;
  localparam logic [31:0] REGISTER_LIST_OFFSET = 32'd40;
  localparam logic [31:0] REGISTER_LIST_BYTES = 32'd48;
  localparam logic [31:0] REGISTER_STATUS = 32'd64;
  localparam logic [31:0] REGISTER_ERROR_INDEX = 32'd80;
  localparam logic [31:0] REGISTER_COMMANDS_DONE = 32'd96;
  localparam logic [31:0] REGISTER_CYCLES_TOTAL = 32'd112;
  localparam logic [31:0] REGISTER_CYCLES_BUSY = 32'd128;
  localparam logic [31:0] REGISTER_CYCLES_LOAD_STALL = 32'd144;
  localparam logic [31:0] REGISTER_CYCLES_STORE_STALL = 32'd160;
  localparam logic [31:0] REGISTER_MAGIC = 32'd176;
  localparam logic [31:0] REGISTER_VERSION = 32'd192;
  localparam logic [31:0] REGISTER_LANES = 32'd208;
  localparam logic [31:0] REGISTER_COLUMNS = 32'd224;
  localparam logic [31:0] REGISTER_SLICE_GROUPS = 32'd240;
  localparam logic [31:0] REGISTER_LANE_WORDS = 32'd256;
  localparam logic [31:0] REGISTER_COLUMN_WORDS = 32'd272;
  localparam logic [31:0] REGISTER_ROW_WORDS = 32'd288;
  localparam logic [31:0] REGISTER_BUS_BYTES = 32'd304;
  localparam logic [31:0] AP_CTRL_START = 32'd0;
  localparam logic [31:0] AP_CTRL_DONE = 32'd1;
  localparam logic [31:0] AP_CTRL_IDLE = 32'd2;
  localparam logic [31:0] AP_CTRL_READY = 32'd3;
  localparam logic [31:0] AP_CTRL_AUTO_RESTART = 32'd7;
  localparam logic [31:0] AP_CTRL_SW_RESET = 32'd8;
  localparam logic [31:0] AP_CTRL_INTERRUPT = 32'd9;
  localparam logic [31:0] IRQ_DONE = 32'd0;
  localparam logic [31:0] IRQ_READY = 32'd1;
  localparam logic [31:0] FIELD_OPCODE_WORD = 32'd0;
  localparam logic [31:0] FIELD_OPCODE_LSB = 32'd0;
  localparam logic [31:0] FIELD_OPCODE_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_A_BITS_WORD = 32'd0;
  localparam logic [31:0] FIELD_A_BITS_LSB = 32'd8;
  localparam logic [31:0] FIELD_A_BITS_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_B_BITS_WORD = 32'd0;
  localparam logic [31:0] FIELD_B_BITS_LSB = 32'd16;
  localparam logic [31:0] FIELD_B_BITS_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_OUT_BITS_WORD = 32'd0;
  localparam logic [31:0] FIELD_OUT_BITS_LSB = 32'd24;
  localparam logic [31:0] FIELD_OUT_BITS_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_FLAGS_WORD = 32'd1;
  localparam logic [31:0] FIELD_FLAGS_LSB = 32'd0;
  localparam logic [31:0] FIELD_FLAGS_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_OUT_FORMAT_WORD = 32'd1;
  localparam logic [31:0] FIELD_OUT_FORMAT_LSB = 32'd8;
  localparam logic [31:0] FIELD_OUT_FORMAT_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_SHIFT_WORD = 32'd1;
  localparam logic [31:0] FIELD_SHIFT_LSB = 32'd16;
  localparam logic [31:0] FIELD_SHIFT_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_TAG_WORD = 32'd2;
  localparam logic [31:0] FIELD_TAG_LSB = 32'd0;
  localparam logic [31:0] FIELD_TAG_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_IMAGES_WORD = 32'd3;
  localparam logic [31:0] FIELD_IMAGES_LSB = 32'd0;
  localparam logic [31:0] FIELD_IMAGES_WIDTH = 32'd16;
  localparam logic [31:0] FIELD_A_BLOCKS_WORD = 32'd4;
  localparam logic [31:0] FIELD_A_BLOCKS_LSB = 32'd0;
  localparam logic [31:0] FIELD_A_BLOCKS_WIDTH = 32'd16;
  localparam logic [31:0] FIELD_Y_BLOCKS_WORD = 32'd4;
  localparam logic [31:0] FIELD_Y_BLOCKS_LSB = 32'd16;
  localparam logic [31:0] FIELD_Y_BLOCKS_WIDTH = 32'd16;
  localparam logic [31:0] FIELD_A_HEIGHT_WORD = 32'd5;
  localparam logic [31:0] FIELD_A_HEIGHT_LSB = 32'd0;
  localparam logic [31:0] FIELD_A_HEIGHT_WIDTH = 32'd16;
  localparam logic [31:0] FIELD_A_WIDTH_WORD = 32'd5;
  localparam logic [31:0] FIELD_A_WIDTH_LSB = 32'd16;
  localparam logic [31:0] FIELD_A_WIDTH_WIDTH = 32'd16;
  localparam logic [31:0] FIELD_Y_HEIGHT_WORD = 32'd6;
  localparam logic [31:0] FIELD_Y_HEIGHT_LSB = 32'd0;
  localparam logic [31:0] FIELD_Y_HEIGHT_WIDTH = 32'd16;
  localparam logic [31:0] FIELD_Y_WIDTH_WORD = 32'd6;
  localparam logic [31:0] FIELD_Y_WIDTH_LSB = 32'd16;
  localparam logic [31:0] FIELD_Y_WIDTH_WIDTH = 32'd16;
  localparam logic [31:0] FIELD_KERNEL_H_WORD = 32'd7;
  localparam logic [31:0] FIELD_KERNEL_H_LSB = 32'd0;
  localparam logic [31:0] FIELD_KERNEL_H_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_KERNEL_W_WORD = 32'd7;
  localparam logic [31:0] FIELD_KERNEL_W_LSB = 32'd8;
  localparam logic [31:0] FIELD_KERNEL_W_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_STRIDE_Y_WORD = 32'd7;
  localparam logic [31:0] FIELD_STRIDE_Y_LSB = 32'd16;
  localparam logic [31:0] FIELD_STRIDE_Y_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_STRIDE_X_WORD = 32'd7;
  localparam logic [31:0] FIELD_STRIDE_X_LSB = 32'd24;
  localparam logic [31:0] FIELD_STRIDE_X_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_UP_Y_WORD = 32'd8;
  localparam logic [31:0] FIELD_UP_Y_LSB = 32'd0;
  localparam logic [31:0] FIELD_UP_Y_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_UP_X_WORD = 32'd8;
  localparam logic [31:0] FIELD_UP_X_LSB = 32'd8;
  localparam logic [31:0] FIELD_UP_X_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_PAD_TOP_WORD = 32'd9;
  localparam logic [31:0] FIELD_PAD_TOP_LSB = 32'd0;
  localparam logic [31:0] FIELD_PAD_TOP_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_PAD_LEFT_WORD = 32'd9;
  localparam logic [31:0] FIELD_PAD_LEFT_LSB = 32'd8;
  localparam logic [31:0] FIELD_PAD_LEFT_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_PAD_BOTTOM_WORD = 32'd9;
  localparam logic [31:0] FIELD_PAD_BOTTOM_LSB = 32'd16;
  localparam logic [31:0] FIELD_PAD_BOTTOM_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_PAD_RIGHT_WORD = 32'd9;
  localparam logic [31:0] FIELD_PAD_RIGHT_LSB = 32'd24;
  localparam logic [31:0] FIELD_PAD_RIGHT_WIDTH = 32'd8;
  localparam logic [31:0] FIELD_A_ADDR_WORD = 32'd10;
  localparam logic [31:0] FIELD_A_ADDR_LSB = 32'd0;
  localparam logic [31:0] FIELD_A_ADDR_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_A_IMAGE_STRIDE_WORD = 32'd11;
  localparam logic [31:0] FIELD_A_IMAGE_STRIDE_LSB = 32'd0;
  localparam logic [31:0] FIELD_A_IMAGE_STRIDE_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_A_BLOCK_STRIDE_WORD = 32'd12;
  localparam logic [31:0] FIELD_A_BLOCK_STRIDE_LSB = 32'd0;
  localparam logic [31:0] FIELD_A_BLOCK_STRIDE_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_B_ADDR_WORD = 32'd13;
  localparam logic [31:0] FIELD_B_ADDR_LSB = 32'd0;
  localparam logic [31:0] FIELD_B_ADDR_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_B_IMAGE_STRIDE_WORD = 32'd14;
  localparam logic [31:0] FIELD_B_IMAGE_STRIDE_LSB = 32'd0;
  localparam logic [31:0] FIELD_B_IMAGE_STRIDE_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_B_BLOCK_STRIDE_WORD = 32'd15;
  localparam logic [31:0] FIELD_B_BLOCK_STRIDE_LSB = 32'd0;
  localparam logic [31:0] FIELD_B_BLOCK_STRIDE_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_OUT_ADDR_WORD = 32'd16;
  localparam logic [31:0] FIELD_OUT_ADDR_LSB = 32'd0;
  localparam logic [31:0] FIELD_OUT_ADDR_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_OUT_IMAGE_STRIDE_WORD = 32'd17;
  localparam logic [31:0] FIELD_OUT_IMAGE_STRIDE_LSB = 32'd0;
  localparam logic [31:0] FIELD_OUT_IMAGE_STRIDE_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_OUT_BLOCK_STRIDE_WORD = 32'd18;
  localparam logic [31:0] FIELD_OUT_BLOCK_STRIDE_LSB = 32'd0;
  localparam logic [31:0] FIELD_OUT_BLOCK_STRIDE_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_SUMS_ADDR_WORD = 32'd19;
  localparam logic [31:0] FIELD_SUMS_ADDR_LSB = 32'd0;
  localparam logic [31:0] FIELD_SUMS_ADDR_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_SEED_LO_WORD = 32'd20;
  localparam logic [31:0] FIELD_SEED_LO_LSB = 32'd0;
  localparam logic [31:0] FIELD_SEED_LO_WIDTH = 32'd32;
  localparam logic [31:0] FIELD_SEED_HI_WORD = 32'd21;
  localparam logic [31:0] FIELD_SEED_HI_LSB = 32'd0;
  localparam logic [31:0] FIELD_SEED_HI_WIDTH = 32'd32;

  /// The parameters of a build.
  typedef struct packed {
    logic [31:0] lanes;
    logic [31:0] columns;
    logic [31:0] slice_groups;
    logic [31:0] lane_words;
    logic [31:0] column_words;
    logic [31:0] row_words;
    logic [31:0] bus_bytes;
  } build_t;

  localparam build_t BUILD_TINY = '{
      lanes: 32'd16,
      columns: 32'd16,
      slice_groups: 32'd3,
      lane_words: 32'd2048,
      column_words: 32'd512,
      row_words: 32'd256,
      bus_bytes: 32'd8
  };
  localparam build_t BUILD_ZC706 = '{
      lanes: 32'd48,
      columns: 32'd16,
      slice_groups: 32'd9,
      lane_words: 32'd12288,
      column_words: 32'd512,
      row_words: 32'd1024,
      bus_bytes: 32'd64
  };
  // verilator lint_on UNUSEDPARAM

  /// True when every parameter of a build is in its legal range.
  function automatic bit legal(build_t c);
    return c.lanes >= 16 && c.lanes <= 256
        && c.lanes % 16 == 0
        && c.columns >= 16 && c.columns <= 16
        && c.slice_groups >= 1 && c.slice_groups <= 64
        && c.lane_words >= 64 && c.lane_words <= 1048576
        && c.column_words >= 16 && c.column_words <= 65536
        && c.row_words >= 16 && c.row_words <= 65536
        && c.bus_bytes >= 8 && c.bus_bytes <= 64
        && 64 % c.bus_bytes == 0;
  endfunction

endpackage
