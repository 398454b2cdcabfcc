// Lines of 64 bytes, as blocks are made of (contract, section 7), between memory and arrays of 32-bit words on chip.
#pragma once

#include "memory.hpp"

namespace cpt {

constexpr std::uint32_t LINE_BYTES = TENSOR_ALIGNMENT;
constexpr std::uint32_t LINE_WORDS = LINE_BYTES / 4;
constexpr std::uint32_t LINE_BEATS = LINE_BYTES / BUS_BYTES;
static_assert(LINE_BYTES % BUS_BYTES == 0 && BEAT_WORDS % 2 == 0, "a line is whole beats, a beat whole numbers");

/// `lines` lines from `address` on, a multiple of 64.
inline void read_lines(port_t& loads, address_t address, std::uint32_t lines, std::uint32_t words[]) {
#pragma HLS INLINE off
    request_read(loads, PORT_LOADS, address, lines * LINE_BEATS);
    read_line_beats: for (std::uint32_t number = 0; number < lines * LINE_BEATS; ++number) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        const words_t beat = read_beat(loads, PORT_LOADS);
        for (std::uint32_t i = 0; i < BEAT_WORDS; i += 2) {
#pragma HLS UNROLL
            words[(number * BEAT_WORDS + i) / 2] = beat.word[i] | std::uint32_t(beat.word[i + 1]) << 16;
        }
    }
}

/// Which bytes of lines are written: those that `bytes` names of each half line, of the first `halves` halves.
struct strobes_t {
    std::uint32_t bytes;
    std::uint32_t halves;
};
constexpr strobes_t WHOLE_LINES = {0xFFFFFFFF, 0xFFFFFFFF};
constexpr strobes_t NO_BYTE = {0, 0};

/// Writes lines and waits for the answer; not after a bus error.
inline void write_lines(
    port_t& stores, volatile const ap_uint<2>* bus_errors, address_t address, std::uint32_t lines,
    const std::uint32_t words[], const strobes_t& strobes = WHOLE_LINES) {
#pragma HLS INLINE off
    const ap_uint<2> errors = *bus_errors;
    if (errors != 0) return;
    request_write(stores, address, lines * LINE_BEATS);
    write_line_beats: for (std::uint32_t number = 0; number < lines * LINE_BEATS; ++number) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        words_t beat;
        ap_uint<LINE_BYTES> strobe = 0;   // of a line, of which a beat may be a part
        const std::uint32_t line = number / LINE_BEATS;
        if (2 * line < strobes.halves) strobe(LINE_BYTES / 2 - 1, 0) = strobes.bytes;
        if (2 * line + 1 < strobes.halves) strobe(LINE_BYTES - 1, LINE_BYTES / 2) = strobes.bytes;
        for (std::uint32_t i = 0; i < BEAT_WORDS; ++i) {
#pragma HLS UNROLL
            beat.word[i] = word_t(words[(number * BEAT_WORDS + i) / 2] >> (i % 2 * 16));
        }
        const ap_uint<LINE_BYTES> part = strobe >> (number % LINE_BEATS * BUS_BYTES);
        write_beat(stores, address + std::uint64_t(number) * BUS_BYTES, beat, std::uint64_t(part));
    }
    await_write(stores);
}

/// Asks whether there is memory at `address` by a write of no byte.
inline void touch(port_t& stores, volatile const ap_uint<2>* bus_errors, address_t address) {
    const std::uint32_t nothing[LINE_WORDS] = {};
    write_lines(stores, bus_errors, address, 1, nothing, NO_BYTE);
}

}  // namespace cpt
