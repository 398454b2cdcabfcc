// Numbers of the scalar unit: m * 2^e with 31 bits of m, every result cut towards zero (contract, section 6).
//
// The unit is sequential: one multiplier, one divider, one root, one normaliser, which all commands share. Nothing here
// is pipelined but the steps of the divider and the root, one bit of the result a cycle.
#pragma once

#include "../types.hpp"

namespace cpt {

typedef ap_int<76> integer_t;    // holds D and K of section 9
typedef ap_int<36> exponent_t;   // holds sums with a field of 32 bits

struct scalar_t {
    ap_int<32> m;   // 0, or 2^30 <= |m| < 2^31
    ap_int<16> e;   // -16384 .. 16384
};

/// x * 2^e: its top 31 bits. Beyond the greatest exponent it is the greatest number, below the least one it is 0.
scalar_t make_scalar(const integer_t& x, const exponent_t& e);
inline scalar_t make_scalar(const integer_t& x) { return make_scalar(x, exponent_t(0)); }

scalar_t multiply(const scalar_t& a, const scalar_t& b);
/// 0 if either is 0.
scalar_t divide(const scalar_t& a, const scalar_t& b);
/// What is 2^32 times smaller, or more, is left out.
scalar_t add(const scalar_t& a, const scalar_t& b);
/// 0 of a negative number.
scalar_t root(const scalar_t& a);

inline scalar_t negated(const scalar_t& a) { return scalar_t{ap_int<32>(-a.m), a.e}; }
inline scalar_t magnitude(const scalar_t& a) { return a.m < 0 ? negated(a) : a; }
inline scalar_t subtract(const scalar_t& a, const scalar_t& b) { return add(a, negated(b)); }
/// a * 2^power.
inline scalar_t scaled(const scalar_t& a, const exponent_t& power) { return make_scalar(a.m, exponent_t(a.e + power)); }

bool greater(const scalar_t& a, const scalar_t& b);
inline scalar_t greater_of(const scalar_t& a, const scalar_t& b) { return greater(b, a) ? b : a; }

/// a * 2^power cut towards zero to an integer, then limited to +-(2^(bits - 1) - 1); up to 47 bits.
ap_int<48> whole(const scalar_t& a, std::int32_t power, std::uint32_t bits);

/// The greatest power, at most `most`, with which `whole` needs to limit none of the numbers seen.
struct Room {
    std::int32_t power;
    std::int32_t bits;

    Room(std::int32_t most, std::uint32_t width) : power(most), bits(std::int32_t(width)) {}
    void see(const scalar_t& a) {
        const std::int32_t fits = bits - 1 - std::int32_t(SCALAR_BITS) - std::int32_t(a.e);
        if (a.m != 0 && fits < power) power = fits;
    }
    std::int32_t result() const { return power < 0 ? 0 : power; }
};

/// |a| * 2^32 / |b|, rounded down, of numbers of 31 bits: as the divider gives it.
ap_uint<33> quotient(const ap_uint<31>& a, const ap_uint<31>& b);

}  // namespace cpt
