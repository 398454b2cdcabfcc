// A command: its fields, how they lie in its 32 words, and which of their bits are reserved.
#pragma once

#include "contract.hpp"

namespace cpt {

// Every field of the contract's table: name here, name in contract.hpp.
#define CPT_FIELDS(X)                                                                                               \
    X(opcode, OPCODE) X(a_bits, A_BITS) X(b_bits, B_BITS) X(out_bits, OUT_BITS) X(flags, FLAGS)                     \
    X(out_format, OUT_FORMAT) X(shift, SHIFT) X(tag, TAG) X(images, IMAGES) X(a_blocks, A_BLOCKS)                   \
    X(y_blocks, Y_BLOCKS) X(a_height, A_HEIGHT) X(a_width, A_WIDTH) X(y_height, Y_HEIGHT) X(y_width, Y_WIDTH)       \
    X(kernel_h, KERNEL_H) X(kernel_w, KERNEL_W) X(stride_y, STRIDE_Y) X(stride_x, STRIDE_X) X(up_y, UP_Y)           \
    X(up_x, UP_X) X(pad_top, PAD_TOP) X(pad_left, PAD_LEFT) X(pad_bottom, PAD_BOTTOM) X(pad_right, PAD_RIGHT)       \
    X(a_addr, A_ADDR) X(a_image_stride, A_IMAGE_STRIDE) X(a_block_stride, A_BLOCK_STRIDE)                           \
    X(b_addr, B_ADDR) X(b_image_stride, B_IMAGE_STRIDE) X(b_block_stride, B_BLOCK_STRIDE)                           \
    X(out_addr, OUT_ADDR) X(out_image_stride, OUT_IMAGE_STRIDE) X(out_block_stride, OUT_BLOCK_STRIDE)               \
    X(sums_addr, SUMS_ADDR) X(seed_lo, SEED_LO) X(seed_hi, SEED_HI)

/// A decoded command; `sim/CONTRACT.md` section 3 says what the fields mean.
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

constexpr std::uint32_t DEFINED_FLAGS =
    1u << FLAG_A_SIGNED | 1u << FLAG_B_SIGNED | 1u << FLAG_OUT_SIGNED | 1u << FLAG_STOCHASTIC | 1u << FLAG_ROW_SUMS;

}  // namespace cpt
