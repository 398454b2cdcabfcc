// The scalar unit's operations. The divider and the root subtract and shift, one bit of the result a cycle.
#include "scalar.hpp"

namespace cpt {

constexpr std::uint32_t WIDE = 76;   // of what is normalised

scalar_t make_scalar(const integer_t& x, const exponent_t& e) {
#pragma HLS INLINE off
    const bool negative = x < 0;
    ap_uint<WIDE> size = negative ? ap_uint<WIDE>(-x) : ap_uint<WIDE>(x);
    std::uint32_t zeros = 0;   // before the leading one
    for (std::uint32_t step = 64; step > 0; step /= 2) {
#pragma HLS UNROLL
        if ((size >> (WIDE - step)) == 0) {
            size <<= step;
            zeros += step;
        }
    }
    const exponent_t exponent = e + exponent_t(std::int32_t(WIDE - SCALAR_BITS) - std::int32_t(zeros));
    const std::int32_t limit = MAX_EXPONENT;
    if (x == 0 || exponent < -limit) return scalar_t{0, 0};
    ap_uint<32> m = size >> (WIDE - SCALAR_BITS);
    if (exponent > limit) m = (1u << SCALAR_BITS) - 1;
    const ap_int<32> with_sign = negative ? ap_int<32>(-ap_int<33>(m)) : ap_int<32>(m);
    return scalar_t{with_sign, ap_int<16>(exponent > limit ? exponent_t(limit) : exponent)};
}

scalar_t multiply(const scalar_t& a, const scalar_t& b) {
#pragma HLS INLINE off
    const ap_int<64> product = a.m * b.m;
    return make_scalar(product, exponent_t(a.e + b.e));
}

ap_uint<33> quotient(const ap_uint<31>& a, const ap_uint<31>& b) {
#pragma HLS INLINE off
    ap_uint<33> rest = a;   // below twice the divisor at every step
    ap_uint<33> result = 0;
    quotient_bits: for (std::uint32_t bit = 0; bit < 33; ++bit) {
#pragma HLS PIPELINE II=1
        const bool fits = rest >= b;
        result = result << 1 | ap_uint<33>(fits);
        rest = (fits ? ap_uint<33>(rest - b) : rest) << 1;
    }
    return result;
}

static ap_uint<31> mantissa(const scalar_t& a) { return ap_uint<31>(a.m < 0 ? ap_int<32>(-a.m) : a.m); }

scalar_t divide(const scalar_t& a, const scalar_t& b) {
#pragma HLS INLINE off
    if (a.m == 0 || b.m == 0) return scalar_t{0, 0};
    const integer_t size = quotient(mantissa(a), mantissa(b));
    const bool negative = (a.m < 0) != (b.m < 0);
    return make_scalar(negative ? integer_t(-size) : size, exponent_t(a.e - b.e - 32));
}

scalar_t add(const scalar_t& a, const scalar_t& b) {
#pragma HLS INLINE off
    if (a.m == 0) return b;
    if (b.m == 0) return a;
    const scalar_t high = a.e < b.e ? b : a;
    const scalar_t low = a.e < b.e ? a : b;
    const ap_int<17> ahead = high.e - low.e;
    if (ahead >= 32) return high;
    const ap_int<64> sum = (ap_int<64>(high.m) << std::uint32_t(ahead)) + low.m;
    return make_scalar(sum, exponent_t(low.e));
}

scalar_t root(const scalar_t& a) {
#pragma HLS INLINE off
    if (a.m <= 0) return scalar_t{0, 0};
    const std::uint32_t up = a.e[0] ? 31 : 32;
    ap_uint<64> number = ap_uint<64>(a.m) << up;
    ap_uint<36> rest = 0;
    ap_uint<32> result = 0;
    root_bits: for (std::uint32_t bit = 0; bit < 32; ++bit) {
#pragma HLS PIPELINE II=1
        rest = rest << 2 | ap_uint<36>(number >> 62);
        number <<= 2;
        const ap_uint<36> trial = ap_uint<36>(result) << 2 | 1;
        const bool fits = rest >= trial;
        if (fits) rest -= trial;
        result = result << 1 | ap_uint<32>(fits);
    }
    return make_scalar(result, exponent_t((a.e - ap_int<17>(up)) >> 1));
}

bool greater(const scalar_t& a, const scalar_t& b) {
#pragma HLS INLINE off
    const bool a_negative = a.m < 0, b_negative = b.m < 0;
    if (a.m == 0 || b.m == 0 || a_negative != b_negative) return a.m > b.m;
    // Of one sign: the exponent decides, then the mantissa.
    if (a.e != b.e) return (a.e > b.e) != a_negative;
    return a.m > b.m;
}

ap_int<48> whole(const scalar_t& a, std::int32_t power, std::uint32_t bits) {
#pragma HLS INLINE off
    const std::int32_t up = std::int32_t(a.e) + power;
    const ap_uint<64> size = mantissa(a);
    // A shift of 32 to the left is beyond every limit, one of 31 to the right leaves nothing.
    const ap_uint<64> left = size << std::uint32_t(up < 0 ? 0 : up > 32 ? 32 : up);
    const ap_uint<64> right = size >> std::uint32_t(up > 0 ? 0 : up < -32 ? 32 : -up);
    const ap_uint<64> most = (ap_uint<64>(1) << (bits - 1)) - 1;
    const ap_uint<64> cut = up < 0 ? right : left;
    const ap_int<48> result = ap_int<48>(cut > most ? most : cut);
    return a.m < 0 ? ap_int<48>(-result) : result;
}

}  // namespace cpt
