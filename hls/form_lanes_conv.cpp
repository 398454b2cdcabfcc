// Form lanes, CONV: a ring of rows in each lane's memory, and the windows on it.
#include "form_lanes.hpp"

namespace cpt {

void take_rows(
    const Command& c, const Rows& rows, std::uint32_t lanes, hls::stream<packet_t> lane_feed[LANES],
    lane_memory_t memory[LANES]) {
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

/// One kernel row's taps from `group` on, up to `count` of them, into the slices of all lanes from `at` on; the window
/// starts at spot `x` of its row, and `row` says where the kernel row lies in the ring.
static void gather(
    const Command& c, const Axis& axis, const Group& group, const KernelRow& row, std::uint32_t plane, const Spot& x,
    std::uint32_t count, std::uint32_t at, const lane_memory_t memory[LANES], std::uint32_t lanes,
    word_t slices[LANES][SLICE_GROUPS]) {
#pragma HLS INLINE
    const std::uint32_t line = ((row.slot * c.a_blocks + group.block) * c.a_bits + plane) * c.a_width;
    Spot taps[READ_TAPS];
#pragma HLS ARRAY_PARTITION variable=taps complete
    for (std::uint32_t t = 0; t < READ_TAPS; ++t) {
#pragma HLS UNROLL
        taps[t] = moved(x, axis.distances[group.kx + t], axis.up);
    }
    // The taps lie within READ_TAPS columns from the first that may be inside the map.
    const std::int32_t column = taps[0].index > 0 ? taps[0].index : 0;
    const std::uint32_t first = line + (column < std::int32_t(c.a_width) ? std::uint32_t(column) : 0);
    for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
        if (lane >= lanes) continue;
        word_t words[BANKS];   // one read of every bank, whatever the taps
#pragma HLS ARRAY_PARTITION variable=words complete
        read_banks(memory[lane], first, words);
        for (std::uint32_t t = 0; t < READ_TAPS; ++t) {
#pragma HLS UNROLL
            const bool hit = row.hit && taps[t].hits(c.a_width);
            if (t < count)
                slices[lane][at + t] = hit ? words[(line + std::uint32_t(taps[t].index)) % BANKS] : word_t(0);
        }
    }
}

void find_kernel_rows(const Command& c, const Axis& axis, const RowWalk& walk, KernelRow rows[MAX_KERNEL]) {
    const std::int32_t kernel_h = std::int32_t(c.kernel_h);
    find_rows: for (std::uint32_t ky = 0; ky < MAX_KERNEL; ++ky) {
#pragma HLS PIPELINE II=1
        const Spot spot = moved(walk.top(), axis.distances[ky], axis.up);
        // Rows under a window are less than kernel_h rows from the first new one.
        std::int32_t slot = std::int32_t(walk.rows().slot) + spot.index - std::int32_t(walk.rows().first);
        if (slot < 0) slot += kernel_h;
        if (slot >= kernel_h) slot -= kernel_h;
        const bool hit = spot.hits(axis.extent);
        rows[ky] = KernelRow{hit, hit ? std::uint32_t(slot) : 0};
    }
}

void form_windows(
    const Command& c, const Plan& plan, const Job& job, const Axis& axis, const KernelRow rows[MAX_KERNEL],
    const lane_memory_t memory[LANES], std::uint32_t lanes, hls::stream<slice_t> a[LANES]) {
    static Spot next_chunk;   // where the windows of the row's next chunk go on
    word_t slices[LANES][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=slices complete dim=0
    const std::uint32_t elements = job_positions(c, plan, job) * std::uint32_t(plan.slices) * c.a_bits;
    Spot x = job.chunk == 0 ? axis.first : next_chunk;
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
            gather(c, axis, group, rows[group.ky], plane, x, count, filled, memory, lanes, slices);
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
            x = moved(x, axis.stride, axis.up);
        }
        start = group;
    }
    next_chunk = x;
}

}  // namespace cpt
