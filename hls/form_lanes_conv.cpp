// Form lanes, CONV: a ring of rows in each lane's memory, and the windows on it.
#include "form_lanes.hpp"
#include "window.hpp"

namespace cpt {

void take_rows(
    const Command& c, const Job& job, std::uint32_t lanes, hls::stream<packet_t> lane_feed[LANES],
    lane_memory_t memory[LANES]) {
    const Rows rows = new_rows(c, job.row);
    const std::uint32_t words = (rows.end - rows.first) * c.a_blocks * c.a_bits * c.a_width;
    std::uint32_t count = 0;
    take_row_packets: for (std::uint32_t taken = 0; taken < words; taken += count) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=0 max=1024
        for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
            if (lane < lanes) {
                const packet_t packet = lane_feed[lane].read();
                write_packet(memory[lane], packet);
                count = packet.count;
            }
        }
    }
}

/// A group of K of a CONV: 16 channels at one tap.
struct Group {
    std::uint32_t block;
    std::uint32_t ky;
    std::uint32_t kx;
};

static Group behind(const Command& c, Group group, std::uint32_t taps) {
    group.kx += taps;
    if (group.kx < c.kernel_w) return group;
    group.kx = 0;
    if (++group.ky < c.kernel_h) return group;
    group.ky = 0;
    ++group.block;
    return group;
}

/// One kernel row's taps from `group` on, up to `count` of them, into the slices of all lanes from `at` on.
static void gather(
    const Command& c, const Job& job, const Group& group, std::uint32_t plane, std::uint32_t x, std::uint32_t count,
    std::uint32_t at, const lane_memory_t memory[LANES], std::uint32_t lanes, word_t slices[LANES][SLICE_GROUPS]) {
#pragma HLS INLINE
    const Tap row = tap_at(std::int32_t(job.row * c.stride_y + group.ky) - std::int32_t(c.pad_top), c.up_y, c.a_height);
    const std::uint32_t line = ((row.index % c.kernel_h * c.a_blocks + group.block) * c.a_bits + plane) * c.a_width;
    const std::int32_t place = std::int32_t(x * c.stride_x + group.kx) - std::int32_t(c.pad_left);
    // The taps lie within READ_TAPS columns from the first that may be inside the map.
    const std::uint32_t column = place > 0 ? std::uint32_t(place) / c.up_x : 0;
    const std::uint32_t first = line + (column < c.a_width ? column : 0);
    Tap taps[READ_TAPS];
    for (std::uint32_t t = 0; t < READ_TAPS; ++t) {
#pragma HLS UNROLL
        taps[t] = tap_at(place + std::int32_t(t), c.up_x, c.a_width);
        taps[t].hit &= row.hit;
    }
    for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
        if (lane >= lanes) continue;
        word_t words[BANKS];   // one read of every bank, whatever the taps
        read_banks(memory[lane], first, words);
        for (std::uint32_t t = 0; t < READ_TAPS; ++t) {
#pragma HLS UNROLL
            if (t < count) slices[lane][at + t] = taps[t].hit ? words[(line + taps[t].index) % BANKS] : word_t(0);
        }
    }
}

void form_windows(
    const Command& c, const Plan& plan, const Job& job, const lane_memory_t memory[LANES], std::uint32_t lanes,
    hls::stream<slice_t> a[LANES]) {
    word_t slices[LANES][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=slices complete dim=0
    const std::uint32_t elements = job_positions(c, plan, job) * std::uint32_t(plan.slices) * c.a_bits;
    std::uint32_t x = job.chunk * plan.chunk_size;
    std::uint32_t plane = 0;
    std::uint32_t filled = 0;
    Group start = {0, 0, 0};   // of the slice
    Group group = start;
    std::uint32_t done = 0;
    form_windows_steps: while (done < elements) {
        // One loop over all elements, a kernel row's taps at a time, so that the pipeline never drains between them.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=3 max=4096
        const bool beyond = group.block == c.a_blocks;
        const std::uint32_t left = SLICE_GROUPS - filled;
        const std::uint32_t count = beyond ? left : min_of(left, min_of(READ_TAPS, c.kernel_w - group.kx));
        if (filled == 0) {
            for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
                for (std::uint32_t i = 0; i < SLICE_GROUPS; ++i) {
#pragma HLS UNROLL
                    slices[lane][i] = 0;
                }
            }
        }
        if (!beyond) {
            gather(c, job, group, plane, x, count, filled, memory, lanes, slices);
            group = behind(c, group, count);
        }
        filled += count;
        if (filled < SLICE_GROUPS) continue;
        for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
            if (lane < lanes) put_slice(a[lane], slices[lane]);
        }
        filled = 0;
        ++done;
        if (++plane < c.a_bits) {
            group = start;
            continue;
        }
        plane = 0;
        if (group.block == c.a_blocks) {
            group = Group{0, 0, 0};
            ++x;
        }
        start = group;
    }
}

}  // namespace cpt
