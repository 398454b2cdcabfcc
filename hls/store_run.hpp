// Runs of consecutive bytes on their way to memory: words become beats, and no byte but theirs is written.
#pragma once

#include "memory.hpp"

namespace cpt {

/// The beat that is being filled, and where it goes.
struct Run {
    address_t address;      // of the next word
    std::uint64_t strobe;   // bytes of the beat that are filled
    words_t beat;
    std::uint32_t in_flight;
};

inline void begin(Run& run, address_t address, std::uint32_t words, port_t& stores) {
    if (run.in_flight == RUNS_IN_FLIGHT) {
        await_write(stores);
        --run.in_flight;
    }
    request_write(stores, address, beats_of(address % BUS_BYTES / 2 + words));
    ++run.in_flight;
    run.address = address;
    run.strobe = 0;
}

/// Puts those of the words that belong to the beat in their place; word 0 has place `first`, which may be below 0.
inline void fill(
    Run& run, const word_t words[STORE_WORDS], std::uint32_t count, std::uint32_t first, std::uint32_t bytes) {
#pragma HLS INLINE
    for (std::uint32_t place = 0; place < BEAT_WORDS; ++place) {
#pragma HLS UNROLL
        const std::uint32_t number = place - first;
        if (number < count) {
            run.beat.word[place] = words[number % STORE_WORDS];
            run.strobe |= std::uint64_t(bytes) << (2 * place);
        }
    }
}

/// Adds `count` words to the run and writes the beat if it is full or the run ends; `bytes` says which of a word's two
/// bytes are written. True when the run has ended and some words are left, which `flush` writes.
inline bool append(
    Run& run, const word_t words[STORE_WORDS], std::uint32_t count, std::uint32_t bytes, bool last, port_t& stores) {
#pragma HLS INLINE
    const std::uint32_t first = run.address % BUS_BYTES / 2;
    fill(run, words, count, first, bytes);
    if (first + count >= BEAT_WORDS || last) {
        write_beat(stores, run.address, run.beat, run.strobe);
        run.strobe = 0;
        fill(run, words, count, first - BEAT_WORDS, bytes);
    }
    run.address += 2 * count;
    return last && run.strobe != 0;
}

inline void flush(Run& run, port_t& stores) {
#pragma HLS INLINE
    write_beat(stores, run.address - 2, run.beat, run.strobe);
    run.strobe = 0;
}

/// `append`, and `flush` where that is needed.
inline void put(
    Run& run, const word_t words[STORE_WORDS], std::uint32_t count, std::uint32_t bytes, bool last, port_t& stores) {
#pragma HLS INLINE
    if (append(run, words, count, bytes, last, stores)) flush(run, stores);
}

/// Waits for the answers to all runs.
inline void end_runs(Run& run, port_t& stores) {
    for (; run.in_flight > 0; --run.in_flight) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=8
        await_write(stores);
    }
}

}  // namespace cpt
