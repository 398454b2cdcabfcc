// MAP, take: puts the words of the operands' strips before the pixels they belong to.
#include "map_stages.hpp"

namespace cpt {

/// The words of a segment, of whichever operand is being taken in.
static void put_segment(
    std::uint32_t operand, std::uint32_t plane, std::uint32_t segment, const word_t words[SEGMENT_WORDS],
    map_memory_t& x0, map_memory_t& x1, map_memory_t& x2, map_mask_t& mask) {
#pragma HLS INLINE
    for (std::uint32_t i = 0; i < SEGMENT_WORDS; ++i) {
#pragma HLS UNROLL
        if (operand == TENSOR_X0) x0[plane][i][segment] = words[i];
        if (operand == TENSOR_X1) x1[plane][i][segment] = words[i];
        if (operand == TENSOR_X2) x2[plane][i][segment] = words[i];
        if (operand == TENSOR_MASK_IN) mask[0][i][segment] = words[i];
    }
}

/// One operand's strip. The master brings a beat a cycle, whichever operand's: one place that turns beats into segments
/// is enough for all of them.
static void take_strip(
    const MapPlan& plan, const strip_t& strip, std::uint32_t operand, hls::stream<words_t>& beats, map_memory_t& x0,
    map_memory_t& x1, map_memory_t& x2, map_mask_t& mask) {
    const map_tensor_t& tensor = plan.tensors[operand];
    std::uint32_t plane = 0, row_segment = 0;   // of the line: its plane, and the first segment of its row
    for (std::uint32_t run = 0; run < strip.runs; ++run) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=1
        // The last two beats: they hold every word of a segment, which is not longer than a beat.
        word_t window[2 * BEAT_WORDS] = {};
#pragma HLS ARRAY_PARTITION variable=window complete
        const std::uint32_t address = strip.address + run * strip.stride;
        std::uint32_t at = address % BUS_BYTES / 2;   // of the next word, counted from the first beat
        std::uint32_t taken = 0;                      // words of the beats taken so far
        std::uint32_t line = 0, x = 0;
        map_segments: while (line < strip.lines) {
            // A beat in and a segment out in the same cycle; the first segment may need two beats.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=256
            const std::uint32_t count = min_of(SEGMENT_WORDS, strip.words - x);
            const bool needs = taken < at + count;
            if (needs) {
                const words_t beat = beats.read();
                for (std::uint32_t i = 0; i < BEAT_WORDS; ++i) {
#pragma HLS UNROLL
                    window[i] = window[BEAT_WORDS + i];
                    window[BEAT_WORDS + i] = beat.word[i];
                }
                taken += BEAT_WORDS;
            }
            if (taken < at + count) continue;
            const std::uint32_t offset = at + 2 * BEAT_WORDS - taken;   // of the segment's first word in the window
            word_t words[SEGMENT_WORDS];
#pragma HLS ARRAY_PARTITION variable=words complete
            for (std::uint32_t i = 0; i < SEGMENT_WORDS; ++i) {
#pragma HLS UNROLL
                words[i] = window[(offset + i) % (2 * BEAT_WORDS)];
            }
            put_segment(operand, plane, row_segment + x / SEGMENT_WORDS, words, x0, x1, x2, mask);
            at += count;
            x += count;
            if (x < strip.words) continue;
            x = 0;
            ++line;
            if (++plane < tensor.bits) continue;
            plane = 0;
            row_segment += plan.row_segments;
        }
    }
}

void map_take(
    const MapCommand& command, const MapPlan& plan, std::uint32_t index, hls::stream<words_t>& beats, map_memory_t& x0,
    map_memory_t& x1, map_memory_t& x2, map_mask_t& mask) {
    static MapJob job;
    job = next_map_job(command, plan, index, job);
    for (std::uint32_t operand = 0; operand < MAP_OPERANDS; ++operand) {
        if (plan.tensors[operand].bits == 0) continue;
        const strip_t strip = strip_of(command, plan, job, plan.tensors[operand]);
        take_strip(plan, strip, operand, beats, x0, x1, x2, mask);
    }
}

}  // namespace cpt
