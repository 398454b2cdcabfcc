// A command: its fields, how they lie in its 32 words, and which of their bits are reserved.
#pragma once

#include "contract.hpp"

namespace cpt {

/// A decoded command; `sim/contract/CONTRACT.md` section 3 says what the fields mean.
struct Command {
#define CPT_MEMBER(name, NAME) std::uint32_t name;
    CPT_FIELDS(CPT_MEMBER)
#undef CPT_MEMBER

    bool flag(std::uint32_t number) const { return (flags >> number) & 1; }
    bool is_wgrad() const { return opcode == OPCODE_WGRAD; }
    bool is_planes() const { return out_format == FORMAT_PLANES; }
    bool is_requantised() const { return out_format == FORMAT_INT16 || out_format == FORMAT_PLANES; }
    std::uint32_t taps() const { return kernel_h * kernel_w; }
};

/// `width` ones from bit `lsb` on.
constexpr std::uint32_t field_mask(std::uint32_t lsb, std::uint32_t width) {
    return (width == 32 ? 0xFFFFFFFFu : (1u << width) - 1) << lsb;
}

inline Command decode(const std::uint32_t words[COMMAND_WORDS]) {
    Command command;
#define CPT_DECODE(name, NAME)                                                                                      \
    command.name =                                                                                                  \
        (words[FIELD_##NAME##_WORD] & field_mask(FIELD_##NAME##_LSB, FIELD_##NAME##_WIDTH)) >> FIELD_##NAME##_LSB;
    CPT_FIELDS(CPT_DECODE)
#undef CPT_DECODE
    return command;
}

/// The bits of a command's word that belong to a field.
constexpr std::uint32_t field_bits(std::uint32_t word) {
#define CPT_COVER(name, NAME)                                                                                       \
    | (FIELD_##NAME##_WORD == word ? field_mask(FIELD_##NAME##_LSB, FIELD_##NAME##_WIDTH) : 0)
    return 0 CPT_FIELDS(CPT_COVER);
#undef CPT_COVER
}

}  // namespace cpt
