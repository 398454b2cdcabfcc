// WEIGHTS, lanes: weights to codes, by their output channel's scale and by their input channel's.
//
//     q = w * M / 2^s,   M = levels * 2^s / greatest weight of the channel, of 24 bits
//
// Codes by output channel are transposed on the way: a word of theirs has a bit of each of 16 input channels, which
// come one after the other and are shifted in.
#include "../rounding.hpp"
#include "weights.hpp"

namespace cpt {

/// Of one channel: M and s.
struct scale_t {
    ap_uint<SCALE_BITS> multiplier;
    std::uint32_t shift;
};

/// The scales of 16 channels, by 16 dividers in step: they shift and subtract, a bit of the result a cycle.
static void make_scales(const WeightCommand& c, const line_t& maxima, scale_t scales[BLOCK]) {
    const std::uint32_t bits = c.flag(WEIGHT_FLAG_HALF) ? c.bits : c.bits - 1u;   // of the levels, all of them ones
    const ap_uint<32> dividend = ap_uint<32>(levels_of(c)) << (SCALAR_BITS - bits);
    ap_uint<32> divisors[BLOCK], rests[BLOCK];
    ap_uint<SCALE_BITS + 1> results[BLOCK];
    std::uint32_t lengths[BLOCK];
#pragma HLS ARRAY_PARTITION variable=divisors complete
#pragma HLS ARRAY_PARTITION variable=rests complete
#pragma HLS ARRAY_PARTITION variable=results complete
#pragma HLS ARRAY_PARTITION variable=lengths complete
    scale_lengths: for (std::uint32_t i = 0; i < BLOCK; ++i) {
#pragma HLS PIPELINE II=1
        const std::int32_t found = std::int32_t(maxima.word[i]);
        ap_uint<32> most = found < 1 ? 1 : found;
        lengths[i] = SCALAR_BITS;
        for (std::uint32_t step = 16; step > 0; step /= 2) {
#pragma HLS UNROLL
            if ((most >> (SCALAR_BITS - step)) == 0) {
                most <<= step;
                lengths[i] -= step;
            }
        }
        divisors[i] = most;
        rests[i] = dividend;
        results[i] = 0;
    }
    scale_bits: for (std::uint32_t bit = 0; bit <= SCALE_BITS; ++bit) {
#pragma HLS PIPELINE II=1
        for (std::uint32_t i = 0; i < BLOCK; ++i) {
#pragma HLS UNROLL
            const bool fits = rests[i] >= divisors[i];
            results[i] = results[i] << 1 | ap_uint<SCALE_BITS + 1>(fits);
            rests[i] = (fits ? ap_uint<32>(rests[i] - divisors[i]) : rests[i]) << 1;
        }
    }
    for (std::uint32_t i = 0; i < BLOCK; ++i) {
#pragma HLS UNROLL
        const bool long_result = results[i][SCALE_BITS];
        scales[i].multiplier = long_result ? results[i] >> 1 : results[i];
        scales[i].shift = SCALE_BITS + lengths[i] - bits - (long_result ? 1 : 0);
    }
}

static std::uint32_t code_of(const WeightCommand& c, std::int32_t w, const scale_t& scale) {
#pragma HLS INLINE
    const ap_int<56> product = ap_int<32>(w) * scale.multiplier;
    const ap_int<57> levels = levels_of(c);
    const ap_int<57> top = (ap_int<57>(1) << (c.bits - 1)) - 1;
    if (c.flag(WEIGHT_FLAG_HALF)) {
        const ap_int<57> floor = product >> (scale.shift + 1);
        return std::uint32_t(std::int32_t(limited(floor, ap_int<57>(-top - 1), top)));
    }
    return std::uint32_t(
        std::int32_t(limited(round_half_even(product, scale.shift), ap_int<57>(-levels), levels)));
}

void weights_lanes(
    const WeightCommand& c, const WeightsPlan& plan, std::uint32_t index, hls::stream<line_t>& maxima,
    hls::stream<line_t>& lines, codes_t& codes, codes_t& codes_in) {
    static WeightsJob job;
    static scale_t by_out[BLOCK], by_in[BLOCK];   // of the square
#pragma HLS ARRAY_PARTITION variable=by_out complete
#pragma HLS ARRAY_PARTITION variable=by_in complete
    job = next_weights_job(c, plan, index, job);
    const bool both = c.flag(WEIGHT_FLAG_BOTH);
    if (job.row == 0) {
        make_scales(c, maxima.read(), by_out);
        if (both) make_scales(c, maxima.read(), by_in);
    }
    const std::uint32_t taps = rows_of(c, plan, job) * c.kernel_w;
    line_t line = {};
    word_t across[MAX_OPERAND_BITS] = {};   // the planes of one input channel and tap
#pragma HLS ARRAY_PARTITION variable=across complete
    std::uint32_t channel = 0, tap = 0, part = 0;
    weights_words: for (std::uint32_t step = 0; step < BLOCK * taps * LINE_PARTS; ++step) {
        // WEIGHT_LANES words a cycle.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=128 max=2048
        if (part == 0) line = lines.read();
        for (std::uint32_t i = 0; i < WEIGHT_LANES; ++i) {
#pragma HLS UNROLL
            const std::uint32_t number = part * WEIGHT_LANES + i;
            const std::int32_t w = std::int32_t(line.word[number]);
            const std::uint32_t code = code_of(c, w, by_out[number]);
            const std::uint32_t code_in = both ? code_of(c, w, by_in[channel]) : 0;
            for (std::uint32_t plane = 0; plane < MAX_OPERAND_BITS; ++plane) {
#pragma HLS UNROLL
                const word_t shifted = word_t(codes[number][plane][tap] >> 1);
                codes[number][plane][tap] = word_t(shifted | ((code >> plane) & 1u) << (BLOCK - 1));
                across[plane] = word_t(across[plane] >> 1 | ((code_in >> plane) & 1u) << (BLOCK - 1));
            }
        }
        if (++part < LINE_PARTS) continue;
        for (std::uint32_t plane = 0; plane < MAX_OPERAND_BITS; ++plane) {
#pragma HLS UNROLL
            codes_in[channel][plane][tap] = across[plane];
        }
        part = 0;
        if (++tap < taps) continue;
        tap = 0;
        ++channel;
    }
}

}  // namespace cpt
