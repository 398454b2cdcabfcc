// The only ways to external memory: bursts of beats in, bursts of beats out with byte enables.
#pragma once

#include "types.hpp"

#ifndef __SYNTHESIS__
#include "simulation.hpp"

#include <cstring>
#endif

// Vitis' manual bursts: reads are requested before they are needed, which hides the memory's latency, and writes have
// byte enables, so a beat that a result fills in part needs no read before the write. The header comes with Vitis only;
// plain g++ has a pointer in its place and never dereferences it.
#if __has_include(<hls_burst_maxi.h>)
#include <hls_burst_maxi.h>
namespace cpt {
typedef hls::burst_maxi<beat_t> port_t;
}
#else
namespace cpt {
typedef beat_t* port_t;
}
#endif

namespace cpt {

/// The error that bus responses since the start of the list come to.
inline std::uint32_t bus_error(volatile const ap_uint<2>* bus_errors) {
#pragma HLS INLINE
    const ap_uint<2> errors = *bus_errors;
    return errors[0] ? ERROR_READ_BUS : errors[1] ? ERROR_WRITE_BUS : ERROR_OK;
}

/// Asks for `beats` consecutive beats, from the one with the byte at `address` on; each is taken by a `read_beat`.
inline void request_read(port_t& port, Port which, address_t address, std::uint32_t beats) {
#pragma HLS INLINE
#ifdef __SYNTHESIS__
    (void)which;
    port.read_request(address / BUS_BYTES, beats);
#else
    (void)port;
    simulation::connection().request_read(which, address / BUS_BYTES * BUS_BYTES, beats);
#endif
}

/// The next beat of those asked for.
inline words_t read_beat(port_t& port, Port which) {
#pragma HLS INLINE
    words_t words;
#ifdef __SYNTHESIS__
    (void)which;
    const beat_t beat = port.read();
    for (std::uint32_t i = 0; i < BEAT_WORDS; ++i) {
#pragma HLS UNROLL
        words.word[i] = beat.range(16 * i + 15, 16 * i);
    }
#else
    (void)port;
    std::uint8_t bytes[BUS_BYTES] = {};
    simulation::connection().read_beat(which, bytes);
    std::memcpy(words.word, bytes, BUS_BYTES);
#endif
    return words;
}

/// Announces `beats` consecutive beats of writes, each followed by its `write_beat`.
inline void request_write(port_t& port, address_t address, std::uint32_t beats) {
#pragma HLS INLINE
#ifdef __SYNTHESIS__
    port.write_request(address / BUS_BYTES, beats);
#else
    (void)port;
    simulation::connection().bus->request(PORT_STORES, address, beats);
#endif
}

/// Writes the bytes of the beat at `address` that `strobe` names.
inline void write_beat(port_t& port, address_t address, const words_t& words, std::uint64_t strobe) {
#pragma HLS INLINE
#ifdef __SYNTHESIS__
    (void)address;
    beat_t beat;
    for (std::uint32_t i = 0; i < BEAT_WORDS; ++i) {
#pragma HLS UNROLL
        beat.range(16 * i + 15, 16 * i) = words.word[i];
    }
    port.write(beat, ap_int<BUS_BYTES>(strobe));
#else
    (void)port;
    std::uint8_t bytes[BUS_BYTES];
    std::memcpy(bytes, words.word, BUS_BYTES);
    simulation::Connection& line = simulation::connection();
    if (!line.bus->write(PORT_STORES, address / BUS_BYTES * BUS_BYTES, bytes, strobe)) line.errors[1] = true;
#endif
}

/// Waits for the answer to the oldest `request_write` that has not been waited for.
inline void await_write(port_t& port) {
#pragma HLS INLINE
#ifdef __SYNTHESIS__
    port.write_response();
#else
    (void)port;
    simulation::connection().bus->await(PORT_STORES);
#endif
}

}  // namespace cpt
