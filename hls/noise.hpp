// The contract's generator for stochastic rounding (section 5): 32 random bits of a seed and an element's number.
#pragma once

#include "contract.hpp"

namespace cpt {

inline std::uint32_t mix(std::uint32_t x) {
#pragma HLS INLINE
    x ^= x >> 14;
    x += x << 13;
    x ^= x >> 11;
    x += x << 5;
    x ^= x >> 16;
    x += x << 4;
    return x;
}

/// What a command's seed becomes once, so that neighbouring seeds share nothing.
struct noise_keys_t {
    std::uint32_t key_0, key_1;
};

inline noise_keys_t make_noise_keys(std::uint32_t seed_lo, std::uint32_t seed_hi) {
    const std::uint32_t key_0 = mix(mix(mix(seed_lo ^ NOISE_SALT_0) + seed_hi) ^ NOISE_SALT_1);
    return {key_0, mix(mix(key_0 + seed_lo) ^ seed_hi)};
}

inline std::uint32_t noise(const noise_keys_t& keys, std::uint32_t element) {
#pragma HLS INLINE
    const std::uint32_t x = mix(mix(element ^ keys.key_0) + keys.key_1);
    return x ^ (x >> 16);
}

}  // namespace cpt
