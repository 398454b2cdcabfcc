// What the parts of the form_lanes stage share: the lanes' memories, and how they are filled and read.
//
// CONV: a lane's memory holds kernel_h rows of its image as a ring; a slice gathers the words of slice_groups taps.
// WGRAD: unit u, 16 lanes with the channels of one (block, tap), uses lane u's memory for one slice of pixels; a word
// there is 16 channels of a pixel, and 16 of them transposed are 16 pixels of each channel.
#pragma once

#include "banks.hpp"
#include "slices.hpp"
#include "stages.hpp"
#include "strips.hpp"
#include "window.hpp"

namespace cpt {

typedef word_t lane_memory_t[BANKS][bank_rows(LANE_WORDS)];

/// CONV: the new rows that an output row needs.
void take_rows(
    const Command& c, const Rows& rows, std::uint32_t lanes, hls::stream<packet_t> lane_feed[LANES],
    lane_memory_t memory[LANES]);

/// CONV: where a row of the kernel lies in the ring of rows, if it hits a row of the map.
struct KernelRow {
    bool hit;
    std::uint32_t slot;
};

/// CONV: those of the output row to which `walk` went.
void find_kernel_rows(const Command& c, const Axis& axis, const RowWalk& walk, KernelRow rows[MAX_KERNEL]);

/// CONV: the slices of every position of the job; `axis` is that of columns.
void form_windows(
    const Command& c, const Plan& plan, const Job& job, const Axis& axis, const KernelRow rows[MAX_KERNEL],
    const lane_memory_t memory[LANES], std::uint32_t lanes, hls::stream<slice_t> a[LANES]);

/// Shared WGRAD: the rows of the command's first strip.
void take_strip(Intake intake, hls::stream<packet_t> lane_feed[LANES], lane_memory_t memory[LANES]);

/// Shared WGRAD: the slices of all turns of a strip in a half of the memories; `next` comes into the other.
void form_strip(
    const Command& c, const Plan& plan, const Strip& strip, std::uint32_t slices, std::uint32_t half, Intake next,
    hls::stream<packet_t> lane_feed[LANES], lane_memory_t memory[LANES], hls::stream<slice_t> a[LANES]);

/// WGRAD: one slice of pixels for each unit.
void take_slice(
    const Command& c, std::uint32_t units, hls::stream<packet_t> lane_feed[LANES], lane_memory_t memory[LANES]);

/// WGRAD: the slice as each lane's channel and tap see it.
void form_transposed(
    const Command& c, const lane_memory_t memory[LANES], std::uint32_t units, std::uint32_t lanes,
    hls::stream<slice_t> a[LANES]);

}  // namespace cpt
