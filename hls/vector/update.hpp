// The stages of an UPDATE's first pass, over lines of weights:
//
//     update_load --lines--> update_lanes --lines--> update_store
#pragma once

#include "moved.hpp"
#include "records.hpp"
#include "weight_lines.hpp"

namespace cpt {

// Lines of one input channel that go through the stages together.
constexpr std::uint32_t CHUNK_LINES = 16;
constexpr std::uint32_t CHUNK_WORDS = CHUNK_LINES * LINE_WORDS;

/// What follows from a command once: a job is up to CHUNK_LINES lines of an input channel.
struct UpdatePlan {
    Bundles bundles;
    rates_t rates;
    ap_int<25> multiplier;   // G
    std::int32_t shift;      // g, limited to where it matters
    std::uint32_t jobs;
    std::uint32_t first_job;
};

struct UpdateJob {
    std::uint32_t channel;   // ci
    std::uint32_t line;      // the first one, of the channel's

    bool starts_channel() const { return line == 0; }
    bool ends_channel(const UpdatePlan& plan) const { return line + CHUNK_LINES >= plan.bundles.row_lines(); }
};

inline UpdateJob next_update_job(const UpdatePlan& plan, std::uint32_t index, UpdateJob job) {
    if (plan.first_job + index == 0) return UpdateJob{0, 0};
    job.line += CHUNK_LINES;
    if (job.line < plan.bundles.row_lines()) return job;
    return UpdateJob{job.channel + 1, 0};
}

inline std::uint32_t lines_of(const UpdatePlan& plan, const UpdateJob& job) {
    return min_of(CHUNK_LINES, plan.bundles.row_lines() - job.line);
}

void update_load(
    const WeightCommand& command, const UpdatePlan& plan, std::uint32_t index, address_t base, port_t& loads,
    hls::stream<line_t>& acc, hls::stream<line_t>& w, hls::stream<line_t>& v);
void update_lanes(
    const WeightCommand& command, const UpdatePlan& plan, std::uint32_t index, hls::stream<line_t>& acc,
    hls::stream<line_t>& w, hls::stream<line_t>& v, std::uint32_t new_w[CHUNK_WORDS], std::uint32_t new_v[CHUNK_WORDS],
    std::uint32_t maxima[BLOCK]);
void update_store(
    const WeightCommand& command, const UpdatePlan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, port_t& stores, const std::uint32_t new_w[CHUNK_WORDS],
    const std::uint32_t new_v[CHUNK_WORDS], const std::uint32_t maxima[BLOCK]);

/// The second pass: the greatest magnitude of each output channel, of the weights as they now are.
void run_maxima(
    const WeightCommand& command, const Bundles& bundles, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors);

}  // namespace cpt
