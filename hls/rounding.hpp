// Division by a power of two, as every command rounds: to the nearest integer, a tie to the even one; or by noise.
#pragma once

#include "types.hpp"

namespace cpt {

/// value / 2^shift, to the nearest integer, a tie to the even one.
template <int BITS>
ap_int<BITS + 1> round_half_even(const ap_int<BITS>& value, std::uint32_t shift) {
#pragma HLS INLINE
    if (shift == 0) return value;
    const ap_int<BITS + 1> floor = value >> shift;
    const ap_int<BITS + 1> rest = value - (floor << shift);
    const ap_int<BITS + 1> half = ap_int<BITS + 1>(1) << (shift - 1);
    const bool up = rest > half || (rest == half && floor[0]);
    return floor + ap_int<BITS + 1>(up);
}

/// (accumulator + r) / 2^shift, rounded down, with r uniform in 0 .. 2^shift - 1 made of 32 random bits.
inline rounding_t round_stochastic(const accumulator_t& accumulator, std::uint32_t shift, std::uint32_t bits) {
#pragma HLS INLINE
    // One left shift for both cases of the contract: (bits * 2^shift) / 2^32.
    const rounding_t r = (ap_uint<ACCUMULATOR_BITS + 32>(bits) << shift) >> 32;
    return (accumulator + r) >> shift;
}

/// `value`, but at least `least` and at most `most`.
template <int BITS>
ap_int<BITS> limited(const ap_int<BITS>& value, const ap_int<BITS>& least, const ap_int<BITS>& most) {
#pragma HLS INLINE
    return value < least ? least : value > most ? most : value;
}

}  // namespace cpt
