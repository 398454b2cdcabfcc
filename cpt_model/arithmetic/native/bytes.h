// Dot products of bytes: in each 32-bit lane four unsigned bytes meet four signed ones. Their sums are exact modulo
// 2^32, so what fits 32 bits in the end is right, whatever was added on the way.
//
// Where the processor has no such instruction, CPT_BYTES is not defined, and codes stay float32.
#pragma once

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define CPT_BYTES 1

#include <cstdint>

#include <immintrin.h>

#ifdef __AVX512VNNI__
constexpr int kLanes = 16;
constexpr int kSums = 16;  // vectors of sums that are kept in registers: enough to hide the instruction's latency
#else
constexpr int kLanes = 8;
constexpr int kSums = 8;
#endif

typedef int32_t Lanes __attribute__((vector_size(4 * kLanes)));
typedef Lanes StoredLanes __attribute__((aligned(4), may_alias));
typedef float FloatLanes __attribute__((vector_size(4 * kLanes)));
typedef FloatLanes StoredFloatLanes __attribute__((aligned(4), may_alias));

inline Lanes dot(Lanes sums, Lanes unsigned_bytes, Lanes signed_bytes) {
#ifdef __AVX512VNNI__
    return (Lanes)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)unsigned_bytes, (__m512i)signed_bytes);
#else
    return (Lanes)_mm256_dpbusd_avx_epi32((__m256i)sums, (__m256i)unsigned_bytes, (__m256i)signed_bytes);
#endif
}

inline Lanes load(const int32_t* words) { return *reinterpret_cast<const StoredLanes*>(words); }
inline FloatLanes load(const float* values) { return *reinterpret_cast<const StoredFloatLanes*>(values); }

#endif
