// The stages of WEIGHTS, over squares of 16 input and 16 output channels:
//
//     weights_load --lines, maxima--> weights_lanes --codes--> weights_store
#pragma once

#include "records.hpp"
#include "weight_lines.hpp"

namespace cpt {

// Taps of a square that go through the stages together: whole rows of the kernel.
constexpr std::uint32_t CHUNK_TAPS = 16;
static_assert(CHUNK_TAPS >= MAX_KERNEL, "a row of the kernel");
constexpr std::uint32_t SCALE_BITS = 24;        // of the multiplier of a channel
constexpr std::int32_t WEIGHT_FRACTION = 27;    // bits of w behind the point

/// What follows from a command once. Squares run with the kernel's rows counting fastest, then input, output blocks.
struct WeightsPlan {
    Bundles bundles;
    std::uint32_t chunk_rows;
    std::uint32_t tile;                           // bytes of a tile of codes
    std::uint32_t image_stride, image_stride_in;  // of the codes by output and by input channel
    std::uint64_t jobs;
    std::uint64_t first_job;
};

struct WeightsJob {
    std::uint32_t row;         // the first one, of the kernel
    std::uint32_t in_block;    // of the bundle
    std::uint32_t out_block;   // of the bundle
    std::uint32_t bundle;

    std::uint32_t in_channel(const Bundles& b) const { return b.first_in(bundle) + in_block * BLOCK; }
    std::uint32_t out_channel(const Bundles& b) const { return bundle * b.out + out_block * BLOCK; }
};

inline WeightsJob next_weights_job(
    const WeightCommand& c, const WeightsPlan& plan, std::uint32_t index, WeightsJob job) {
    if (plan.first_job + index == 0) return WeightsJob{0, 0, 0, 0};
    job.row += plan.chunk_rows;
    if (job.row < c.kernel_h) return job;
    job.row = 0;
    if (++job.in_block < plan.bundles.in_blocks) return job;
    job.in_block = 0;
    if (++job.out_block < plan.bundles.out_blocks) return job;
    job.out_block = 0;
    ++job.bundle;
    return job;
}

inline std::uint32_t rows_of(const WeightCommand& c, const WeightsPlan& plan, const WeightsJob& job) {
    return min_of(plan.chunk_rows, c.kernel_h - job.row);
}

/// Codes of a square's taps as they are stored: plane by plane, 16 channels of the other side in a word.
typedef word_t codes_t[BLOCK][MAX_OPERAND_BITS][CHUNK_TAPS];

void weights_load(
    const WeightCommand& command, const WeightsPlan& plan, std::uint32_t index, address_t base, port_t& loads,
    hls::stream<line_t>& maxima, hls::stream<line_t>& lines);
void weights_lanes(
    const WeightCommand& command, const WeightsPlan& plan, std::uint32_t index, hls::stream<line_t>& maxima,
    hls::stream<line_t>& lines, codes_t& codes, codes_t& codes_in);
void weights_store(
    const WeightCommand& command, const WeightsPlan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, port_t& stores, const codes_t& codes, const codes_t& codes_in);

/// The greatest level of the codes.
inline std::uint32_t levels_of(const WeightCommand& c) {
    return (1u << (c.flag(WEIGHT_FLAG_HALF) ? c.bits : c.bits - 1)) - 1;
}

}  // namespace cpt
