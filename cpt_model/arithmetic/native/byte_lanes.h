// Dot products of bytes on a block of 16 channels.
#pragma once

#include "bytes.h"
#ifdef CPT_BYTES

#include "lanes.h"

#ifdef __AVX512VNNI__
constexpr int kTogether = 16;  // blocks of sums that are kept in registers
#else
constexpr int kTogether = 4;

inline Words dot(Words sums, Words unsigned_bytes, Words signed_bytes) {
    Lanes s[2], u[2], b[2];
    std::memcpy(s, &sums, sizeof s);
    std::memcpy(u, &unsigned_bytes, sizeof u);
    std::memcpy(b, &signed_bytes, sizeof b);
    for (int i = 0; i < 2; ++i) s[i] = dot(s[i], u[i], b[i]);
    return load_as<Words>(s);
}
#endif

inline Words four(const void* bytes) {
    int32_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word - Words{};
}

#endif
