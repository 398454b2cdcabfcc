/// What all requantisers of a command share.
package rounding_pkg;
  typedef struct packed {
    logic        stochastic;
    logic        is_signed;
    logic [ 5:0] shift;
    logic [15:0] most;     // the greatest value
    logic [47:0] outside;  // bits of a sum that are all equal to its sign (signed) or 0 where its quotient is in range
    logic [14:0] sticky;   // bits that lie below the 32 highest of the fraction
  } rounding_t;

  /// How a command rounds.
  typedef struct packed {
    logic        stochastic;
    logic        is_signed;
    logic [ 5:0] shift;
    logic [ 4:0] out_bits;
    logic [31:0] key_1;
  } rounds_t;

  /// What the epilogue's first lane is lent for.
  typedef struct packed {
    logic              own;   // it is; all else may change with it
    rounds_t           rounds;
    logic [31:4]       base;  // of a pixel's noise, 7 cycles ahead of its sums
    logic [ 3:0]       low;
    logic [15:0][47:0] sums;
  } lent_t;
endpackage
