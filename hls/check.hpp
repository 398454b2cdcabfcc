// The contract's checks (section 11) and the byte ranges of a command's tensors that they judge.
#pragma once

#include "command.hpp"

namespace cpt {

/// The bytes [begin, end) of a tensor, gaps between its tiles included. 64 bits hold every end.
struct Extent {
    std::uint64_t begin;
    std::uint64_t end;
    bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
};

struct Extents {
    Extent a;
    Extent b;
    Extent out;
    Extent sums;    // empty without ROW_SUMS
    Extent tally;   // empty without STATS
    std::uint64_t out_tile;
    std::uint32_t out_images;
};

Extents extents_of(const Command& command);

/// Bytes of a block with records for this many channels: whole lines of 64 bytes.
constexpr std::uint64_t block_bytes(std::uint32_t channels, std::uint32_t record_bytes) {
    return TENSOR_ALIGNMENT
        + (std::uint64_t(channels) * record_bytes + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
}

/// Judges the registers that start a list.
std::uint32_t check_list(
    std::uint64_t mem_base, std::uint32_t mem_bytes, std::uint32_t list_offset, std::uint32_t list_bytes);

/// Judges a command; the first check that fails names the error.
std::uint32_t check_command(
    const std::uint32_t words[COMMAND_WORDS], const Command& command, std::uint32_t mem_bytes, const Extent& list);

}  // namespace cpt
