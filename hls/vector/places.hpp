// What a vector or scalar command reads, changes and writes: a place in the region for each of its address fields.
#pragma once

#include "../check.hpp"
#include "../lines.hpp"
#include "commands.hpp"

namespace cpt {

// The address fields of every such command are whole words from here on, one behind the other.
constexpr std::uint32_t FIRST_PLACE_WORD = 6;
constexpr std::uint32_t MAX_PLACES = 12;

enum MapPlace {
    MAP_X0, MAP_X1, MAP_X2, MAP_MASK, MAP_OUT0, MAP_OUT1, MAP_COEFFICIENTS, MAP_TALLY, MAP_STEP
};
enum ScalarPlace {
    SCALAR_TALLY, SCALAR_TALLY1, SCALAR_NORM, SCALAR_NORM1, SCALAR_PARAMETERS, SCALAR_UNITS, SCALAR_UNITS1, SCALAR_IN,
    SCALAR_IN1, SCALAR_OUT, SCALAR_COEFFICIENTS, SCALAR_STEP
};
enum WeightPlace {
    WEIGHT_ACC, WEIGHT_W, WEIGHT_V, WEIGHT_MAX_OUT, WEIGHT_MAX_IN, WEIGHT_X, WEIGHT_E, WEIGHT_CODES, WEIGHT_CODES_IN,
    WEIGHT_UNITS, WEIGHT_UNITS_IN, WEIGHT_STEP
};
static_assert(MAP_FIELD_X0_ADDR_WORD == FIRST_PLACE_WORD + MAP_X0, "the first address of a MAP");
static_assert(MAP_FIELD_STEP_ADDR_WORD == FIRST_PLACE_WORD + MAP_STEP, "its last one");
static_assert(SCALAR_FIELD_TALLY_ADDR_WORD == FIRST_PLACE_WORD + SCALAR_TALLY, "the first one of a scalar command");
static_assert(SCALAR_FIELD_STEP_ADDR_WORD == FIRST_PLACE_WORD + SCALAR_STEP, "its last one");
static_assert(WEIGHT_FIELD_ACC_ADDR_WORD == FIRST_PLACE_WORD + WEIGHT_ACC, "the first one of an UPDATE");
static_assert(WEIGHT_FIELD_STEP_ADDR_WORD == FIRST_PLACE_WORD + WEIGHT_STEP, "its last one");

/// `history` is a block that is read if it has been written.
struct place_t {
    bool reads, writes, history;
    std::uint32_t kind;       // of a block: its first word; 0 for a tensor
    std::uint32_t channels;   // of a block
    Extent extent;

    bool used() const { return reads || writes || history; }
    bool has_header() const { return kind != 0 && (reads || history); }
    address_t address() const { return extent.begin; }
};

/// The headers of those blocks that a command reads.
typedef std::uint32_t headers_t[MAX_PLACES][LINE_WORDS];

/// None is used yet; addresses from the command.
void clear_places(const std::uint32_t words[COMMAND_WORDS], place_t places[MAX_PLACES]);

inline void set_end(place_t& place, std::uint64_t bytes) { place.extent.end = place.extent.begin + bytes; }

inline void reads(place_t& place) { place.reads = true; }
inline void writes(place_t& place) { place.writes = true; }
inline void changes(place_t& place) { place.reads = place.writes = true; }

/// A block of a kind with records for `channels` channels.
inline void is_block(place_t& place, std::uint32_t kind, std::uint32_t record_bytes, std::uint32_t channels) {
    place.kind = kind;
    place.channels = channels;
    set_end(place, block_bytes(channels, record_bytes));
}

/// Compact bit planes.
inline void is_planes(
    place_t& place, std::uint32_t images, std::uint32_t blocks, std::uint32_t height, std::uint32_t width,
    std::uint32_t bits) {
    const std::uint64_t tiles = std::uint64_t(2 * bits * height) * width * blocks;
    const std::uint64_t stride = (tiles + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
    set_end(place, (images - 1) * stride + tiles);
}

/// ALIGNMENT, RANGE and OVERLAP of all places.
std::uint32_t check_places(const place_t places[MAX_PLACES], std::uint32_t mem_bytes, const Extent& list);

/// Reads the headers, and looks whether there is memory for the operands and results.
void read_headers(const place_t places[MAX_PLACES], address_t base, port_t& loads, headers_t headers);
void touch_places(
    const place_t places[MAX_PLACES], address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors);

/// True when a block of the place's kind and size was written there.
inline bool written(const place_t& place, const std::uint32_t header[LINE_WORDS]) {
    return header[HEADER_KIND / 4] == place.kind && header[HEADER_CHANNELS / 4] == place.channels;
}

/// COEFFICIENTS: whether every block is fit to be read. `count` is what tallies must have counted, 0 for anything.
std::uint32_t check_headers(const place_t places[MAX_PLACES], const headers_t headers, std::uint32_t count);

/// All checks of a command's fields, in order, and its places.
std::uint32_t check_map(
    const std::uint32_t words[COMMAND_WORDS], const MapCommand& command, place_t places[MAX_PLACES]);
std::uint32_t check_scalar(
    const std::uint32_t words[COMMAND_WORDS], const ScalarCommand& command, place_t places[MAX_PLACES]);
std::uint32_t check_weights(
    const std::uint32_t words[COMMAND_WORDS], const WeightCommand& command, place_t places[MAX_PLACES]);

}  // namespace cpt
