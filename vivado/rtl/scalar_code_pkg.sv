/// The instructions of the scalar engine. sim/synthesis/microcode.py reads the numbers of all enums here.
///
/// An instruction works on a vector of 16 channels, one a cycle, or on a single word. Words have 64 bits and lie in two
/// memories: what was loaded (input), and what was computed (work). A vector is 16 words from a multiple of 16 on.
package scalar_code_pkg;
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Lanes       = 16;
  localparam int unsigned AddressBits = 9;   ///< of a word of either memory; of the input, the top bit is the half
  localparam int unsigned ProgramBits = 9;
  localparam int unsigned WideBits    = 80;  ///< of the accumulator that each lane has
  localparam int unsigned Dividers    = 4;
  localparam int unsigned DivideEvery = 5;   ///< cycles between divisions, as many dividers take 18
  localparam int unsigned Roots       = 2;
  localparam int unsigned RootEvery   = 18;
  // verilator lint_on UNUSEDPARAM

  typedef enum logic [5:0] {
    // Control.
    OpEnd,      // the command is done
    OpCheck,    // COEFFICIENTS unless input word d is the immediate
    OpCount,    // COEFFICIENTS unless its low half is N
    OpHistory,  // there is no history unless input word d is the immediate
    OpSet,      // d = the immediate
    OpField,    // d = field `immediate` of the command, a field_e
    OpFirst,    // begin to load from block 0 on
    OpTurn,     // wait for what is being loaded: it is the input now, of the next block
    OpLoop,     // to d if there are blocks left
    OpLoad,     // a transfer_t into input word d and on; of the next block, left out when there is none
    OpStore,    // a transfer_t from work word d and on
    OpFence,    // wait until all that was stored is in memory
    // Arithmetic (contract, section 6): scalars.
    OpMul = 6'd32,
    OpDiv,
    OpRoot,
    OpAdd,
    OpMax,      // also S of the greater of two integers
    OpMin,
    OpElse,     // a, but b if a is 0
    OpLift,     // S(a) * 2^b: of an integer a, S(a, b)
    // Integers from scalars.
    OpInt25,    // int(a, b, 25)
    OpInt32,
    OpInt47,
    OpRoom,     // room(b, 25; a)
    OpFraction, // b - 31 - exponent of a; 0 if a is 0
    // Integers.
    OpPlus,
    OpLimit,    // a + b, limited to -47..47
    OpPack,     // a in the low half, b in the high one
    // The wide accumulator.
    OpMulW,     // W = a * b
    OpMacW,     // W = W + a * b
    OpLiftW,    // S(W)
    OpSettle    // sat(near(W, 24) + a, 32)
  } op_e;

  /// When an instruction is executed: if a flag of the command, or what was found out, is set.
  typedef enum logic [2:0] {
    IfAlways, IfEvaluate, IfRelu, IfStream, IfBranch, IfPower, IfSecond, IfHistory
  } condition_e;

  typedef enum logic [2:0] {
    FieldCount,     // N
    FieldLess,      // N - 1
    FieldShift,
    FieldShift1,
    FieldWidth,     // W of SCALE with NODE and JOIN
    FieldGreatest,  // L: the greatest code
    FieldMost       // the greatest k of SCALE with NODE
  } field_e;

  /// What of a word an operand is.
  typedef enum logic [3:0] {
    KindScalar,   // m in the low half, e in the high one
    KindLow,      // the low half, signed
    KindHigh,
    KindULow,     // the low half, unsigned
    KindUHigh,
    KindSum,      // of a tally: 37 bits, signed
    KindSecond,   // 53 bits
    KindCodeLow,  // 17 bits of the low half, signed
    KindCodeHigh
  } kind_e;

  typedef enum logic [1:0] { SignPlus, SignMinus, SignSize } sign_e;

  typedef struct packed {
    logic                   loaded;   // of the input, not of the work memory
    logic                   by_lane;  // a vector's word of the lane, not one for all
    logic [AddressBits-1:0] address;
    kind_e                  kind;
    sign_e                  sign;
  } source_t;

  typedef struct packed {
    op_e                    op;
    logic                   negate;  // of the condition
    condition_e             condition;
    logic [2:0]             lanes;   // 2^lanes elements
    logic [AddressBits-1:0] d;
    source_t                a;
    source_t                b;
  } instruction_t;

  /// In the place of the operands: a word whose high half is 0 or P, the number of channels with their padding.
  typedef struct packed {
    logic        unused;
    logic        channels;
    logic [31:0] value;
  } immediate_t;

  /// In an immediate's low 16 bits: which bytes of a block.
  typedef struct packed {
    logic [3:0] place;    // which address of the command
    logic       header;  // the block's header, not the records of 16 channels
    logic       part;    // of a store: only these words, of the real channels
    logic [2:0] log;     // a record has 2^log bytes
    logic [2:0] skip;    // words of a record to leave out
    logic [3:0] words;   // how many are loaded or stored; 0 is stored behind them
  } transfer_t;

  /// An operand: a number with its sign apart, and the exponent if it is a scalar.
  typedef struct packed {
    logic               negative;
    logic               zero;
    logic [52:0]        size;
    logic signed [33:0] e;
  } operand_t;

  typedef logic signed [35:0] exponent_t;

  /// What travels with an element through the pipeline.
  typedef struct packed {
    logic                   valid;
    logic                   write;  // else the lane is none of the command's
    op_e                    op;
    logic [AddressBits-1:0] d;
    logic [3:0]             lane;
  } tag_t;
endpackage
