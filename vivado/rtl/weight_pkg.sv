/// What the parts of the weight engine share: the shape of a layer's master weights.
package weight_pkg;
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned UpdateLatency = 24;  ///< cycles of weight_update_lane
  localparam int unsigned CodeLatency   = 11;  ///< cycles of weight_code_lane
  localparam int unsigned ChunkTaps     = 16;  ///< taps of a job, at most
  // verilator lint_on UNUSEDPARAM

  /// Bundles of groups that fill whole blocks on both sides (contract, section 10). All numbers are of blocks.
  typedef struct packed {
    logic [11:0] ins;         // input channels, with their padding
    logic [11:0] outs;
    logic [11:0] in_blocks;   // of a bundle
    logic [11:0] out_blocks;
    logic [ 7:0] taps;        // kernel_h * kernel_w
  } shape_t;

  /// What follows from a shape, in bytes but for the lines: 16 words of one input channel and one tap.
  typedef struct packed {
    logic [19:0] row_lines;   // of an input channel
    logic [25:0] lines;       // of the layer
    logic [12:0] tile;        // codes of a channel and a block of the other side
    logic [25:0] out_image;   // codes of an output channel, a multiple of 64
    logic [25:0] in_image;    // of an input channel
  } sizes_t;

  /// A record of a block that is written: the low 4 or all 8 bytes.
  typedef struct packed {
    logic [31:0] addr;
    logic        long_one;    // 8 bytes
    logic [63:0] data;
  } record_t;

  /// A channel's scale, for codes: w * multiplier / 2^shift.
  typedef struct packed {
    logic [23:0] multiplier;
    logic [ 5:0] shift;
  } scale_t;

  /// Of a square, 16 input by 16 output channels: what is to be done with its maxima.
  typedef struct packed {
    logic        out;          // scales of the output channels are wanted, for table out_table
    logic        in;           // likewise the input channels
    logic        out_table;
    logic        in_table;
    logic        unit_in;      // the input channels' units, too; those of output channels always
    logic [11:0] out_block;
    logic [11:0] in_block;
  } square_t;

  /// Some rows of a square's kernels.
  typedef struct packed {
    logic        last;         // of the command
    logic        ends;         // of the square
    logic        stored;       // there are words; else all are 0
    logic        out;          // codes by output channel are wanted
    logic        in;
    logic        out_table;    // where the scales are
    logic        in_table;
    logic [ 4:0] taps;
    logic [ 8:0] words;        // of a tile: taps * bits
    logic [31:0] out_addr;     // of the first channel's codes
    logic [31:0] in_addr;
  } job_t;

  /// A job, and which half of a memory and which set of tiles it has.
  typedef struct packed {
    logic half;
    job_t job;
  } placed_job_t;

  /// |w|, at most 2^31 - 1.
  function automatic logic [31:0] size_of(logic [31:0] w);
    logic [31:0] flipped;
    flipped = w ^ {32{w[31]}};  // -w - 1 of a negative w
    return w[31] && flipped != 32'h7FFF_FFFF ? flipped + 32'd1 : flipped;
  endfunction
endpackage
