// MAP, take: puts the words of one operand's strip before the pixels they belong to.
#pragma once

#include "map_stages.hpp"

namespace cpt {

/// A function of its own for each operand, so that each counts its strips.
template <std::uint32_t OPERAND, std::uint32_t PLANES>
void map_take(
    const MapCommand& command, const MapPlan& plan, std::uint32_t index, hls::stream<words_t>& beats,
    word_t (&memory)[PLANES][SEGMENT_WORDS][STRIP_SEGMENTS]) {
    static MapJob job;
    const map_tensor_t& tensor = plan.tensors[OPERAND];
    job = next_map_job(command, plan, index, job);
    if (tensor.bits == 0) return;
    const strip_t strip = strip_of(command, plan, job, tensor);
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
            for (std::uint32_t i = 0; i < SEGMENT_WORDS; ++i) {
#pragma HLS UNROLL
                memory[plane][i][row_segment + x / SEGMENT_WORDS] = window[(offset + i) % (2 * BEAT_WORDS)];
            }
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

}  // namespace cpt
