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
    if (lanes == 0) return;
    if (!plan.wgrad) {
        static Axis vertical, horizontal;
        static RowWalk walk;
        static KernelRow kernel_rows[MAX_KERNEL];
        if (job.starts_command()) {
            vertical = row_axis(command, plan.bands);
            horizontal = column_axis(command);
        }
        if (job.chunk == 0) {
            walk.go_to(command, vertical, job.row);
            find_kernel_rows(command, vertical, walk, kernel_rows);
            take_rows(command, walk.rows(), lanes, lane_feed, memory);
        }
        form_windows(command, plan, job, horizontal, kernel_rows, memory, lanes, a);
        return;
    }
    const std::uint32_t job_slice_count = job_slices(command, plan, job);
    if (plan.shared) {
        static std::uint32_t half;   // that holds the job's strip
        const Strip strip = strip_of(command, plan, job);
        if (job.starts_command()) {
            half = 0;
            take_strip(a_intake(command, plan, strip), lane_feed, memory);
        }
        Intake next = {{0, 0}};
        if (has_next(plan, index)) {
            next = a_intake(command, plan, strip_of(command, plan, next_job(plan, index + 1, job)));
        }
        form_strip(command, plan, strip, job_slice_count, half, next, lane_feed, memory, a);
        half ^= 1;
        return;
    }
    const std::uint32_t units = unit_count(plan, job);
    for (std::uint32_t slice = 0; slice < job_slice_count; ++slice) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        take_slice(command, units, lane_feed, memory);
        form_transposed(command, memory, units, lanes, a);
    }
}

}  // namespace cpt
