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

inline Halves widen(Words w) {
    HalfWords parts[2];
    std::memcpy(parts, &w, sizeof w);
    return {__builtin_convertvector(parts[0], Longs), __builtin_convertvector(parts[1], Longs)};
}

inline Words narrow(Longs low, Longs high) {
    const HalfWords parts[2] = {__builtin_convertvector(low, HalfWords), __builtin_convertvector(high, HalfWords)};
    return load_as<Words>(parts);
}

template <class Vector, class Number>
inline Vector clamp(Vector x, Number low, Number high) {
    x = x > low ? x : low - Vector{};
    return x < high ? x : high - Vector{};
}

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
    if (kind == Kind::kShorts) return __builtin_convertvector(load_as<Shorts>(from), Words);
    if (kind == Kind::kBytes) return __builtin_convertvector(load_as<Bytes>(from), Words);
    return __builtin_convertvector(load_as<UnsignedBytes>(from), Words);
}

inline void store_block(char* to, Kind kind, Words w) {
    if (kind == Kind::kShorts)
        store_as(to, __builtin_convertvector(w, Shorts));
    else
        store_as(to, __builtin_convertvector(w, Bytes));
}

// Σ v, Σ v·other, least and greatest v of a few pixels of a block: at most kMost.
struct Gathered {
    static constexpr int64_t kMost = 1 << 15;
    Words sum = {}, least = INT32_MAX - Words{}, most = INT32_MIN - Words{};
    Longs even = {}, odd = {};  // of v·other, by channel

    void see(Words v, Words other) {
        sum += v;
        least = v < least ? v : least;
        most = v > most ? v : most;
        const Longs product = (Longs)(v * other);  // of 16 bits each: two products of 32 bits in each 64
        even += product << 32 >> 32;
        odd += product >> 32;
    }
};

// The same of all pixels.
struct Sums {
    int64_t sum[kBlock] = {}, second[kBlock] = {};
    int32_t least[kBlock], most[kBlock];

    Sums() {
        std::fill(least, least + kBlock, INT32_MAX);
        std::fill(most, most + kBlock, INT32_MIN);
    }

    void add(const Gathered& g) {
        for (int i = 0; i < kBlock; ++i) {
            sum[i] += g.sum[i];
            second[i] += i % 2 ? g.odd[i / 2] : g.even[i / 2];
            least[i] = std::min(least[i], g.least[i]);
            most[i] = std::max(most[i], g.most[i]);
        }
    }

    void add(const Sums& s) {
        for (int i = 0; i < kBlock; ++i) {
            sum[i] += s.sum[i];
            second[i] += s.second[i];
            least[i] = std::min(least[i], s.least[i]);
            most[i] = std::max(most[i], s.most[i]);
        }
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
            for (int64_t c = 0; c < kBlock; ++c)
                records[b * kBlock + c] = {total.sum[c], total.second[c], total.least[c], total.most[c], 0};
        }
    }

  private:
    int64_t blocks_;
    std::vector<Sums> all_;
};
