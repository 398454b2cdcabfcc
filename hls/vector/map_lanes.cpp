// MAP, lanes: a pixel of a block in every cycle, 16 channels side by side.
//
//     t = x0 * A + (x1 * C) * 2^j + B      out0 = limited(round(t / 2^k))      out1 = limited(round(out0 * M / 2^s))
#include "../noise.hpp"
#include "../rounding.hpp"
#include "map_stages.hpp"

namespace cpt {

/// One pixel: a word a plane, 16 channels' bits in each.
struct pixel_t {
    word_t plane[MAX_OPERAND_BITS];
};

static pixel_t pixel_at(const map_memory_t& memory, std::uint32_t bits, std::uint32_t segment, std::uint32_t i) {
#pragma HLS INLINE
    pixel_t pixel;
    for (std::uint32_t plane = 0; plane < MAX_OPERAND_BITS; ++plane) {
#pragma HLS UNROLL
        pixel.plane[plane] = plane < bits ? memory[plane][i][segment] : word_t(0);
    }
    return pixel;
}

static code_t code_of(const pixel_t& pixel, std::uint32_t bits, bool is_signed, std::uint32_t channel) {
#pragma HLS INLINE
    std::uint32_t code = 0;
    for (std::uint32_t plane = 0; plane < MAX_OPERAND_BITS; ++plane) {
#pragma HLS UNROLL
        code |= ((pixel.plane[plane] >> channel) & 1u) << plane;
    }
    const bool negative = is_signed && bits > 0 && ((code >> (bits - 1)) & 1);
    return code_t(std::int32_t(code) - (negative ? std::int32_t(1) << bits : 0));
}

/// Limits a result to its width; signed ones leave out the least code. A result of no bits does not exist.
static code_t code_limited(const rounding_t& value, std::uint32_t bits, bool is_signed) {
#pragma HLS INLINE
    const rounding_t most = (rounding_t(1) << (is_signed && bits > 0 ? bits - 1 : bits)) - 1;
    return code_t(limited(value, is_signed ? rounding_t(-most) : rounding_t(0), most));
}

/// Modulo 2^48, as the contract has it.
static accumulator_t sum_of(const coefficient_t& by, std::int32_t j, bool second, const code_t& x, const code_t& x1) {
#pragma HLS INLINE
    typedef ap_int<TALLY_CODE_BITS + COEFFICIENT_BITS> product_t;
    const product_t first = x * by.a;
    const product_t other = x1 * by.c;
    const accumulator_t up = accumulator_t(other) << std::uint32_t(j < 0 ? 0 : j);
    const accumulator_t down = other >> std::uint32_t(j < 0 ? -j : 0);
    const accumulator_t more = !second ? accumulator_t(0) : j < 0 ? down : up;
    return accumulator_t(first + more + by.b);
}

/// The results of one channel.
struct lane_t {
    code_t out0, out1;
    bool positive;
};

static lane_t lane(
    const MapCommand& c, const map_header_t& header, const noise_keys_t& keys, const coefficient_t& by, const code_t& x,
    const code_t& x1, bool masked, std::uint32_t element) {
#pragma HLS INLINE
    const accumulator_t sum = sum_of(by, header.j, c.x1_bits != 0, x, x1);
    const bool is_signed = c.flag(MAP_FLAG_OUT_SIGNED);
    const rounding_t rounded = c.flag(MAP_FLAG_STOCHASTIC) ? round_stochastic(sum, header.k, noise(keys, element))
                                                           : round_half_even(sum, header.k);
    const code_t code = code_limited(rounded, c.out0_bits, is_signed);
    lane_t result;
    result.out0 = c.out0_bits == 0 ? x : masked ? code_t(0) : code;
    const accumulator_t scaled = result.out0 * header.multiplier;
    result.out1 = code_limited(round_half_even(scaled, header.scale_shift), c.out1_bits, is_signed);
    result.positive = sum > 0;
    return result;
}

/// Puts a result's bits into the planes of a pixel.
static void place(pixel_t& pixel, const code_t& code, std::uint32_t channel) {
#pragma HLS INLINE
    const std::uint32_t bits = std::uint32_t(std::int32_t(code));
    for (std::uint32_t plane = 0; plane < MAX_OPERAND_BITS; ++plane) {
#pragma HLS UNROLL
        pixel.plane[plane] = word_t(pixel.plane[plane] | ((bits >> plane) & 1u) << channel);
    }
}

static void keep(map_memory_t& memory, const pixel_t& pixel, std::uint32_t segment, std::uint32_t i) {
#pragma HLS INLINE
    for (std::uint32_t plane = 0; plane < MAX_OPERAND_BITS; ++plane) {
#pragma HLS UNROLL
        memory[plane][i][segment] = pixel.plane[plane];
    }
}

void map_lanes(
    const MapCommand& c, const MapPlan& plan, const map_header_t& header, std::uint32_t index,
    hls::stream<coefficient_t>& coefficients, const map_memory_t& x0, const map_memory_t& x1, const map_memory_t& x2,
    const map_mask_t& mask, map_memory_t& out0, map_memory_t& out1, map_mask_t& mask_out, tally_t tallies[BLOCK]) {
    static MapJob job;
    static coefficient_t by[BLOCK];   // of the block that is worked on
    static tally_t running[BLOCK];
#pragma HLS ARRAY_PARTITION variable=by complete
#pragma HLS ARRAY_PARTITION variable=running complete
    job = next_map_job(c, plan, index, job);
    const noise_keys_t keys = make_noise_keys(header.seed_lo, header.seed_hi);
    if (job.starts_block()) {
        map_coefficients: for (std::uint32_t channel = 0; channel < BLOCK; ++channel) {
#pragma HLS PIPELINE II=1
            if (c.out0_bits != 0) by[channel] = coefficients.read();
            running[channel] = empty_tally();
        }
    }
    const bool one_pixel = c.flag(MAP_FLAG_BROADCAST);
    const std::uint32_t width = width_of(c, job);
    const std::uint32_t pixels = rows_of(c, plan, job) * width;
    const std::uint32_t tile = job.image * c.blocks + job.block;
    std::uint32_t element = (tile * c.height + job.row) * c.width + job.piece * STRIP_WIDTH;
    std::uint32_t x = 0, row_segment = 0;
    map_pixels: for (std::uint32_t number = 0; number < pixels; ++number) {
        // Elements of a strip are consecutive: a strip of several rows has them whole.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=256
        const std::uint32_t segment = row_segment + x / SEGMENT_WORDS;
        const std::uint32_t i = x % SEGMENT_WORDS;
        const pixel_t p0 = pixel_at(x0, c.x0_bits, one_pixel ? 0 : segment, one_pixel ? 0 : i);
        const pixel_t p1 = pixel_at(x1, c.x1_bits, segment, i);
        const pixel_t p2 = pixel_at(x2, c.x2_bits, segment, i);
        const word_t masks = c.reads_mask() ? mask[0][i][segment] : word_t(0xFFFF);
        pixel_t results0 = {}, results1 = {};
        word_t positive = 0;
        for (std::uint32_t channel = 0; channel < BLOCK; ++channel) {
#pragma HLS UNROLL
            const bool masked = !((masks >> channel) & 1);
            const code_t code = code_of(p0, c.x0_bits, c.flag(MAP_FLAG_X0_SIGNED), channel);
            const code_t first = c.flag(MAP_FLAG_MASK_X0) && masked ? code_t(0) : code;
            const code_t second = code_of(p1, c.x1_bits, c.flag(MAP_FLAG_X1_SIGNED), channel);
            const bool hides = c.flag(MAP_FLAG_MASK_OUT) && masked;
            const lane_t result =
                lane(c, header, keys, by[channel], first, second, hides, (element + number) * BLOCK + channel);
            place(results0, result.out0, channel);
            place(results1, result.out1, channel);
            positive = word_t(positive | word_t(result.positive) << channel);
            add_to(running[channel], result.out0, code_of(p2, c.x2_bits, true, channel));
        }
        keep(out0, results0, segment, i);
        keep(out1, results1, segment, i);
        mask_out[0][i][segment] = positive;
        if (++x < width) continue;
        x = 0;
        row_segment += plan.row_segments;
    }
    for (std::uint32_t channel = 0; channel < BLOCK; ++channel) {
#pragma HLS UNROLL
        tallies[channel] = running[channel];
    }
}

}  // namespace cpt
