// Tallies: what a pass leaves of each channel for the scalar unit. Sums of integers, so their order does not matter.
#pragma once

#include "lines.hpp"

namespace cpt {

typedef ap_int<TALLY_CODE_BITS> code_t;   // a code of any width and sign

struct tally_t {
    ap_int<TALLY_SUM_BITS> sum;
    ap_int<TALLY_SECOND_BITS> second;
    code_t least;
    code_t most;
};

/// Of no value yet.
inline tally_t empty_tally() {
    const code_t greatest = (1 << (TALLY_CODE_BITS - 1)) - 1;
    return tally_t{0, 0, greatest, code_t(-greatest - 1)};
}

inline void add_to(tally_t& tally, const code_t& value, const code_t& other) {
#pragma HLS INLINE
    tally.sum += value;
    tally.second += value * other;
    if (value < tally.least) tally.least = value;
    if (value > tally.most) tally.most = value;
}

/// Writes the records of a block of channels; with the first one, the header. `address` is the TALLY block's.
inline void store_tallies(
    const tally_t tallies[BLOCK], std::uint32_t block, std::uint32_t blocks, std::uint32_t count, address_t address,
    port_t& stores, volatile const ap_uint<2>* bus_errors) {
    constexpr std::uint32_t record_words = TALLY_RECORD_BYTES / 4;
    std::uint32_t words[BLOCK * record_words];
    for (std::uint32_t channel = 0; channel < BLOCK; ++channel) {
        std::uint32_t* const record = words + channel * record_words;
        const tally_t& tally = tallies[channel];
        const std::uint64_t sum = std::uint64_t(std::int64_t(tally.sum));
        const std::uint64_t second = std::uint64_t(std::int64_t(tally.second));
        for (std::uint32_t i = 0; i < record_words; ++i) {
#pragma HLS UNROLL
            record[i] = 0;
        }
        record[TALLY_RECORD_SUM / 4] = std::uint32_t(sum);
        record[TALLY_RECORD_SUM / 4 + 1] = std::uint32_t(sum >> 32);
        record[TALLY_RECORD_SECOND / 4] = std::uint32_t(second);
        record[TALLY_RECORD_SECOND / 4 + 1] = std::uint32_t(second >> 32);
        record[TALLY_RECORD_LEAST / 4] = std::uint32_t(std::int32_t(tally.least));
        record[TALLY_RECORD_MOST / 4] = std::uint32_t(std::int32_t(tally.most));
    }
    if (block == 0) {
        std::uint32_t header[LINE_WORDS] = {};
        header[HEADER_KIND / 4] = BLOCK_TALLY;
        header[HEADER_CHANNELS / 4] = blocks * BLOCK;
        header[TALLY_HEADER_COUNT / 4] = count;
        write_lines(stores, bus_errors, address, 1, header);
    }
    constexpr std::uint32_t lines = BLOCK * TALLY_RECORD_BYTES / LINE_BYTES;
    write_lines(stores, bus_errors, address + (1 + std::uint64_t(block) * lines) * LINE_BYTES, lines, words);
}

}  // namespace cpt
