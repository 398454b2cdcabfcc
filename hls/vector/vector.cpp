// The vector unit: a command's checks in the contract's order, its headers, then its execution.
#include "vector.hpp"

#include "scalars.hpp"

namespace cpt {

/// Everything between a command's fields and its execution: places, then the headers of blocks, then the memory.
static std::uint32_t prepare(
    const place_t places[MAX_PLACES], std::uint32_t count, std::uint32_t mem_bytes, const Extent& list, address_t base,
    port_t& loads, port_t& stores, volatile const ap_uint<2>* bus_errors, headers_t headers) {
    std::uint32_t error = check_places(places, mem_bytes, list);
    if (error != ERROR_OK) return error;
    read_headers(places, base, loads, headers);
    error = bus_error(bus_errors);
    if (error == ERROR_OK) error = check_headers(places, headers, count);
    if (error != ERROR_OK) return error;
    touch_places(places, base, loads, stores, bus_errors);
    return bus_error(bus_errors);
}

/// One scalar unit for all four: its operations are shared by what is inlined here.
static void run_scalar(
    const ScalarCommand& command, const place_t places[MAX_PLACES], const headers_t headers, address_t base,
    port_t& loads, port_t& stores, volatile const ap_uint<2>* bus_errors) {
#pragma HLS ALLOCATION function instances=make_scalar limit=1
#pragma HLS ALLOCATION function instances=multiply limit=1
#pragma HLS ALLOCATION function instances=divide limit=1
#pragma HLS ALLOCATION function instances=add limit=1
#pragma HLS ALLOCATION function instances=root limit=1
    if (command.opcode == OPCODE_NORM) {
        run_norm(command, headers, base, loads, stores, bus_errors);
    } else if (command.opcode == OPCODE_SCALE) {
        run_scale(command, places, headers, base, loads, stores, bus_errors);
    } else if (command.opcode == OPCODE_JOIN) {
        run_join(command, headers, base, loads, stores, bus_errors);
    } else {
        run_error(command, headers, base, loads, stores, bus_errors);
    }
}

std::uint32_t run_vector(
    const std::uint32_t words[COMMAND_WORDS], std::uint32_t mem_bytes, const Extent& list, address_t base,
    port_t& loads, port_t& stores, volatile const ap_uint<2>* bus_errors) {
    const std::uint32_t opcode = words[0] & 0xFF;
    const bool is_map = opcode == OPCODE_MAP;
    const bool is_scalar = OPCODE_NORM <= opcode && opcode <= OPCODE_ERROR;
    const MapCommand map = decode_map(words);
    const ScalarCommand scalar = decode_scalar(words);
    const WeightCommand weights = decode_weights(words);
    const std::uint32_t count = is_scalar ? std::uint32_t(pixels_of(scalar)) : 0;
    place_t places[MAX_PLACES];
    headers_t headers = {};
    std::uint32_t error = is_map      ? check_map(words, map, places)
                          : is_scalar ? check_scalar(words, scalar, places)
                                      : check_weights(words, weights, places);
    if (error == ERROR_OK) error = prepare(places, count, mem_bytes, list, base, loads, stores, bus_errors, headers);
    if (error != ERROR_OK) return error;
    if (is_map) {
        run_map(map, headers, base, loads, stores, bus_errors);
    } else if (opcode == OPCODE_UPDATE) {
        run_update(weights, headers, base, loads, stores, bus_errors);
    } else if (opcode == OPCODE_WEIGHTS) {
        run_weights(weights, base, loads, stores, bus_errors);
    } else {
        run_scalar(scalar, places, headers, base, loads, stores, bus_errors);
    }
    return bus_error(bus_errors);
}

}  // namespace cpt
