// The contract's checks, in the contract's order: nothing is read or written for a command that fails one.
#include "check.hpp"

#include "plan.hpp"

namespace cpt {

static bool within(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
    return least <= value && value <= most;
}

static bool widths_hold(const Command& c) {
    return within(c.a_bits, 1, MAX_OPERAND_BITS) && within(c.b_bits, 1, MAX_OPERAND_BITS)
        && (!c.is_requantised() || within(c.out_bits, 1, MAX_OUT_BITS));
}

static bool format_holds(const Command& c) {
    if (c.is_requantised()) return c.shift <= MAX_SHIFT;
    const bool requantises = c.out_bits || c.shift || c.flag(FLAG_OUT_SIGNED) || c.flag(FLAG_STOCHASTIC);
    return (c.out_format == FORMAT_INT32 || c.out_format == FORMAT_INT64) && !requantises;
}

/// extent of the output = floor(room / stride) + 1, with room for at least one window.
static bool geometry_holds(
    std::uint32_t extent, std::uint32_t up, std::uint32_t pads, std::uint32_t kernel, std::uint32_t stride,
    std::uint32_t output) {
    const std::uint32_t padded = (extent - 1) * up + 1 + pads;
    const std::uint32_t room = padded - kernel;
    return padded >= kernel && (output - 1) * stride <= room && room < output * stride;
}

static bool shape_holds(const Command& c) {
    const bool limits = within(c.images, 1, MAX_IMAGES)
        && within(c.a_blocks, 1, MAX_BLOCKS) && within(c.y_blocks, 1, MAX_BLOCKS)
        && within(c.a_height, 1, MAX_EXTENT) && within(c.a_width, 1, MAX_EXTENT)
        && within(c.y_height, 1, MAX_EXTENT) && within(c.y_width, 1, MAX_EXTENT)
        && within(c.kernel_h, 1, MAX_KERNEL) && within(c.kernel_w, 1, MAX_KERNEL)
        && within(c.stride_y, 1, MAX_STEP) && within(c.stride_x, 1, MAX_STEP)
        && within(c.up_y, 1, MAX_STEP) && within(c.up_x, 1, MAX_STEP)
        && c.pad_top <= MAX_PADDING && c.pad_left <= MAX_PADDING
        && c.pad_bottom <= MAX_PADDING && c.pad_right <= MAX_PADDING;
    return limits
        && geometry_holds(c.a_height, c.up_y, c.pad_top + c.pad_bottom, c.kernel_h, c.stride_y, c.y_height)
        && geometry_holds(c.a_width, c.up_x, c.pad_left + c.pad_right, c.kernel_w, c.stride_x, c.y_width);
}

/// Without a vector unit, HALF and STATS are refused whatever else the command says.
static bool supported(const Command& c) {
    const bool half = c.flag(FLAG_HALF);
    const bool stats = c.flag(FLAG_STATS);
    if ((half || stats) && (!VECTOR_UNIT || c.is_wgrad())) return false;
    if ((half && !c.flag(FLAG_B_SIGNED)) || (stats && !c.is_requantised())) return false;
    return !c.is_wgrad() || (c.up_y == 1 && c.up_x == 1 && !c.is_planes());
}

/// K * 2^a <= 2^b is tested as K <= 2^(b - a): K has up to 40 bits, so the product could exceed 64.
static bool cannot_overflow(const Command& c) {
    const std::uint64_t pixels = std::uint64_t(c.images) * c.y_height * c.y_width;
    const std::uint64_t terms = c.is_wgrad() ? pixels : std::uint64_t(c.taps()) * c.a_blocks * BLOCK;
    const std::uint32_t bits = c.a_bits + c.b_bits;
    const std::uint32_t most = c.out_format == FORMAT_INT32 ? 31 : ACCUMULATOR_BITS - 1;
    if (bits > most || terms > std::uint64_t(1) << (most - bits)) return false;
    if (c.flag(FLAG_STATS) && pixels > MAX_COUNT) return false;
    const bool sums = c.flag(FLAG_ROW_SUMS) || c.flag(FLAG_HALF);
    return !sums || terms <= std::uint64_t(1) << (31 - c.a_bits);
}

static bool fits_on_chip(const Command& c) {
    if (c.is_wgrad()) return true;
    const std::uint64_t lane_words = std::uint64_t(c.kernel_h) * c.a_width * c.a_blocks * c.a_bits;
    const std::uint32_t column_words = ceil_div(c.taps() * c.a_blocks, SLICE_GROUPS) * c.b_bits;
    return lane_words <= BUILD.lane_words && column_words <= BUILD.column_words
        && (!c.is_planes() || c.y_width * c.out_bits <= BUILD.row_words);
}

static bool aligned(const Command& c) {
    const std::uint32_t grain = c.is_planes() ? 2 : c.out_format == FORMAT_INT16 ? 32 : 64;
    const std::uint32_t operands = c.a_addr | c.a_image_stride | c.a_block_stride
        | c.b_addr | c.b_image_stride | c.b_block_stride;
    const std::uint32_t result = c.out_addr | c.out_image_stride | c.out_block_stride;
    return operands % 2 == 0 && (result & (grain - 1)) == 0 && (!c.flag(FLAG_ROW_SUMS) || c.sums_addr % 4 == 0)
        && (!c.flag(FLAG_STATS) || c.tally_addr % TENSOR_ALIGNMENT == 0);
}

static bool tiles_apart(const Command& c, const Extents& extents) {
    if (c.y_blocks > 1 && c.out_block_stride < extents.out_tile) return false;
    const std::uint64_t image = std::uint64_t(c.y_blocks - 1) * c.out_block_stride + extents.out_tile;
    return extents.out_images == 1 || c.out_image_stride >= image;
}

static Extent tensor(
    std::uint32_t address, std::uint32_t images, std::uint32_t image_stride, std::uint32_t blocks,
    std::uint32_t block_stride, std::uint64_t tile) {
    const std::uint64_t last =
        std::uint64_t(images - 1) * image_stride + std::uint64_t(blocks - 1) * block_stride;
    return Extent{address, address + last + tile};
}

Extents extents_of(const Command& c) {
    const std::uint64_t map = std::uint64_t(c.y_height) * c.y_width;
    const std::uint64_t a_tile = std::uint64_t(c.a_height) * c.a_width * c.a_bits * 2;
    Extents extents;
    extents.a = tensor(c.a_addr, c.images, c.a_image_stride, c.a_blocks, c.a_block_stride, a_tile);
    extents.b = c.is_wgrad()
        ? tensor(c.b_addr, c.images, c.b_image_stride, c.y_blocks, c.b_block_stride, map * c.b_bits * 2)
        : tensor(c.b_addr, BLOCK * c.y_blocks, c.b_image_stride, c.a_blocks, c.b_block_stride,
                 std::uint64_t(c.taps()) * c.b_bits * 2);
    const std::uint64_t positions = c.is_wgrad() ? c.taps() : map;
    extents.out_images = c.is_wgrad() ? BLOCK * c.a_blocks : c.images;
    extents.out_tile = positions * (c.is_planes() ? c.out_bits * 2 : BLOCK * 2u << c.out_format);
    extents.out = tensor(
        c.out_addr, extents.out_images, c.out_image_stride, c.y_blocks, c.out_block_stride, extents.out_tile);
    const std::uint64_t sums = c.flag(FLAG_ROW_SUMS) ? extents.out_images * positions * 4 : 0;
    extents.sums = Extent{c.sums_addr, c.sums_addr + sums};
    const std::uint64_t tally = c.flag(FLAG_STATS) ? block_bytes(BLOCK * c.y_blocks, TALLY_RECORD_BYTES) : 0;
    extents.tally = Extent{c.tally_addr, c.tally_addr + tally};
    return extents;
}

/// Ends of what the command does not have are not judged.
static bool in_range(const Command& c, const Extents& extents, std::uint32_t mem_bytes) {
    return extents.a.end <= mem_bytes && extents.b.end <= mem_bytes && extents.out.end <= mem_bytes
        && (!c.flag(FLAG_ROW_SUMS) || extents.sums.end <= mem_bytes)
        && (!c.flag(FLAG_STATS) || extents.tally.end <= mem_bytes);
}

static bool apart(const Extent& written, const Extents& extents, const Extent& list) {
    return !(written.overlaps(extents.a) || written.overlaps(extents.b) || written.overlaps(list));
}

static bool results_apart(const Command& c, const Extents& extents, const Extent& list) {
    const bool sums = c.flag(FLAG_ROW_SUMS);
    const bool tally = c.flag(FLAG_STATS);
    if (!apart(extents.out, extents, list)) return false;
    if (sums && !(apart(extents.sums, extents, list) && !extents.sums.overlaps(extents.out))) return false;
    if (tally && !(apart(extents.tally, extents, list) && !extents.tally.overlaps(extents.out))) return false;
    return !(sums && tally && extents.tally.overlaps(extents.sums));
}

std::uint32_t check_list(
    std::uint64_t mem_base, std::uint32_t mem_bytes, std::uint32_t list_offset, std::uint32_t list_bytes) {
    if ((mem_base | mem_bytes | list_offset) % LIST_ALIGNMENT) return ERROR_LIST_ALIGNMENT;
    if (list_bytes % COMMAND_BYTES) return ERROR_LIST_TRUNCATED;
    constexpr std::uint64_t bus_end = std::uint64_t(1) << ADDRESS_BITS;
    // Tested as a difference: a base of 64 bits could wrap the sum.
    if (mem_base > bus_end || mem_bytes > bus_end - mem_base) return ERROR_LIST_RANGE;
    if (std::uint64_t(list_offset) + list_bytes > mem_bytes) return ERROR_LIST_RANGE;
    return ERROR_OK;
}

std::uint32_t check_command(
    const std::uint32_t words[COMMAND_WORDS], const Command& command, std::uint32_t mem_bytes, const Extent& list) {
    if (command.opcode != OPCODE_CONV && command.opcode != OPCODE_WGRAD) return ERROR_OPCODE;
    if (!reserved_bits_clear(words, command)) return ERROR_RESERVED;
    if (!widths_hold(command)) return ERROR_WIDTH;
    if (!format_holds(command)) return ERROR_FORMAT;
    if (!shape_holds(command)) return ERROR_SHAPE;
    if (!supported(command)) return ERROR_UNSUPPORTED;
    if (!cannot_overflow(command)) return ERROR_OVERFLOW;
    if (!fits_on_chip(command)) return ERROR_CAPACITY;
    if (!aligned(command)) return ERROR_ALIGNMENT;
    const Extents extents = extents_of(command);
    if (!tiles_apart(command, extents)) return ERROR_STRIDE;
    if (!in_range(command, extents, mem_bytes)) return ERROR_RANGE;
    if (!results_apart(command, extents, list)) return ERROR_OVERLAP;
    return ERROR_OK;
}

}  // namespace cpt
