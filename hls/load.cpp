// Load: reads the operands of a job from memory, as runs of words in the order in which the next stages take them.
#include "load.hpp"

namespace cpt {

void load(
    const Command& command, const Plan& plan, std::uint32_t index, address_t base, port_t& loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    static Job job;
    job = next_job(plan, index, job);
    if (plan.shared) {
        load_strips(command, plan, index, job, base, loads, runs, beats);
    } else if (plan.wgrad) {
        load_wgrad(command, plan, job, base, loads, runs, beats);
    } else {
        load_conv(command, plan, job, base, loads, runs, beats);
    }
    runs.write(run_t{0, 0, 0, 1, 0, 0, false, true});
}

}  // namespace cpt
