// MAP, store: the planes of the results, in the order in which they lie in memory, and a block's tally.
#include "../store_run.hpp"
#include "limits.hpp"
#include "map_stages.hpp"

namespace cpt {

template <std::uint32_t PLANES>
static void store_strip(
    const MapPlan& plan, const map_tensor_t& tensor, const strip_t& strip, address_t base,
    const word_t (&memory)[PLANES][SEGMENT_WORDS][STRIP_SEGMENTS], Run& out, port_t& stores) {
    std::uint32_t plane = 0, row_segment = 0;   // of the line: its plane, and the first segment of its row
    for (std::uint32_t run = 0; run < strip.runs; ++run) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=1
        begin(out, base + strip.address + run * strip.stride, strip.lines * strip.words, stores);
        std::uint32_t line = 0, x = 0;
        while (line < strip.lines) {
            // As fast as the port allows: a segment can end one beat and fill the run's last one, which are two writes.
#pragma HLS PIPELINE
#pragma HLS LOOP_TRIPCOUNT min=1 max=256
            word_t words[STORE_WORDS] = {};
            for (std::uint32_t i = 0; i < SEGMENT_WORDS; ++i) {
#pragma HLS UNROLL
                words[i] = memory[plane][i][row_segment + x / SEGMENT_WORDS];
            }
            const std::uint32_t count = min_of(SEGMENT_WORDS, strip.words - x);
            const bool ends = x + count == strip.words;
            put(out, words, count, 3, ends && line + 1 == strip.lines, stores);
            x += count;
            if (!ends) continue;
            x = 0;
            ++line;
            if (++plane < tensor.bits) continue;
            plane = 0;
            row_segment += plan.row_segments;
        }
    }
}

void map_store(
    const MapCommand& c, const MapPlan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, port_t& stores, const map_memory_t& out0, const map_memory_t& out1,
    const map_mask_t& mask_out, const tally_t tallies[BLOCK]) {
    static MapJob job;
    job = next_map_job(c, plan, index, job);
    const ap_uint<2> errors = *bus_errors;
    if (errors != 0) return;
    Run run = {};
    const map_tensor_t& first = plan.tensors[TENSOR_OUT0];
    const map_tensor_t& second = plan.tensors[TENSOR_OUT1];
    const map_tensor_t& third = plan.tensors[TENSOR_MASK_OUT];
    if (first.bits != 0) store_strip(plan, first, strip_of(c, plan, job, first), base, out0, run, stores);
    if (second.bits != 0) store_strip(plan, second, strip_of(c, plan, job, second), base, out1, run, stores);
    if (third.bits != 0) store_strip(plan, third, strip_of(c, plan, job, third), base, mask_out, run, stores);
    end_runs(run, stores);
    if (c.flag(MAP_FLAG_TALLY) && job.ends_block(c, plan)) {
        const std::uint32_t count = std::uint32_t(pixels_of(c));
        store_tallies(tallies, job.block, c.blocks, count, base + c.tally_addr, stores, bus_errors);
    }
}

}  // namespace cpt
