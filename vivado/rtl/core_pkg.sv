/// Types that the units of the core share: the plan of a command, and what travels between the units.
package core_pkg;
  import command_pkg::*;

  // verilator lint_off UNUSEDPARAM
  // Cycles from the inputs of a unit to its outputs. What has to keep step is derived from these.
  localparam int unsigned CountLatency       = 4;  ///< of the bit counters
  localparam int unsigned AccumulateLatency  = 4;  ///< of a DSP48E1 that adds up counts
  localparam int unsigned DpuLatency         = CountLatency + AccumulateLatency;  ///< operand pair to sum with it
  localparam int unsigned DrainLatency       = 2;  ///< of the choice of two lanes' results
  localparam int unsigned AccumulatorLatency = 2;
  localparam int unsigned NoiseLatency       = 11; ///< from a result's place in the tables to its noise
  /// Cycles from the turn of a pair of lanes being known (array) to when its noise has to begin.
  localparam int unsigned NoiseDelay = DpuLatency + DrainLatency + AccumulatorLatency - NoiseLatency;

  localparam int unsigned RowDepth      = 32;    ///< output rows of a lane that masks and addresses are kept for
  localparam int unsigned RowBits       = 5;
  localparam int unsigned TableRows     = RowDepth + 8;  ///< of the table of addresses: after them, sets of a WGRAD
  localparam int unsigned TableBits     = 6;
  localparam int unsigned AccDepth      = 1024;  ///< entries of the accumulator RAM, two lanes' results each
  localparam int unsigned TallySlots    = 64;    ///< blocks of output channels whose tallies are kept
  localparam int unsigned SlotBits      = 6;
  localparam int unsigned LanePieces    = 64;    ///< pieces of 32 bytes that a lane has in the store buffer
  localparam int unsigned MostAhead     = 22;    ///< row steps of the loader before the array; up to 8 more are stored
  localparam int unsigned DoneDelay     = 32;    ///< more cycles than reads and array need after a window's last read
  // verilator lint_on UNUSEDPARAM

  /// Lane memories of a build, a window and a triple of the column memories each: a WGRAD deals its rows to all of
  /// them, a CONV to those that have a row of the array. 16 columns have a triple for each three slots of a slice.
  function automatic int unsigned memories_of(int unsigned slice_groups);
    return 16 * slice_groups / 3;
  endfunction

  /// A product of small numbers, by adders: a DSP without registers is slower.
  function automatic logic [10:0] small_product(logic [6:0] x, logic [3:0] y);
    return ((y[0] ? 11'(x) : '0) + (y[1] ? {3'd0, x, 1'd0} : '0))
        + ((y[2] ? {2'd0, x, 2'd0} : '0) + (y[3] ? {1'd0, x, 3'd0} : '0));
  endfunction

  /// Everything about a command that does not change while it runs. A *row step* is one output row of every lane;
  /// lane l has the flat rows [l * rows, (l + 1) * rows), where each image counts `pitch` rows, some of them dead.
  typedef struct packed {
    command_t    c;              // addresses are bus addresses
    logic [15:0] pitch;          // output rows from image to image
    logic [19:0] virtual_pitch;  // pitch * stride_y: rows of the zero-inserted map from image to image
    logic [27:0] rows;           // row steps
    logic [15:0] lane_images;    // rows = lane_images * pitch + lane_rest
    logic [15:0] lane_rest;
    logic [31:0] lane_a;         // lane_images * a_image_stride, and so on: from lane to lane
    logic [31:0] lane_b;
    logic [31:0] lane_out;
    logic [31:0] lane_element;
    logic [31:0] lane_sums;
    logic [31:0] image_element;  // elements from result image to result image, from block to block
    logic [31:0] block_element;
    logic [31:0] image_sums;     // bytes of row sums from result image to result image
    logic [17:0] a_row_bytes;    // one row of one block
    logic [17:0] b_row_bytes;    // WGRAD
    logic [19:0] out_row_bytes;
    logic [11:0] row_width;      // words of a plane of a row that a lane keeps
    logic [15:0] block_words;    // words of a block of a row that a lane keeps: a_bits * row_width
    logic [15:0] row_words;      // of all blocks of a pass
    logic [ 5:0] ring_rows;      // rows that a lane keeps
    logic [16:0] ring_words;
    logic [16:0] ring_begin;     // its place in the lanes' memories, set when it is begun to be loaded
    logic [16:0] ring_end;
    logic [16:0] ring_last;      // rows from here on are the ring's last
    logic [ 3:0] step_rows;      // new rows that an output row needs: min(stride_y, kernel rows of a pass)
    logic [16:0] step_words;     // step_rows * row_words
    logic [11:0] pass_a;         // blocks of A, of the result, and kernel rows in a pass
    logic [11:0] pass_y;
    logic [ 3:0] pass_ky;
    logic        segmented;      // WGRAD whose rows do not fit: runs of `span` columns, plane by plane
    logic [11:0] span;           // output columns in a row step
    logic [11:0] spans;          // row steps of an output row
    logic [ 4:0] batch;          // row steps that are loaded lane by lane, at most
    logic [ 4:0] most_ahead;     // row steps that are loaded before the array is done with the first of them
    logic [RowBits-1:0] first_step;  // number of the first row step, modulo RowDepth
    logic [ 4:0] first_chunk;    // WGRAD: row steps of the first chunk, 1..chunk_rows
    logic [ 4:0] chunk_rows;     // WGRAD: row steps whose K are summed before the accumulator RAM is used
    logic [ 2:0] chunk_buffers;  // WGRAD: chunks of B that fit the column memories, four at most
    logic [15:0] column_begin;   // where its entries of the column memories begin, set likewise; they wrap
    logic [15:0] column_size;    // how many they are, all chunks of a WGRAD included
    logic        column_free;    // all of them, also while the command before runs, else its first chunk
    logic [15:0] group_entries;  // column memory entries from output block to output block
    logic [15:0] chunk_entries;  // and of a chunk
    logic [11:0] span_div3;      // span = 3 * span_div3 + span_mod3
    logic [ 1:0] span_mod3;
    logic [ 3:0] kx_groups;      // WGRAD: rounds of kernel columns
    logic [ 2:0] segment_log;    // a segment has up to 2^segment_log pieces a lane, 3..5
    logic [15:0] slices;         // CONV: slices of K
    logic [ 7:0] taps;           // kernel_h * kernel_w = taps_div * slice_groups + taps_mod
    logic [ 7:0] taps_div;
    logic [ 5:0] taps_mod;
    logic [31:0] b_tile;         // bytes of a tile of weights
    logic [20:0] count;          // pixels of a channel of the result, with STATS
    logic [ 5:0] pad_columns;    // CONV: output column 0 is at first_rest - up_x * pad_columns of the zero-inserted map
    logic [ 3:0] first_rest;
    logic [ 3:0] stride_columns; // stride_x = up_x * stride_columns + stride_rest
    logic [ 3:0] stride_rest;
    logic        by_three;       // CONV: one read fills the three taps of a kernel row
    logic [19:0] units;          // CONV: what one read fills, in all of K: taps, or kernel rows if by_three
  } plan_t;

  /// The last of the parts, a cycle each, in which two lanes' stored results leave.
  function automatic logic [1:0] last_part_of(logic [1:0] out_format);
    unique case (32'(out_format))
      contract_pkg::FORMAT_INT32: return 2'd1;
      contract_pkg::FORMAT_INT64: return 2'd3;
      default:                    return 2'd0;
    endcase
  endfunction

  /// Bytes of a command's tensors, as offsets into the region.
  typedef struct packed {
    logic [31:0] first;
    logic [31:0] behind;
  } span_t;

  function automatic logic overlap(span_t x, span_t y);
    return x.first < y.behind && y.first < x.behind;
  endfunction

  /// What the weights' walk takes of a plan.
  typedef struct packed {
    logic [31:0] address;        // of the first tile
    logic [31:0] column_stride;  // bytes from output channel to output channel, and
    logic [31:0] block_stride;   // from block to block
    logic [31:0] tile;           // bytes of a tile
    logic [11:0] blocks;         // of A
    logic [ 4:0] bits;
    logic [15:0] entry;          // of the column memories, the first
    logic [15:0] group_entries;  // from output block to output block
    logic [ 7:0] taps_div;       // taps of a tile = taps_div * slice_groups + taps_mod
    logic [ 5:0] taps_mod;
    logic [ 3:0] kernel_w;
  } weights_plan_t;

  /// What a load writer does with the bytes of one request.
  typedef enum logic [1:0] {
    JobLane,     // a run of words into a lane's memory
    JobWeights,  // a tile of weights into a column of the column memories
    JobError,    // rows of the error into a lane's share of the column memories (WGRAD)
    JobMark      // no bytes: everything before is written
  } job_e;

  typedef struct packed {
    job_e        kind;
    logic [ 7:0] target;  // lane or column, over the number of writers
    logic [15:0] address; // word of the lane's memory, or entry of the column memories
    logic [ 4:0] tail;    // words of the request's last beat, less 1
    logic [ 3:0] triple;  // JobWeights: the column's triple that the first word goes to
    logic [ 1:0] place;   // and its place there
    logic [ 4:0] planes;  // planes of each row of the error or of the kernel
    logic [15:0] run;     // words that lie together: of a plane, or of a row of a block (JobLane)
  } job_t;

  /// Bytes that the loader wants: rows of a block or plane that lie together, in each of `parts` blocks or planes.
  typedef struct packed {
    job_e        kind;
    logic [ 7:0] target;
    logic [31:0] base;    // address of row 0
    logic [11:0] row;
    logic [17:0] bytes;   // of each part
    logic [15:0] place;   // of the first part in the lane's or column memories
    logic [ 5:0] slot;    // JobWeights: first slot; JobError: first pixel's place in its triple
    logic [15:0] run;
    logic [11:0] parts;
  } rows_t;

  /// Where a lane is: its next flat row.
  typedef struct packed {
    logic [16:0] n;        // its image, and
    logic [15:0] y;        // the row there
    logic [20:0] v;        // y * stride_y - pad_top + first kernel row, signed
    logic [31:0] a;        // address of the image in A
    logic [31:0] b;        // in the error (WGRAD)
    logic [31:0] out;      // in the result (CONV)
    logic [31:0] element;
    logic [31:0] sums;
  } lane_place_t;

  /// A read of all lane memories: four consecutive words, the first three of which may go to slots of the window.
  typedef struct packed {
    logic [15:0]        start;    // word address, the same in all lanes
    logic [2:0]         words;    // which of the three words are inside the map
    logic [63:0]        slots;    // which slots take their word
    logic               clear;    // the others become 0
    logic [RowBits-1:0] row;      // whose mask applies
    logic [3:0]         ky;       // which bit of it
  } read_t;

  /// What becomes of a group of results, one for each lane and column.
  typedef struct packed {
    logic               store;      // goes to the store buffer, else stays in the accumulator RAM
    logic               fresh;      // first sum of its accumulator: nothing to add
    logic               accumulate; // the accumulator RAM takes part
    logic [9:0]         entry;      // there, for lanes 0 and 1
    logic [TableBits-1:0] row;      // of the tables of addresses and elements
    logic [31:0]        element;    // to add to a lane's element number
    logic [4:0]         pixel;      // position in the lane's segment
    logic [2:0]         slot;       // of the store buffer
    logic               close;      // the segment ends here
    logic               begins;     // CONV: first results of their block
    logic [SlotBits-1:0] tally;     // CONV: whose tally they belong to: the number of their block, modulo TallySlots
  } group_t;

  /// A filled window and the planes of B that it meets.
  typedef struct packed {
    logic [15:0] entry;  // column memory entry of plane 0
    logic [ 3:0] plane;  // of A
    logic        first;  // of its group
    logic        last;
    group_t      group;  // meaningful in the last window
  } window_t;

  /// A segment: results of every lane, to be written to memory when complete, in a slot of the store buffer.
  typedef struct packed {
    logic [2:0]         slot;
    logic [TableBits-1:0] row;    // of the table of addresses
    logic [31:0]        address;  // to add to a lane's
    logic [31:0]        sums;
    logic [5:0]         pixels;
    logic               with_sums;
    logic               with_tally; // the last of its block, and STATS: its tally is complete
    logic [11:0]        block;
  } segment_t;

  /// A read with all that goes with it.
  typedef struct packed {
    read_t       read;
    logic        full;         // fills its window
    window_t     window;       // that it belongs to
    logic        opens;        // the first of a segment
    segment_t    segment;
    logic [31:0] set_address;  // WGRAD, with opens: of the set's first kernel column (and, with tap, of its first tap)
    logic [31:0] set_element;
    logic [31:0] set_sums;
    logic [ 7:0] tap;          // of the kernel
    logic [ 3:0] set_taps;     // kernel columns from the set's first one on
    logic        begins;       // the first of a row step, of a chunk in a WGRAD, and
    logic        ends;         // the last
    logic        pass_ends;    // also of its pass
    logic [ 4:0] steps;        // row steps that then are done
  } issue_t;

  /// Rounded results of a pair of lanes, on their way to the tally.
  typedef struct packed {
    logic                   valid;
    logic [7:0]             pair;
    logic [1:0]             live;    // the lane's row is one of the map
    logic                   begins;
    logic [SlotBits-1:0]    tally;
    logic [1:0][15:0][15:0] values;
  } rounded_t;

  /// Of one channel: sum, sum of squares, least and greatest result; the latter two have their sign bit inverted if
  /// results are signed, and then compare as unsigned numbers.
  typedef struct packed {
    logic [36:0] sum;
    logic [51:0] second;
    logic [15:0] least;
    logic [15:0] most;
  } tally_t;
endpackage
