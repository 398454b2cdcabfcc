// A block of 16 channels as vectors, and what is gathered of its channels: maps lie as [image][block][pixel][16].
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "blocks.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

constexpr int kBlock = 16;

typedef int32_t Words __attribute__((vector_size(4 * kBlock)));
typedef uint32_t UnsignedWords __attribute__((vector_size(4 * kBlock)));
typedef int16_t Shorts __attribute__((vector_size(2 * kBlock)));
typedef int8_t Bytes __attribute__((vector_size(kBlock)));
typedef uint8_t UnsignedBytes __attribute__((vector_size(kBlock)));
typedef int32_t HalfWords __attribute__((vector_size(2 * kBlock)));
typedef int64_t Longs __attribute__((vector_size(4 * kBlock)));  // half a block

template <class Vector>
inline Vector load_as(const void* from) {
    Vector made;
    std::memcpy(&made, from, sizeof made);
    return made;
}

template <class Vector>
inline void store_as(void* to, Vector vector) {
    std::memcpy(to, &vector, sizeof vector);
}

constexpr UnsignedWords kCount = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

struct Halves {
    Longs low, high;
};

// Conversions, and what else GCC 12 does not make one instruction of.
#ifdef __AVX512BW__
inline Longs low_half(Words w) { return (Longs)_mm512_cvtepi32_epi64(_mm512_castsi512_si256((__m512i)w)); }
inline Longs high_half(Words w) { return (Longs)_mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64((__m512i)w, 1)); }
inline Words narrow(Longs low, Longs high) {
    const __m512i words = _mm512_castsi256_si512(_mm512_cvtepi64_epi32((__m512i)low));
    return (Words)_mm512_inserti64x4(words, _mm512_cvtepi64_epi32((__m512i)high), 1);
}
inline Words to_words(Shorts s) { return (Words)_mm512_cvtepi16_epi32((__m256i)s); }
inline Words to_words(Bytes b) { return (Words)_mm512_cvtepi8_epi32((__m128i)b); }
inline Words to_words(UnsignedBytes b) { return (Words)_mm512_cvtepu8_epi32((__m128i)b); }
inline Shorts to_shorts(Words w) { return (Shorts)_mm512_cvtepi32_epi16((__m512i)w); }
inline Bytes to_bytes(Words w) { return (Bytes)_mm512_cvtepi32_epi8((__m512i)w); }
inline Words least(Words a, Words b) { return (Words)_mm512_min_epi32((__m512i)a, (__m512i)b); }
inline Words most(Words a, Words b) { return (Words)_mm512_max_epi32((__m512i)a, (__m512i)b); }
inline Longs least(Longs a, Longs b) { return (Longs)_mm512_min_epi64((__m512i)a, (__m512i)b); }
inline Longs most(Longs a, Longs b) { return (Longs)_mm512_max_epi64((__m512i)a, (__m512i)b); }
#else
inline Longs low_half(Words w) { return __builtin_convertvector(load_as<HalfWords>(&w), Longs); }
inline Longs high_half(Words w) {
    return __builtin_convertvector(load_as<HalfWords>(reinterpret_cast<const char*>(&w) + sizeof(HalfWords)), Longs);
}
inline Words narrow(Longs low, Longs high) {
    const HalfWords parts[2] = {__builtin_convertvector(low, HalfWords), __builtin_convertvector(high, HalfWords)};
    return load_as<Words>(parts);
}
inline Words to_words(Shorts s) { return __builtin_convertvector(s, Words); }
inline Words to_words(Bytes b) { return to_words(__builtin_convertvector(b, Shorts)); }
inline Words to_words(UnsignedBytes b) { return to_words(__builtin_convertvector(b, Shorts)); }
inline Shorts to_shorts(Words w) { return __builtin_convertvector(w, Shorts); }
inline Bytes to_bytes(Words w) { return __builtin_convertvector(to_shorts(w), Bytes); }
template <class Vector>
inline Vector least(Vector a, Vector b) {
    return a < b ? a : b;
}
template <class Vector>
inline Vector most(Vector a, Vector b) {
    return a > b ? a : b;
}
#endif

inline Halves widen(Words w) { return {low_half(w), high_half(w)}; }

template <class Vector, class Number>
inline Vector clamp(Vector x, Number low, Number high) {
    return least(most(x, low - Vector{}), high - Vector{});
}

// x / 2^shift to the nearest integer, a tie to the even one.
template <class Vector, class Number>
struct Round {
    Number shift, below_half, odd;
    explicit Round(int64_t by)
        : shift(static_cast<Number>(by)), below_half(by ? (Number{1} << (by - 1)) - 1 : 0), odd(by ? 1 : 0) {}
    Vector operator()(Vector x) const { return (x + below_half + (x >> shift & odd)) >> shift; }
};

// All ones where the mask's bit, channel k in bit k, is set.
inline Words spread(uint16_t bits) {
#ifdef __AVX512F__
    return (Words)_mm512_maskz_set1_epi32(bits, -1);
#else
    return -(Words)((bits - UnsignedWords{}) >> kCount & 1u);
#endif
}

// A bit for each that is above 0.
inline uint16_t positive(Longs low, Longs high) {
#ifdef __AVX512F__
    const __m512i zero = _mm512_setzero_si512();
    return static_cast<uint16_t>(_mm512_cmpgt_epi64_mask((__m512i)low, zero) |
                                 _mm512_cmpgt_epi64_mask((__m512i)high, zero) << 8);
#else
    uint32_t bits = 0;
    for (int i = 0; i < kBlock / 2; ++i) bits |= (low[i] > 0) << i | (high[i] > 0) << (i + kBlock / 2);
    return static_cast<uint16_t>(bits);
#endif
}

// How a tensor's elements are stored: bytes up to 8 bits, else 16-bit words; those are signed, or of 15 bits.
enum class Kind : int64_t { kNone = 0, kUnsignedBytes = 1, kBytes = 2, kShorts = 3 };

inline int64_t element_bytes(Kind kind) { return kind == Kind::kShorts ? 2 : 1; }

inline Words load_block(const char* from, Kind kind) {
    if (kind == Kind::kShorts) return to_words(load_as<Shorts>(from));
    if (kind == Kind::kBytes) return to_words(load_as<Bytes>(from));
    return to_words(load_as<UnsignedBytes>(from));
}

inline void store_block(char* to, Kind kind, Words w) {
    if (kind == Kind::kShorts)
        store_as(to, to_shorts(w));
    else
        store_as(to, to_bytes(w));
}

// Σ v, Σ v·other, least and greatest v of a few pixels of a block: at most kMost.
struct Gathered {
    static constexpr int64_t kMost = 1 << 15;
    Words sum = {}, lowest = INT32_MAX - Words{}, highest = INT32_MIN - Words{};
    Longs even = {}, odd = {};  // of v·other, by channel

    void see(Words v, Words other) {
        sum += v;
        lowest = least(lowest, v);
        highest = most(highest, v);
        const Longs product = (Longs)(v * other);  // of 16 bits each: two products of 32 bits in each 64
        even += product << 32 >> 32;
        odd += product >> 32;
    }
};

// The same of all pixels.
struct Sums {
    Longs low = {}, high = {}, even = {}, odd = {};
    Words lowest = INT32_MAX - Words{}, highest = INT32_MIN - Words{};

    void add(const Gathered& g) {
        low += low_half(g.sum);
        high += high_half(g.sum);
        even += g.even;
        odd += g.odd;
        lowest = least(lowest, g.lowest);
        highest = most(highest, g.highest);
    }

    void add(const Sums& s) {
        low += s.low;
        high += s.high;
        even += s.even;
        odd += s.odd;
        lowest = least(lowest, s.lowest);
        highest = most(highest, s.highest);
    }

    TallyRecord record(int channel) const {
        constexpr int kHalf = kBlock / 2;
        return {channel < kHalf ? low[channel] : high[channel - kHalf],
                channel % 2 ? odd[channel / 2] : even[channel / 2], lowest[channel], highest[channel], 0};
    }
};

// Sums by thread and block, and the tally they make.
class SumsByThread {
  public:
    SumsByThread(int64_t threads, int64_t blocks) : blocks_(blocks), all_(threads * blocks) {}

    Sums& at(int64_t thread, int64_t block) { return all_[thread * blocks_ + block]; }

    void write(Tally* tally, int64_t count) const {
        TallyRecord* records = tally->begin(blocks_ * kBlock);
        tally->count = static_cast<uint32_t>(count);
        for (int64_t b = 0; b < blocks_; ++b) {
            Sums total;
            for (size_t i = b; i < all_.size(); i += blocks_) total.add(all_[i]);
            for (int c = 0; c < kBlock; ++c) records[b * kBlock + c] = total.record(c);
        }
    }

  private:
    int64_t blocks_;
    std::vector<Sums> all_;
};
