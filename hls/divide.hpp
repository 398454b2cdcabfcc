// Division by shifts and subtractions, a bit a cycle: a divider that takes a number in every cycle has as many stages.
#pragma once

#include "build.hpp"

namespace cpt {

struct quotient_t {
    std::uint32_t whole;
    std::uint32_t rest;
};

/// Of numbers of at most 16 bits; not by 0.
inline quotient_t divided(std::uint32_t number, std::uint32_t by) {
#pragma HLS INLINE off
    quotient_t quotient = {0, 0};
    divide_bits: for (std::uint32_t bit = 0; bit < 16; ++bit) {
#pragma HLS PIPELINE II=1
        quotient.rest = quotient.rest << 1 | (number >> (15 - bit) & 1);
        const bool fits = quotient.rest >= by;
        if (fits) quotient.rest -= by;
        quotient.whole = quotient.whole << 1 | (fits ? 1 : 0);
    }
    return quotient;
}

inline std::uint32_t divided_up(std::uint32_t number, std::uint32_t by) {
    const quotient_t quotient = divided(number, by);
    return quotient.whole + (quotient.rest > 0 ? 1 : 0);
}

}  // namespace cpt
