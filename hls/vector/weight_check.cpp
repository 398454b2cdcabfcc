// The checks of UPDATE and WEIGHTS, in the contract's order, and their places.
#include "bundles.hpp"
#include "limits.hpp"
#include "places.hpp"

namespace cpt {

static bool quantises(const WeightCommand& c) { return c.opcode == OPCODE_WEIGHTS; }

static bool format_holds(const WeightCommand& c) {
    if (quantises(c)) return c.acc_format == 0;
    return c.bits == 0 && c.flags == 0 && (c.acc_format == FORMAT_INT32 || c.acc_format == FORMAT_INT64);
}

/// No groups, or whole ones, as many on either side.
static bool groups_hold(const WeightCommand& c) {
    if (c.group_in == 0 || c.group_out == 0) return c.group_in == c.group_out;
    const division_t in = divide_fields(c.in_channels, c.group_in);
    const division_t out = divide_fields(c.out_channels, c.group_out);
    return in.rest == 0 && out.rest == 0 && in.quotient == out.quotient;
}

static bool shape_holds(const WeightCommand& c) {
    return within(c.in_channels, 1, BLOCK * MAX_BLOCKS) && within(c.out_channels, 1, BLOCK * MAX_BLOCKS)
        && within(c.kernel_h, 1, MAX_KERNEL) && within(c.kernel_w, 1, MAX_KERNEL) && groups_hold(c);
}

static void place_weights(const WeightCommand& c, place_t places[MAX_PLACES]) {
    const Bundles b = bundles_of(c);
    const std::uint64_t lines = std::uint64_t(b.ins) * b.row_lines();
    set_end(places[WEIGHT_W], lines * LINE_BYTES);
    set_end(places[WEIGHT_V], lines * LINE_BYTES);
    set_end(places[WEIGHT_ACC], lines * (c.acc_format == FORMAT_INT64 ? 2 * LINE_BYTES : LINE_BYTES));
    is_planes(places[WEIGHT_CODES], b.outs, b.in_blocks, c.kernel_h, c.kernel_w, c.bits);
    is_planes(places[WEIGHT_CODES_IN], b.ins, b.out_blocks, c.kernel_h, c.kernel_w, c.bits);
    is_block(places[WEIGHT_MAX_OUT], BLOCK_MAXIMA, MAXIMA_RECORD_BYTES, b.outs);
    is_block(places[WEIGHT_MAX_IN], BLOCK_MAXIMA, MAXIMA_RECORD_BYTES, b.ins);
    is_block(places[WEIGHT_UNITS], BLOCK_UNITS, UNITS_RECORD_BYTES, b.outs);
    is_block(places[WEIGHT_UNITS_IN], BLOCK_UNITS, UNITS_RECORD_BYTES, b.ins);
    is_block(places[WEIGHT_X], BLOCK_TENSOR, TENSOR_RECORD_BYTES, 0);
    is_block(places[WEIGHT_E], BLOCK_TENSOR, TENSOR_RECORD_BYTES, 0);
    is_block(places[WEIGHT_STEP], BLOCK_STEP, STEP_RECORD_BYTES, 0);
    const bool both = c.flag(WEIGHT_FLAG_BOTH);
    reads(places[WEIGHT_W]);
    if (quantises(c)) {
        reads(places[WEIGHT_MAX_OUT]);
        writes(places[WEIGHT_CODES]);
        writes(places[WEIGHT_UNITS]);
        places[WEIGHT_MAX_IN].reads = places[WEIGHT_CODES_IN].writes = places[WEIGHT_UNITS_IN].writes = both;
    } else {
        reads(places[WEIGHT_ACC]);
        writes(places[WEIGHT_W]);
        changes(places[WEIGHT_V]);
        reads(places[WEIGHT_X]);
        reads(places[WEIGHT_E]);
        reads(places[WEIGHT_STEP]);
        writes(places[WEIGHT_MAX_OUT]);
        writes(places[WEIGHT_MAX_IN]);
    }
}

std::uint32_t check_weights(
    const std::uint32_t words[COMMAND_WORDS], const WeightCommand& command, place_t places[MAX_PLACES]) {
    const std::uint32_t least = command.flag(WEIGHT_FLAG_HALF) ? 1 : 2;
    if (!reserved_bits_clear(words, command)) return ERROR_RESERVED;
    if (quantises(command) && !within(command.bits, least, MAX_OPERAND_BITS)) return ERROR_WIDTH;
    if (!format_holds(command)) return ERROR_FORMAT;
    if (!shape_holds(command)) return ERROR_SHAPE;
    clear_places(words, places);
    place_weights(command, places);
    return ERROR_OK;
}

}  // namespace cpt
