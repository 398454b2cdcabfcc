// K-slices inside the stages: plain arrays, which the tool partitions into registers, and their way through streams.
#pragma once

#include "types.hpp"

namespace cpt {

inline void put_slice(hls::stream<slice_t>& stream, const word_t slice[SLICE_GROUPS]) {
#pragma HLS INLINE
    slice_t element;
    for (std::uint32_t group = 0; group < SLICE_GROUPS; ++group) {
#pragma HLS UNROLL
        element.group[group] = slice[group];
    }
    stream.write(element);
}

inline void get_slice(hls::stream<slice_t>& stream, word_t slice[SLICE_GROUPS]) {
#pragma HLS INLINE
    const slice_t element = stream.read();
    for (std::uint32_t group = 0; group < SLICE_GROUPS; ++group) {
#pragma HLS UNROLL
        slice[group] = element.group[group];
    }
}

/// Words that are pixels of 16 channels each, seen from one channel: bit i is the channel's bit of pixel i.
inline word_t transposed(const word_t pixels[BANKS], std::uint32_t channel) {
#pragma HLS INLINE
    word_t bits = 0;
    for (std::uint32_t i = 0; i < BANKS; ++i) {
#pragma HLS UNROLL
        bits |= ((pixels[i] >> channel) & 1) << i;
    }
    return bits;
}

/// Puts the bits of pixels `at` .. `at + BANKS - 1` of a slice in their place, in order of `at`.
inline void add_pixels(word_t slice[SLICE_GROUPS], std::uint32_t at, word_t bits) {
#pragma HLS INLINE
    const std::uint32_t group = at / BLOCK;
    slice[group] = at % BLOCK == 0 ? bits : word_t(slice[group] | bits << at % BLOCK);
}

}  // namespace cpt
