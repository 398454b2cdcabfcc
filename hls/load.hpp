// What the parts of the load stage share: how a run of words is sent, and the two kinds of jobs.
#pragma once

#include "stages.hpp"

namespace cpt {

/// Reads `words` words of memory that lie `step` words apart.
inline void send_run(
    const beat_t* loads, hls::stream<run_t>& runs, hls::stream<words_t>& beats, address_t address,
    std::uint32_t target, std::uint32_t destination, std::uint32_t words, std::uint32_t step) {
    // One instance for all its callers: one burst engine on the master.
#pragma HLS INLINE off
    const std::uint32_t offset = address % BUS_BYTES / 2;
    runs.write(run_t{target, destination, words, step, offset, false, false});
    const address_t first = address / BUS_BYTES;
    const std::uint32_t count = ceil_div(offset + (words - 1) * step + 1, BEAT_WORDS);
    load_beats: for (std::uint32_t beat = 0; beat < count; ++beat) {
        // Consecutive addresses at II=1 become one burst.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=64
        beats.write(read_beat(loads, PORT_LOADS, first + beat));
    }
}

inline void send_zeros(hls::stream<run_t>& runs, std::uint32_t target, std::uint32_t destination, std::uint32_t words) {
    if (words > 0) runs.write(run_t{target, destination, words, 1, 0, true, false});
}

/// What a CONV's job needs: weights when a column tile starts, rows of A when an output row starts.
void load_conv(
    const Command& command, const Plan& plan, const Job& job, address_t base, const beat_t* loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats);

/// What a WGRAD's job needs: its slices of K, for the column tile and for each unit of 16 lanes.
void load_wgrad(
    const Command& command, const Plan& plan, const Job& job, address_t base, const beat_t* loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats);

}  // namespace cpt
