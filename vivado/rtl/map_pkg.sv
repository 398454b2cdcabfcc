/// What the parts of the MAP engine share.
///
/// A map is walked in strips: some whole rows of a tile, or a part of a row that is too wide. On the chip a strip has
/// lanes, `1 << pitch` of them a row, one pixel each. Words of plane b of lane l lie in bank l + Pixels * place(b),
/// modulo the number of banks, so that a run of lanes of one plane is written or read in a cycle, and so are all planes
/// of `Pixels` lanes (map_banks). Where rows fill their pitch, 2^gather planes lie side by side, as in memory.
package map_pkg;
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Tensors = 4;        ///< of a walker: x0, x1, x2, mask; or out0, out1, none, mask
  localparam int unsigned MaskTensor = 3;
  localparam int unsigned InStrips = 4;       ///< on the chip at once
  localparam int unsigned OutStrips = 2;
  localparam int unsigned Outs = 12;          ///< cycles from a pixel's operands to its first output
  localparam int unsigned SecondOuts = 19;    ///< and to its second one
  // verilator lint_on UNUSEDPARAM

  /// A tensor, sizes in bytes.
  typedef struct packed {
    logic        used;
    logic [ 4:0] bits;
    logic [31:0] addr;
    logic [17:0] row;
    logic [31:0] tile;
    logic [31:0] image;  // to the next image
  } tensor_t;

  /// What a command's walkers share.
  typedef struct packed {
    logic        broadcast;
    logic        sums;       // a tally is written
    logic        scales;     // coefficients are read
    logic [15:0] images;
    logic [11:0] blocks;
    logic [11:0] height;
    logic [11:0] width;
    logic        whole;      // strips have whole rows
    logic        exact;      // rows fill their pitch
    logic [ 2:0] pitch;      // log2 of the lanes of a row
    logic [ 2:0] gather;     // log2 of the planes that lie side by side
    logic [31:0] coefficients;
    logic [31:0] tally;
  } map_t;

  typedef enum logic [1:0] { Planes, Records, Header } kind_e;

  /// A request of a walker, and what its bytes are.
  typedef struct packed {
    kind_e       kind;
    logic [31:0] addr;
    logic [17:0] bytes;
    logic [ 1:0] tensor;
    logic [ 6:0] rows;
    logic [ 6:0] words;   // of a row of a plane
    logic [ 4:0] bits;    // planes
    logic [ 3:0] plane;   // the first of them
    logic [ 2:0] pitch;
    logic [ 2:0] gather;
    logic        fresh;   // every plane of the strip is a request of its own
    logic        last;    // of its strip
  } item_t;

  /// A channel's tally.
  typedef struct packed {
    logic [16:0] most;
    logic [16:0] least;
    logic [52:0] second;
    logic [36:0] sum;
  } sums_t;

  /// As memory holds it.
  function automatic logic [255:0] record_of(sums_t sums);
    return {64'd0, 32'($signed(sums.most)), 32'($signed(sums.least)), 64'($signed(sums.second)),
            64'($signed(sums.sum))};
  endfunction

  typedef struct packed {
    logic [6:0] rows;
    logic [6:0] words;
    logic       tile_end;
    logic       block_end;
  } strip_t;

  /// Where a plane of a pixel lies, in units of Pixels banks from the pixel's own; 2^gather planes are a pitch apart.
  function automatic logic [3:0] place_of(logic [3:0] plane, logic [2:0] gather);
    unique case (gather)
      3'd1:    return {plane[0], plane[3:1]};
      3'd2:    return {plane[1:0], plane[3:2]};
      3'd3:    return {plane[2:0], plane[3]};
      default: return plane;
    endcase
  endfunction

  function automatic logic [3:0] plane_at(logic [3:0] place, logic [2:0] gather);
    unique case (gather)
      3'd1:    return {place[2:0], place[3]};
      3'd2:    return {place[1:0], place[3:2]};
      3'd3:    return {place[0], place[3:1]};
      default: return place;
    endcase
  endfunction
endpackage
