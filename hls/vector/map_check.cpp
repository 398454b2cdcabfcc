// The checks of a MAP, in the contract's order, and its places.
#include "limits.hpp"
#include "places.hpp"

namespace cpt {

static bool widths_hold(const MapCommand& c) {
    return within(c.x0_bits, 1, MAX_OPERAND_BITS) && c.x1_bits <= MAX_OPERAND_BITS && c.x2_bits <= MAX_OPERAND_BITS
        && c.out0_bits <= MAX_OPERAND_BITS && c.out1_bits <= MAX_OPERAND_BITS;
}

static bool format_holds(const MapCommand& c) {
    const std::uint32_t masks = c.flag(MAP_FLAG_MASK_X0) + c.flag(MAP_FLAG_MASK_OUT) + c.flag(MAP_FLAG_MASK_WRITE);
    const bool tallies = c.flag(MAP_FLAG_TALLY);
    const bool is_signed = c.flag(MAP_FLAG_OUT_SIGNED);
    const bool rounds = c.x1_bits != 0 || c.out1_bits != 0 || is_signed || c.flag(MAP_FLAG_STOCHASTIC)
        || c.flag(MAP_FLAG_MASK_OUT) || c.flag(MAP_FLAG_MASK_WRITE);
    if (masks > 1 || (c.out0_bits == 0 && (rounds || !tallies)) || (c.x2_bits != 0 && !tallies)) return false;
    if (c.flag(MAP_FLAG_X1_SIGNED) && c.x1_bits == 0) return false;
    return !is_signed || (c.out0_bits != 1 && c.out1_bits != 1);
}

static void place_map(const MapCommand& c, place_t places[MAX_PLACES]) {
    const std::uint32_t bits[] = {c.x0_bits, c.x1_bits, c.x2_bits, 1, c.out0_bits, c.out1_bits};
    for (std::uint32_t i = MAP_X0; i <= MAP_OUT1; ++i) {
        const bool one_pixel = i == MAP_X0 && c.flag(MAP_FLAG_BROADCAST);
        const std::uint32_t height = one_pixel ? 1 : c.height;
        const std::uint32_t width = one_pixel ? 1 : c.width;
        is_planes(places[i], c.images, c.blocks, height, width, bits[i]);
    }
    reads(places[MAP_X0]);
    places[MAP_X1].reads = c.x1_bits != 0;
    places[MAP_X2].reads = c.x2_bits != 0;
    places[MAP_MASK].reads = c.reads_mask();
    places[MAP_MASK].writes = c.flag(MAP_FLAG_MASK_WRITE);
    places[MAP_OUT0].writes = c.out0_bits != 0;
    places[MAP_OUT1].writes = c.out1_bits != 0;
    const std::uint32_t channels = BLOCK * c.blocks;
    is_block(places[MAP_COEFFICIENTS], BLOCK_COEFFICIENTS, COEFFICIENTS_RECORD_BYTES, channels);
    places[MAP_COEFFICIENTS].reads = c.out0_bits != 0;
    is_block(places[MAP_TALLY], BLOCK_TALLY, TALLY_RECORD_BYTES, channels);
    places[MAP_TALLY].writes = c.flag(MAP_FLAG_TALLY);
    is_block(places[MAP_STEP], BLOCK_STEP, STEP_RECORD_BYTES, 0);
    places[MAP_STEP].reads = c.flag(MAP_FLAG_STOCHASTIC);
}

std::uint32_t check_map(
    const std::uint32_t words[COMMAND_WORDS], const MapCommand& command, place_t places[MAX_PLACES]) {
    if (!reserved_bits_clear(words, command)) return ERROR_RESERVED;
    if (!widths_hold(command)) return ERROR_WIDTH;
    if (!format_holds(command)) return ERROR_FORMAT;
    if (!map_limits_hold(command) || !within(command.blocks, 1, MAX_BLOCKS)) return ERROR_SHAPE;
    if (pixels_of(command) > MAX_COUNT) return ERROR_OVERFLOW;
    clear_places(words, places);
    place_map(command, places);
    return ERROR_OK;
}

}  // namespace cpt
