// The stages of a MAP. A strip flows through them from top to bottom:
//
//     map_load --beats--> map_take --strips--> map_lanes --strips, tallies--> map_store
//
// A pixel of a block, 16 channels of all operands, goes through the lanes in a cycle.
#pragma once

#include "../tally.hpp"
#include "map_plan.hpp"

namespace cpt {

/// The planes of a strip of one tensor: word i of segment s of plane p is one pixel's, 16 channels' bits.
typedef word_t map_memory_t[MAX_OPERAND_BITS][SEGMENT_WORDS][STRIP_SEGMENTS];
typedef word_t map_mask_t[1][SEGMENT_WORDS][STRIP_SEGMENTS];

/// What a channel is multiplied by, and what is added.
struct coefficient_t {
    ap_int<COEFFICIENT_BITS> a;
    ap_int<COEFFICIENT_BITS> c;
    accumulator_t b;
};

/// What all channels share.
struct map_header_t {
    std::uint32_t k;
    std::int32_t j;
    ap_int<COEFFICIENT_BITS> multiplier;
    std::uint32_t scale_shift;
    std::uint32_t seed_lo, seed_hi;
};

/// Reads the strips of all operands and, when a block starts, its coefficients.
void map_load(
    const MapCommand& command, const MapPlan& plan, std::uint32_t index, address_t base, port_t& loads,
    hls::stream<words_t>& beats, hls::stream<coefficient_t>& coefficients);

/// Puts the words of the operands' strips before the pixels they belong to, one operand after the other.
void map_take(
    const MapCommand& command, const MapPlan& plan, std::uint32_t index, hls::stream<words_t>& beats, map_memory_t& x0,
    map_memory_t& x1, map_memory_t& x2, map_mask_t& mask);

/// Multiplies, adds, rounds, masks and tallies.
void map_lanes(
    const MapCommand& command, const MapPlan& plan, const map_header_t& header, std::uint32_t index,
    hls::stream<coefficient_t>& coefficients, const map_memory_t& x0, const map_memory_t& x1, const map_memory_t& x2,
    const map_mask_t& mask, map_memory_t& out0, map_memory_t& out1, map_mask_t& mask_out, tally_t tallies[BLOCK]);

/// Writes the strips of all results and, when a block ends, its tally; not after a bus error.
void map_store(
    const MapCommand& command, const MapPlan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, port_t& stores, const map_memory_t& out0, const map_memory_t& out1,
    const map_mask_t& mask_out, const tally_t tallies[BLOCK]);

}  // namespace cpt
