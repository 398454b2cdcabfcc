// A memory of words in BANKS banks: any BANKS consecutive words are reached in one cycle.
#pragma once

#include "types.hpp"

namespace cpt {

/// Rows of a bank when the memory holds `words` words.
constexpr std::uint32_t bank_rows(std::uint32_t words) { return (words + BANKS - 1) / BANKS; }

/// The row of `bank` that holds the first word at or after `address` in this bank.
inline std::uint32_t bank_row(std::uint32_t address, std::uint32_t bank) {
    return address / BANKS + (bank < address % BANKS ? 1 : 0);
}

/// The BANKS words from `address` on, each at the index of its bank; what lies past the end is undefined.
template <std::uint32_t ROWS>
inline void read_banks(const word_t (&memory)[BANKS][ROWS], std::uint32_t address, word_t words[BANKS]) {
#pragma HLS INLINE
    for (std::uint32_t bank = 0; bank < BANKS; ++bank) {
#pragma HLS UNROLL
        const std::uint32_t row = bank_row(address, bank);
        words[bank] = memory[bank][row < ROWS ? row : 0];
    }
}

/// The words that `read_banks` found, in the order of their addresses: two small multiplexers a bit, one after the
/// other, where an index for each word would make one of BANKS inputs.
inline void in_order(const word_t banks[BANKS], std::uint32_t address, word_t words[BANKS]) {
#pragma HLS INLINE
    word_t turned[BANKS];
#pragma HLS ARRAY_PARTITION variable=turned complete
    for (std::uint32_t i = 0; i < BANKS; ++i) {
#pragma HLS UNROLL
        turned[i] = banks[(i + address / 4 * 4) % BANKS];
    }
    for (std::uint32_t i = 0; i < BANKS; ++i) {
#pragma HLS UNROLL
        words[i] = turned[(i + address % 4) % BANKS];
    }
}

template <std::uint32_t ROWS>
inline void write_packet(word_t (&memory)[BANKS][ROWS], const packet_t& packet) {
#pragma HLS INLINE
    for (std::uint32_t bank = 0; bank < BANKS; ++bank) {
#pragma HLS UNROLL
        if ((bank - packet.first) % BANKS < packet.count) {
            memory[bank][bank_row(packet.first, bank)] = packet.bank[bank];
        }
    }
}

}  // namespace cpt
