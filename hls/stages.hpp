// The stages of the accelerator. A job flows through them from top to bottom:
//
//     load --runs, beats--> unpack --feed--> form_lanes ----a---+
//                              |                                +--> array --results--> epilogue --pieces--> store
//                              +------feed-> form_columns --b---+
//
// Each stage reads the same command and plan, which do not change while jobs flow, counts the jobs by itself, and owns
// its memories.
#pragma once

#include "memory.hpp"
#include "plan.hpp"
#include "tally.hpp"
#include "types.hpp"

namespace cpt {

/// Reads one command from the list.
void fetch(port_t& commands, address_t address, std::uint32_t words[COMMAND_WORDS]);

/// Reads what the job needs of A and B, run by run.
void load(
    const Command& command, const Plan& plan, std::uint32_t index, address_t base, port_t& loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats);

/// Turns the beats of runs into packets for the banks of the memories behind.
void unpack(
    hls::stream<run_t>& runs, hls::stream<words_t>& beats, hls::stream<packet_t> lane_feed[LANES],
    hls::stream<packet_t>& column_feed);

/// Keeps rows of A and forms each lane's K-slices, one element a (position, slice, plane of A).
void form_lanes(
    const Command& command, const Plan& plan, std::uint32_t index, hls::stream<packet_t> lane_feed[LANES],
    hls::stream<slice_t> a[LANES]);

/// Forms each column's K-slices of B, one element a (slice, plane of B).
void form_columns(
    const Command& command, const Plan& plan, std::uint32_t index, hls::stream<packet_t>& column_feed,
    hls::stream<slice_t> b[COLUMNS]);

/// Multiplies bit-serially and adds up.
void array(
    const Command& command, const Plan& plan, std::uint32_t index, hls::stream<slice_t> a[LANES],
    hls::stream<slice_t> b[COLUMNS], hls::stream<results_t> results[EPILOGUE_LANES]);

/// Rounds results and packs them as they will lie in memory; `tallies` are those of the column tile so far.
void epilogue(
    const Command& command, const Plan& plan, std::uint32_t index, hls::stream<results_t> results[EPILOGUE_LANES],
    piece_t pieces[LANES][ROW_PIECES], sum_t sums[LANES][ROW_PIECES], tally_t tallies[COLUMNS]);

/// Writes the results of the job, unless a bus error was seen.
void store(
    const Command& command, const Plan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, port_t& stores, const piece_t pieces[LANES][ROW_PIECES],
    const sum_t sums[LANES][ROW_PIECES], const tally_t tallies[COLUMNS]);

}  // namespace cpt
