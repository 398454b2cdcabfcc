// Momentum SGD on fixed-point numbers, as sim/reference/masters.py has it.
#pragma once

#include "scalar.h"

// Momentum, decay and rate with 24 bits behind the point.
struct Rates {
    static constexpr int kBits = 24;
    uint32_t momentum, decay, rate;

    // The gradient is in the velocity's unit.
    void move(int32_t& w, int32_t& v, int64_t gradient) const {
        const Wide mixed = static_cast<Wide>(v) * momentum + static_cast<Wide>(w) * decay;
        v = clamp(unbounded(mixed) + gradient);
        w = clamp(w - unbounded(static_cast<Wide>(v) * rate));
    }

  private:
    // Rounded, half to even: at most 41 bits.
    static int64_t unbounded(Wide value) {
        constexpr Wide kHalf = Wide{1} << (kBits - 1);
        return static_cast<int64_t>((value + kHalf - 1 + (value >> kBits & 1)) >> kBits);
    }
    static int32_t clamp(int64_t value) {
        return static_cast<int32_t>(std::max<int64_t>(INT32_MIN, std::min<int64_t>(value, INT32_MAX)));
    }
};
