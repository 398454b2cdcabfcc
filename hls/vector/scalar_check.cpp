// The checks of NORM, SCALE, JOIN and ERROR, in the contract's order, and their places.
#include "limits.hpp"
#include "places.hpp"

namespace cpt {

static bool uses_bits(const ScalarCommand& c) { return c.opcode == OPCODE_SCALE || c.opcode == OPCODE_ERROR; }
static bool uses_wide_bits(const ScalarCommand& c) {
    return c.opcode == OPCODE_JOIN || (c.opcode == OPCODE_SCALE && c.flag(SCALAR_FLAG_NODE));
}

static bool widths_hold(const ScalarCommand& c) {
    const bool relu = c.opcode == OPCODE_SCALE && c.flag(SCALAR_FLAG_RELU);
    if (uses_bits(c) && !within(c.bits, relu ? 1 : 2, MAX_OPERAND_BITS)) return false;
    return !uses_wide_bits(c) || within(c.wide_bits, 2, MAX_OPERAND_BITS);
}

static std::uint32_t flags_of(std::uint32_t opcode) {
    const std::uint32_t second = 1u << SCALAR_FLAG_STREAM | 1u << SCALAR_FLAG_BRANCH;
    if (opcode == OPCODE_NORM) return 1u << SCALAR_FLAG_EVALUATE;
    if (opcode == OPCODE_SCALE) return second | 1u << SCALAR_FLAG_RELU | 1u << SCALAR_FLAG_NODE;
    return 1u << SCALAR_FLAG_POWER | (opcode == OPCODE_JOIN ? second : 0);
}

static bool format_holds(const ScalarCommand& c) {
    const bool stream = c.flag(SCALAR_FLAG_STREAM);
    const bool branch = c.flag(SCALAR_FLAG_BRANCH);
    if ((c.flags & ~flags_of(c.opcode)) != 0 || (stream && branch)) return false;
    if (c.opcode == OPCODE_SCALE && (stream || branch) && !c.flag(SCALAR_FLAG_NODE)) return false;
    if ((c.bits != 0 && !uses_bits(c)) || (c.wide_bits != 0 && !uses_wide_bits(c))) return false;
    return c.shift <= MAX_SHIFT && c.shift1 <= MAX_SHIFT;
}

static void place_norm(const ScalarCommand& c, place_t places[MAX_PLACES]) {
    const bool evaluates = c.flag(SCALAR_FLAG_EVALUATE);
    reads(places[SCALAR_TALLY]);
    reads(places[SCALAR_UNITS]);
    reads(places[SCALAR_IN]);
    reads(places[SCALAR_PARAMETERS]);
    places[SCALAR_PARAMETERS].writes = !evaluates;
    places[SCALAR_STEP].reads = !evaluates;
    writes(places[SCALAR_NORM]);
}

static void place_others(const ScalarCommand& c, place_t places[MAX_PLACES]) {
    const bool stream = c.flag(SCALAR_FLAG_STREAM);
    const bool branch = c.flag(SCALAR_FLAG_BRANCH);
    writes(places[SCALAR_COEFFICIENTS]);
    writes(places[SCALAR_OUT]);
    if (c.opcode == OPCODE_SCALE) {
        reads(places[SCALAR_NORM]);
        places[SCALAR_NORM1].reads = branch;
        places[SCALAR_TALLY1].reads = places[SCALAR_IN1].reads = stream;
        places[SCALAR_TALLY].history = places[SCALAR_OUT].history = c.flag(SCALAR_FLAG_NODE);
        return;
    }
    reads(places[SCALAR_TALLY]);
    reads(places[SCALAR_IN]);
    places[SCALAR_UNITS].reads = !c.flag(SCALAR_FLAG_POWER);
    if (c.opcode == OPCODE_JOIN) {
        places[SCALAR_TALLY1].reads = places[SCALAR_IN1].reads = stream || branch;
        places[SCALAR_UNITS1].reads = branch;
    } else {
        reads(places[SCALAR_TALLY1]);
        reads(places[SCALAR_NORM]);
        reads(places[SCALAR_STEP]);
        changes(places[SCALAR_PARAMETERS]);
    }
}

static void name_blocks(std::uint32_t channels, place_t places[MAX_PLACES]) {
    is_block(places[SCALAR_TALLY], BLOCK_TALLY, TALLY_RECORD_BYTES, channels);
    is_block(places[SCALAR_TALLY1], BLOCK_TALLY, TALLY_RECORD_BYTES, channels);
    is_block(places[SCALAR_NORM], BLOCK_NORM, NORM_RECORD_BYTES, channels);
    is_block(places[SCALAR_NORM1], BLOCK_NORM, NORM_RECORD_BYTES, channels);
    is_block(places[SCALAR_PARAMETERS], BLOCK_PARAMETERS, PARAMETERS_RECORD_BYTES, channels);
    is_block(places[SCALAR_UNITS], BLOCK_UNITS, UNITS_RECORD_BYTES, channels);
    is_block(places[SCALAR_UNITS1], BLOCK_UNITS, UNITS_RECORD_BYTES, channels);
    is_block(places[SCALAR_IN], BLOCK_TENSOR, TENSOR_RECORD_BYTES, 0);
    is_block(places[SCALAR_IN1], BLOCK_TENSOR, TENSOR_RECORD_BYTES, 0);
    is_block(places[SCALAR_OUT], BLOCK_TENSOR, TENSOR_RECORD_BYTES, 0);
    is_block(places[SCALAR_COEFFICIENTS], BLOCK_COEFFICIENTS, COEFFICIENTS_RECORD_BYTES, channels);
    is_block(places[SCALAR_STEP], BLOCK_STEP, STEP_RECORD_BYTES, 0);
}

std::uint32_t check_scalar(
    const std::uint32_t words[COMMAND_WORDS], const ScalarCommand& command, place_t places[MAX_PLACES]) {
    if (!reserved_bits_clear(words, command)) return ERROR_RESERVED;
    if (!widths_hold(command)) return ERROR_WIDTH;
    if (!format_holds(command)) return ERROR_FORMAT;
    if (!map_limits_hold(command) || !within(command.channels, 1, BLOCK * MAX_BLOCKS)) return ERROR_SHAPE;
    if (pixels_of(command) > MAX_COUNT) return ERROR_OVERFLOW;
    clear_places(words, places);
    name_blocks(ceil_div(command.channels, BLOCK) * BLOCK, places);
    if (command.opcode == OPCODE_NORM) {
        place_norm(command, places);
    } else {
        place_others(command, places);
    }
    return ERROR_OK;
}

}  // namespace cpt
