// Form lanes: keeps what the lanes need of A and forms their K-slices, all lanes in lock step.
#include "form_lanes.hpp"

namespace cpt {

void form_lanes(
    const Command& command, const Plan& plan, std::uint32_t index, hls::stream<packet_t> lane_feed[LANES],
    hls::stream<slice_t> a[LANES]) {
    static Job job;
    static lane_memory_t memory[LANES];
    // Every lane reads in every cycle, and every bank of it; block RAM, as the zc706 has 12288 words in each.
#pragma HLS ARRAY_PARTITION variable=memory complete dim=1
#pragma HLS ARRAY_PARTITION variable=memory complete dim=2
#pragma HLS BIND_STORAGE variable=memory type=ram_s2p impl=bram
    job = next_job(plan, index, job);
    const std::uint32_t lanes = active_lanes(plan, job);
    if (!plan.wgrad) {
        if (job.chunk == 0) take_rows(command, job, lanes, lane_feed, memory);
        form_windows(command, plan, job, memory, lanes, a);
        return;
    }
    const std::uint32_t units = unit_count(plan, job);
    const std::uint32_t slices = job_slices(plan, job);
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        take_slice(command, units, lane_feed, memory);
        form_transposed(command, job, memory, units, lanes, a);
    }
}

}  // namespace cpt
