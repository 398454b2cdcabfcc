/// What the vector unit's parts share: families of commands, the places a command uses, requests of the memory port.
package vector_pkg;
  import contract_pkg::*;

  /// Commands that one checker and one engine are for.
  typedef enum logic [1:0] { FamilyNone, FamilyMap, FamilyScalar, FamilyWeights } family_e;

  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Places     = 12;  ///< address fields of a command: place i is word FirstPlace + i
  localparam int unsigned FirstPlace = 6;
  localparam int unsigned NarrowMost = 16;  ///< bytes of a beat of the engines of blocks and weights, at most
  // verilator lint_on UNUSEDPARAM

  function automatic family_e family_of(logic [7:0] opcode);
    unique case (32'(opcode))
      OPCODE_MAP:                                           return FamilyMap;
      OPCODE_NORM, OPCODE_SCALE, OPCODE_JOIN, OPCODE_ERROR: return FamilyScalar;
      OPCODE_UPDATE, OPCODE_WEIGHTS:                        return FamilyWeights;
      default:                                              return FamilyNone;
    endcase
  endfunction

  /// What lies at an address field. It has `images` times `blocks` tiles of 2 * bits * pixels bytes, each image on a
  /// multiple of 64. A word tensor counts 32 or 64 bits; a block has one image, one pixel and 8 bits a byte of a
  /// record.
  typedef struct packed {
    logic        used;
    logic        writes;  // written or changed
    logic        header;  // a block: 64 bytes more
    logic [15:0] images;
    logic [11:0] blocks;
    logic [20:0] pixels;
    logic [ 9:0] bits;
  } place_t;

  /// The place of a block whose records have this many bytes, for 16 * blocks channels.
  function automatic place_t block_place(logic used, logic writes, logic [11:0] blocks, logic [6:0] record);
    return '{used: used, writes: writes, header: 1'b1, images: 16'd1, blocks: blocks, pixels: 21'd1,
             bits: {record, 3'd0}};
  endfunction

  /// A range of bytes of the region.
  typedef struct packed {
    logic        valid;
    logic [31:0] addr;   // offset into the region, even
    logic [17:0] bytes;  // 1..262000
  } request_t;
endpackage
