// MAP, load: strips of the operands, in bursts as long as they lie in one piece, and the coefficients of a block.
#include "map_stages.hpp"

namespace cpt {

static coefficient_t coefficient_at(const std::uint32_t words[], std::uint32_t channel) {
    const std::uint32_t at = channel * COEFFICIENTS_RECORD_BYTES / 4;
    const std::uint64_t low = words[at + COEFFICIENTS_RECORD_B / 4];
    const std::uint64_t high = words[at + COEFFICIENTS_RECORD_B / 4 + 1];
    return coefficient_t{words[at + COEFFICIENTS_RECORD_A / 4], words[at + COEFFICIENTS_RECORD_C / 4],
                         accumulator_t(high << 32 | low)};
}

static void load_coefficients(
    const MapCommand& c, const MapJob& job, address_t base, port_t& loads,
    hls::stream<coefficient_t>& coefficients) {
    constexpr std::uint32_t lines = BLOCK * COEFFICIENTS_RECORD_BYTES / LINE_BYTES;
    std::uint32_t words[lines * LINE_WORDS];
    read_lines(loads, base + c.coefficients_addr + (1 + job.block * lines) * LINE_BYTES, lines, words);
    for (std::uint32_t channel = 0; channel < BLOCK; ++channel) {
        coefficients.write(coefficient_at(words, channel));
    }
}

static void load_strip(const strip_t& strip, address_t base, port_t& loads, hls::stream<words_t>& beats) {
    for (std::uint32_t run = 0; run < strip.runs; ++run) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=1
        const address_t address = base + strip.address + run * strip.stride;
        const std::uint32_t count = beats_of(address % BUS_BYTES / 2 + strip.lines * strip.words);
        request_read(loads, PORT_LOADS, address, count);
        map_beats: for (std::uint32_t number = 0; number < count; ++number) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
            beats.write(read_beat(loads, PORT_LOADS));
        }
    }
}

void map_load(
    const MapCommand& command, const MapPlan& plan, std::uint32_t index, address_t base, port_t& loads,
    hls::stream<words_t>& beats, hls::stream<coefficient_t>& coefficients) {
    static MapJob job;
    job = next_map_job(command, plan, index, job);
    if (job.starts_block() && command.out0_bits != 0) load_coefficients(command, job, base, loads, coefficients);
    for (std::uint32_t operand = 0; operand < MAP_OPERANDS; ++operand) {
        if (plan.tensors[operand].bits == 0) continue;
        load_strip(strip_of(command, plan, job, plan.tensors[operand]), base, loads, beats);
    }
}

}  // namespace cpt
