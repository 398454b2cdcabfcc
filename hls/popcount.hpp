// popcount(a & b) over a slice, in steps that LUTs of six inputs hold: three pairs of bits are two of them, and six
// bits of like weight three. A plain sum of bits takes an eighth more, by Yosys' count.
#pragma once

#include "types.hpp"

namespace cpt {

/// How many of `bits` are set, six at a time.
template <std::uint32_t COUNT>
std::uint32_t ones_of(const ap_uint<COUNT>& bits) {
#pragma HLS INLINE
    std::uint32_t sum = 0;
    for (std::uint32_t first = 0; first < COUNT; first += 6) {
#pragma HLS UNROLL
        ap_uint<3> ones = 0;
        for (std::uint32_t i = first; i < first + 6 && i < COUNT; ++i) {
#pragma HLS UNROLL
            ones += ap_uint<1>(bits[i]);
        }
        sum += ones;
    }
    return sum;
}

inline std::uint32_t count_by_threes(const word_t a[SLICE_GROUPS], const word_t b[SLICE_GROUPS]) {
#pragma HLS INLINE
    static_assert(SLICE_PIXELS % 3 == 0, "pairs of bits in threes");
    ap_uint<SLICE_PIXELS> both = 0;
    for (std::uint32_t group = 0; group < SLICE_GROUPS; ++group) {
#pragma HLS UNROLL
        both.range(BLOCK * group + BLOCK - 1, BLOCK * group) = word_t(a[group] & b[group]);
    }
    ap_uint<SLICE_PIXELS / 3> single = 0, twice = 0;
    for (std::uint32_t i = 0; i < SLICE_PIXELS / 3; ++i) {
#pragma HLS UNROLL
        const bool x = both[3 * i], y = both[3 * i + 1], z = both[3 * i + 2];
        single[i] = x ^ y ^ z;
        twice[i] = (x && y) || (x && z) || (y && z);
    }
    return ones_of<SLICE_PIXELS / 3>(single) + 2 * ones_of<SLICE_PIXELS / 3>(twice);
}

}  // namespace cpt
