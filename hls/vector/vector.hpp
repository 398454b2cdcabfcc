// The vector unit: MAP, the scalar commands, UPDATE and WEIGHTS.
#pragma once

#include "../memory.hpp"
#include "places.hpp"

namespace cpt {

/// True of the opcodes that the vector unit executes.
inline bool is_vector_opcode(std::uint32_t opcode) { return OPCODE_MAP <= opcode && opcode <= OPCODE_WEIGHTS; }

/// Checks and executes one fetched command; the error it ends with.
std::uint32_t run_vector(
    const std::uint32_t words[COMMAND_WORDS], std::uint32_t mem_bytes, const Extent& list, address_t base,
    port_t& loads, port_t& stores, volatile const ap_uint<2>* bus_errors);

// Each executes a checked command, whose headers were read, up to its end or the first look that finds a bus error.
void run_map(
    const MapCommand& command, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors);
void run_update(
    const WeightCommand& command, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors);
void run_weights(
    const WeightCommand& command, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors);

}  // namespace cpt
