// The contract's counter-based generator (sim/contract/noise.py): 32 random bits from two keys and an element's number.
#pragma once

#include <cstdint>

constexpr uint32_t kNoiseSalt0 = 0x9E3779B9u, kNoiseSalt1 = 0x85EBCA6Bu;

// Of a number, or of a vector of numbers.
template <class Words>
inline Words mix(Words x) {
    x ^= x >> 14;
    x += x << 13;
    x ^= x >> 11;
    x += x << 5;
    x ^= x >> 16;
    return x + (x << 4);
}

struct NoiseKeys {
    uint32_t key_0, key_1;

    static NoiseKeys of(uint64_t seed) {
        const uint32_t low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
        const uint32_t key_0 = mix(mix(mix(low ^ kNoiseSalt0) + high) ^ kNoiseSalt1);
        return {key_0, mix(mix(key_0 + low) ^ high)};
    }

    template <class Words>
    Words operator()(Words element) const {
        const Words x = mix(mix(element ^ key_0) + key_1);
        return x ^ (x >> 16);
    }
};
