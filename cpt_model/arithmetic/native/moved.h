// Momentum SGD on fixed-point numbers, as sim/reference/masters.py has it.
#pragma once

#include "scalar.h"

inline int32_t saturated(int64_t value) {
    return static_cast<int32_t>(std::max<int64_t>(INT32_MIN, std::min<int64_t>(value, INT32_MAX)));
}

// value / 2^shift, half to even, of any shift above 0 that leaves the sum in its type.
template <class Integer>
inline Integer nearest(Integer value, int64_t shift) {
    return (value + (Integer{1} << (shift - 1)) - 1 + (value >> shift & 1)) >> shift;
}

// Momentum, decay and rate with 24 bits behind the point.
struct Rates {
    static constexpr int kBits = 24;
    uint32_t momentum, decay, rate;

    // Whether 64 bits hold the sums below.
    bool narrow() const { return uint64_t{momentum} + decay < uint64_t{1} << 31 && rate < uint32_t{1} << 31; }

    // The gradient is in the velocity's unit.
    template <class Integer>
    void move(int32_t& w, int32_t& v, int64_t gradient) const {
        const Integer mixed = static_cast<Integer>(v) * momentum + static_cast<Integer>(w) * decay;
        v = saturated(static_cast<int64_t>(nearest(mixed, kBits)) + gradient);
        w = saturated(w - static_cast<int64_t>(nearest(static_cast<Integer>(v) * rate, kBits)));
    }
};
