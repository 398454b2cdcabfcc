// Momentum SGD on one number (contract, sections 9 and 10): v <- mu * v + decay * p + d, p <- p - rate * v.
#pragma once

#include "../rounding.hpp"

namespace cpt {

constexpr std::uint32_t RATE_BITS = 24;   // behind the point of momentum, decay and rate

/// Limited to 32 bits.
template <int BITS>
ap_int<32> saturated(const ap_int<BITS>& value) {
#pragma HLS INLINE
    const ap_int<BITS> most = 0x7FFFFFFF;
    return ap_int<32>(limited(value, ap_int<BITS>(-most - 1), most));
}

struct rates_t {
    ap_uint<32> momentum, decay, rate;
};

/// A parameter and its velocity.
struct moving_t {
    ap_int<32> value, velocity;
};

/// After a step; `gradient` is in the velocity's unit.
inline moving_t moved(const moving_t& now, const ap_int<32>& gradient, const rates_t& rates) {
#pragma HLS INLINE
    const ap_int<66> drift = now.velocity * rates.momentum + now.value * rates.decay;
    const ap_int<32> velocity = saturated(ap_int<68>(round_half_even(drift, RATE_BITS) + gradient));
    const ap_int<66> way = velocity * rates.rate;
    const ap_int<32> value = saturated(ap_int<68>(now.value - round_half_even(way, RATE_BITS)));
    return moving_t{value, velocity};
}

}  // namespace cpt
