// A command: its fields, how they lie in its 32 words, and which of their bits are reserved.
#pragma once

#include "contract.hpp"

namespace cpt {

/// `width` ones from bit `lsb` on.
constexpr std::uint32_t field_mask(std::uint32_t lsb, std::uint32_t width) {
    return (width == 32 ? 0xFFFFFFFFu : (1u << width) - 1) << lsb;
}

// For the lists of fields: takes a field from the words of a command, and covers its bits of one word.
#define CPT_DECODE(TABLE, name, NAME)                                                                               \
    command.name = (words[TABLE##_##NAME##_WORD] & field_mask(TABLE##_##NAME##_LSB, TABLE##_##NAME##_WIDTH))        \
                   >> TABLE##_##NAME##_LSB;
#define CPT_COVER(TABLE, name, NAME)                                                                                \
    | (TABLE##_##NAME##_WORD == word ? field_mask(TABLE##_##NAME##_LSB, TABLE##_##NAME##_WIDTH) : 0)

/// A decoded command; `sim/contract/CONTRACT.md` section 3 says what the fields mean.
struct Command {
#define CPT_MEMBER(TABLE, name, NAME) std::uint32_t name;
    CPT_FIELDS(CPT_MEMBER)
#undef CPT_MEMBER
    static constexpr std::uint32_t DEFINED = DEFINED_FLAGS;
    static constexpr std::uint32_t field_bits(std::uint32_t word) { return 0 CPT_FIELDS(CPT_COVER); }

    bool flag(std::uint32_t number) const { return (flags >> number) & 1; }
    bool is_wgrad() const { return opcode == OPCODE_WGRAD; }
    bool is_planes() const { return out_format == FORMAT_PLANES; }
    bool is_requantised() const { return out_format == FORMAT_INT16 || out_format == FORMAT_PLANES; }
    std::uint32_t taps() const { return kernel_h * kernel_w; }
};

inline Command decode(const std::uint32_t words[COMMAND_WORDS]) {
    Command command;
    CPT_FIELDS(CPT_DECODE)
    return command;
}

/// True when no bit is set that belongs to no field, and no flag that has no meaning.
template <typename Kind>
bool reserved_bits_clear(const std::uint32_t words[COMMAND_WORDS], const Kind& command) {
    bool clear = (command.flags & ~Kind::DEFINED) == 0;
    for (std::uint32_t word = 0; word < COMMAND_WORDS; ++word) {
#pragma HLS UNROLL
        clear &= (words[word] & ~Kind::field_bits(word)) == 0;
    }
    return clear;
}

}  // namespace cpt
