// The shape of a layer's master weights: bundles of groups that fill whole blocks on both sides (contract, section 10).
#pragma once

#include "../build.hpp"
#include "commands.hpp"

namespace cpt {

/// Words lie [ci][block of co][tap][16]; of an input channel only the blocks of its bundle's output channels.
struct Bundles {
    std::uint32_t ins, outs;               // channels in whole blocks
    std::uint32_t taps;
    std::uint32_t count;                   // of bundles; a layer without groups is one
    std::uint32_t in, out;                 // channels of a bundle
    std::uint32_t in_blocks, out_blocks;   // blocks of a bundle

    /// First input channel of a bundle, and how many of its rows are stored: the last one may have fewer.
    std::uint32_t first_in(std::uint32_t bundle) const { return bundle * in; }
    std::uint32_t rows(std::uint32_t bundle) const { return min_of(in_blocks * BLOCK, ins - bundle * in); }
    std::uint32_t row_lines() const { return out_blocks * taps; }
};

struct division_t {
    std::uint32_t quotient, rest;
};

/// By shifts and subtractions, a bit of the quotient a cycle.
inline division_t divide_fields(std::uint16_t number, std::uint16_t by) {
#pragma HLS INLINE off
    std::uint32_t rest = 0, quotient = 0;
    group_bits: for (std::uint32_t bit = 0; bit < 16; ++bit) {
#pragma HLS PIPELINE II=1
        rest = rest << 1 | ((number >> (15 - bit)) & 1);
        const bool fits = rest >= by;
        quotient = quotient << 1 | fits;
        if (fits) rest -= by;
    }
    return division_t{quotient, rest};
}

/// Groups of this many channels that fill whole blocks: 16 / gcd(16, side), as a power of two's exponent.
inline std::uint32_t filling_groups(std::uint32_t side) {
    for (std::uint32_t zeros = 0; zeros < 4; ++zeros) {
#pragma HLS UNROLL
        if ((side >> zeros) & 1) return 4 - zeros;
    }
    return 0;
}

inline Bundles bundles_of(const WeightCommand& c) {
    Bundles b;
    b.ins = ceil_div(c.in_channels, BLOCK) * BLOCK;
    b.outs = ceil_div(c.out_channels, BLOCK) * BLOCK;
    b.taps = std::uint32_t(c.kernel_h) * c.kernel_w;
    b.count = 1;
    b.in = c.in_channels;
    b.out = c.out_channels;
    if (c.group_in != 0) {
        const std::uint32_t groups = divide_fields(c.in_channels, c.group_in).quotient;
        const std::uint32_t power = max_of(filling_groups(c.group_in), filling_groups(c.group_out));
        if (groups > 1u << power) {
            b.count = (groups + (1u << power) - 1) >> power;
            b.in = std::uint32_t(c.group_in) << power;
            b.out = std::uint32_t(c.group_out) << power;
        }
    }
    b.in_blocks = ceil_div(b.in, BLOCK);
    b.out_blocks = ceil_div(b.out, BLOCK);
    return b;
}

}  // namespace cpt
