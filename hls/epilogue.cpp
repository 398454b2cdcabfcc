// Epilogue: accumulators become what the command stores: exact, or divided by 2^shift, rounded and saturated.
#include "noise.hpp"
#include "rounding.hpp"
#include "stages.hpp"

namespace cpt {

static rounding_t saturate(const rounding_t& value, std::uint32_t bits, bool is_signed) {
#pragma HLS INLINE
    const rounding_t most = (rounding_t(1) << (is_signed ? bits - 1 : bits)) - 1;
    const rounding_t least = is_signed ? rounding_t(-most - 1) : rounding_t(0);
    return limited(value, least, most);
}

static rounding_t finish(
    const Command& command, const noise_keys_t& keys, const accumulator_t& product, sum_t row_sum,
    std::uint32_t element) {
#pragma HLS INLINE
    // With HALF a code q of B stands for 2q + 1; the contract's bounds hold for this sum, too.
    const bool half = VECTOR_UNIT && command.flag(FLAG_HALF);
    const accumulator_t accumulator = half ? accumulator_t((product << 1) + row_sum) : product;
    if (!command.is_requantised()) return accumulator;
    const std::uint32_t bits = noise(keys, element);
    const rounding_t rounded = command.flag(FLAG_STOCHASTIC) ? round_stochastic(accumulator, command.shift, bits)
                                                             : round_half_even(accumulator, command.shift);
    return saturate(rounded, command.out_bits, command.flag(FLAG_OUT_SIGNED));
}

/// Planes: word p holds bit p of every value, each at its channel's place in the block.
static piece_t pack_planes(const rounding_t values[COLUMNS]) {
#pragma HLS INLINE
    piece_t piece;
    for (std::uint32_t plane = 0; plane < BLOCK; ++plane) {
#pragma HLS UNROLL
        word_t word = 0;
        for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
            word |= word_t(values[column][plane]) << column;
        }
        piece.word[plane] = word;
    }
    return piece;
}

/// Numbers: the 16-bit words of all values one after the other; this is piece `number` of them.
static piece_t pack_words(const rounding_t values[COLUMNS], std::uint32_t format, std::uint32_t number) {
#pragma HLS INLINE
    // INT16, INT32 and INT64 are formats 0, 1 and 2: 2^format words a number.
    piece_t piece;
    for (std::uint32_t i = 0; i < BLOCK; ++i) {
#pragma HLS UNROLL
        const std::uint32_t at = number * BLOCK + i;
        const ap_int<64> value = values[(at >> format) % COLUMNS];
        piece.word[i] = word_t(value >> ((at & ((1u << format) - 1)) * 16));
    }
    return piece;
}

static void finish_lane(
    const Command& command, const noise_keys_t& keys, const Plan& plan, const Place& place, std::uint32_t tile,
    std::uint32_t position, const results_t& result, piece_t pieces[ROW_PIECES], sum_t sums[ROW_PIECES],
    tally_t tallies[COLUMNS]) {
#pragma HLS INLINE
    const std::uint32_t map = place.image * command.y_blocks + tile;
    const std::uint32_t element = (map * plan.area + place.pixel + position * (plan.shared ? UNITS : 1)) * BLOCK;
    rounding_t values[COLUMNS];
#pragma HLS ARRAY_PARTITION variable=values complete
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
        values[column] = finish(command, keys, result.column[column], result.row_sum, element + column);
        if (VECTOR_UNIT) add_to(tallies[column], code_t(values[column]), code_t(values[column]));
    }
    for (std::uint32_t piece = 0; piece < MAX_PIECES; ++piece) {
        // A constant bound, as a pipelined loop around it must unroll it; each piece has a bank of its own.
#pragma HLS UNROLL
        if (piece < plan.pieces) {
            pieces[position * plan.pieces + piece] =
                command.is_planes() ? pack_planes(values) : pack_words(values, command.out_format, piece);
        }
    }
    sums[position] = result.row_sum;
}

void epilogue(
    const Command& command, const Plan& plan, std::uint32_t index, hls::stream<results_t> results[EPILOGUE_LANES],
    piece_t pieces[LANES][ROW_PIECES], sum_t sums[LANES][ROW_PIECES], tally_t tallies[COLUMNS]) {
    const noise_keys_t keys = make_noise_keys(command.seed_lo, command.seed_hi);
    static Job job;
    static tally_t running[COLUMNS];   // of the column tile, over its jobs
#pragma HLS ARRAY_PARTITION variable=running complete
    job = next_job(plan, index, job);
    if (!job_completes(plan, job)) return;
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
        if (job.starts_tile()) running[column] = empty_tally();
    }
    const std::uint32_t lanes = active_lanes(plan, job);
    const std::uint32_t positions = job_positions(command, plan, job);
    std::uint32_t position = 0, lane = 0;
    Band band = job.band;
    epilogue_lanes: while (position < positions) {
        // EPILOGUE_LANES a cycle: rounding costs LUTs, and the array needs a_bits * b_bits * slices cycles a position.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=1024
        for (std::uint32_t i = 0; i < EPILOGUE_LANES; ++i) {
#pragma HLS UNROLL
            const std::uint32_t number = lane + i;
            if (number >= lanes) continue;
            const results_t result = results[i].read();
            const Place place = place_of(command, plan, job, number, band);
            finish_lane(
                command, keys, plan, place, job.tile, position, result, pieces[number], sums[number], running);
            band = band_after(plan.bands, band, NEXT_BAND);
        }
        lane += EPILOGUE_LANES;
        if (lane < lanes) continue;
        lane = 0;
        band = job.band;
        ++position;
    }
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
        tallies[column] = running[column];
    }
}

}  // namespace cpt
