// Lines of master weights: 16 words of one input channel and one tap, for 16 output channels.
#pragma once

#include "../lines.hpp"
#include "bundles.hpp"

namespace cpt {

struct line_t {
    std::uint32_t word[LINE_WORDS];
};

/// Words of a line that are worked on in a cycle: a multiplication of 48 x 25 or 32 x 24 bits takes several DSPs, and
/// all weights of a layer are few beside its maps.
constexpr std::uint32_t WEIGHT_LANES = 2;
constexpr std::uint32_t LINE_PARTS = LINE_WORDS / WEIGHT_LANES;

/// Reads `count` lines into a stream, in one burst.
inline void send_lines(port_t& loads, address_t address, std::uint32_t count, hls::stream<line_t>& lines) {
#pragma HLS INLINE off
    request_read(loads, PORT_LOADS, address, count * LINE_BEATS);
    line_t line = {};
    weight_line_beats: for (std::uint32_t number = 0; number < count * LINE_BEATS; ++number) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        const words_t beat = read_beat(loads, PORT_LOADS);
        const std::uint32_t part = number % LINE_BEATS;
        for (std::uint32_t i = 0; i < LINE_WORDS; ++i) {
#pragma HLS UNROLL
            const std::uint32_t at = 2 * i % BEAT_WORDS;
            if (2 * i / BEAT_WORDS == part) line.word[i] = beat.word[at] | std::uint32_t(beat.word[at + 1]) << 16;
        }
        if (part + 1 == LINE_BEATS) lines.write(line);
    }
}

/// |w|, at most 2^31 - 1.
inline std::uint32_t size_of(std::int32_t w) {
#pragma HLS INLINE
    return w == INT32_MIN ? INT32_MAX : w < 0 ? std::uint32_t(-w) : std::uint32_t(w);
}

}  // namespace cpt
