// Numbers of the contract's scalar unit: m · 2^e with 31 bits of m, every operation cut towards zero. The same as
// sim/reference/scalar.py, in 64- and 128-bit integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

typedef __int128 Wide;
typedef unsigned __int128 UnsignedWide;

constexpr int kScalarBits = 31;
constexpr int kMaxExponent = 16384;

struct Scalar {
    int32_t m, e;
    Scalar operator-() const { return {-m, e}; }
};

constexpr Scalar kZero{0, 0};
constexpr Scalar kOne{1 << 30, -30};
constexpr Scalar kQuarter{1 << 30, -32};

inline int bit_length(UnsignedWide x) {
    const uint64_t high = static_cast<uint64_t>(x >> 64), low = static_cast<uint64_t>(x);
    if (high) return 128 - __builtin_clzll(high);
    return low ? 64 - __builtin_clzll(low) : 0;
}

inline UnsignedWide magnitude(Wide x) { return x < 0 ? -static_cast<UnsignedWide>(x) : static_cast<UnsignedWide>(x); }

// x · 2^e: its top 31 bits; an exponent beyond the limits gives the greatest number, or 0.
inline Scalar scalar(Wide x, int64_t e = 0) {
    UnsignedWide size = magnitude(x);
    const int more = bit_length(size) - kScalarBits;
    size = more > 0 ? size >> more : size << -more;
    e += more;
    if (x == 0 || e < -kMaxExponent) return kZero;
    if (e > kMaxExponent) {
        size = (UnsignedWide{1} << kScalarBits) - 1;
        e = kMaxExponent;
    }
    const int32_t m = static_cast<int32_t>(size);
    return {x < 0 ? -m : m, static_cast<int32_t>(e)};
}

inline Scalar magnitude(Scalar a) { return {std::abs(a.m), a.e}; }

inline Scalar mul(Scalar a, Scalar b) { return scalar(static_cast<int64_t>(a.m) * b.m, int64_t{a.e} + b.e); }

// 0 if either is 0.
inline Scalar div(Scalar a, Scalar b) {
    if (a.m == 0 || b.m == 0) return kZero;
    const uint64_t over = static_cast<uint64_t>(std::abs(a.m)) << 32;
    const int64_t quotient = static_cast<int64_t>(over / static_cast<uint64_t>(std::abs(b.m)));
    return scalar((a.m < 0) != (b.m < 0) ? -quotient : quotient, int64_t{a.e} - b.e - 32);
}

// What is 2^32 times smaller, or more, is left out.
inline Scalar add(Scalar a, Scalar b) {
    if (a.m == 0) return b;
    if (b.m == 0) return a;
    if (a.e < b.e) std::swap(a, b);
    const int ahead = a.e - b.e;
    return ahead >= 32 ? a : scalar(static_cast<int64_t>(a.m) * (int64_t{1} << ahead) + b.m, b.e);
}

inline Scalar sub(Scalar a, Scalar b) { return add(a, -b); }

// 0 of a negative number.
inline Scalar root(Scalar a) {
    if (a.m <= 0) return kZero;
    const int up = a.e % 2 ? 31 : 32;
    const uint64_t x = static_cast<uint64_t>(a.m) << up;
    uint64_t r = static_cast<uint64_t>(std::sqrt(static_cast<double>(x)));
    while (r * r > x) --r;
    while ((r + 1) * (r + 1) <= x) ++r;
    return scalar(r, (int64_t{a.e} - up) / 2);
}

inline Scalar scaled(Scalar a, int64_t power) { return scalar(a.m, a.e + power); }

inline bool greater(Scalar a, Scalar b) {
    const int low = std::min(a.e, b.e);
    const auto lifted = [low](Scalar s) { return static_cast<Wide>(s.m) * (Wide{1} << std::min(s.e - low, 64)); };
    return lifted(a) > lifted(b);
}

inline Scalar greatest(Scalar a, Scalar b) { return greater(b, a) ? b : a; }

// a · 2^power cut to an integer, towards zero, and saturated to `bits` bits, two's complement.
inline int64_t whole(Scalar a, int64_t power, int bits) {
    const int64_t up = a.e + power;
    UnsignedWide size = magnitude(static_cast<Wide>(a.m));
    size = up >= 0 ? size << std::min<int64_t>(up, 64) : size >> std::min<int64_t>(-up, 64);
    const int64_t cut = static_cast<int64_t>(std::min(size, (UnsignedWide{1} << (bits - 1)) - 1));
    return a.m < 0 ? -cut : cut;
}

// The greatest power, at most `most` but at least 0, with which `whole` saturates none of the numbers it has seen.
class Room {
  public:
    Room(int64_t most, int bits) : power_(most), bits_(bits) {}
    void see(Scalar a) {
        if (a.m) power_ = std::min<int64_t>(power_, bits_ - 1 - kScalarBits - int64_t{a.e});
    }
    int64_t power() const { return std::max<int64_t>(0, power_); }

  private:
    int64_t power_;
    int bits_;
};
