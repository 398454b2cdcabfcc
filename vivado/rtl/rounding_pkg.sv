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
endpackage
