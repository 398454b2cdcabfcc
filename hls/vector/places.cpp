// The checks of places, which all commands of the vector unit share, and the headers of blocks.
#include "places.hpp"

namespace cpt {

void clear_places(const std::uint32_t words[COMMAND_WORDS], place_t places[MAX_PLACES]) {
    for (std::uint32_t i = 0; i < MAX_PLACES; ++i) {
        const std::uint32_t address = words[FIRST_PLACE_WORD + i];
        places[i] = place_t{false, false, false, 0, 0, Extent{address, address}};
    }
}

static bool apart(const place_t places[MAX_PLACES], std::uint32_t written, const Extent& list) {
    const Extent& extent = places[written].extent;
    bool apart = !extent.overlaps(list);
    for (std::uint32_t i = 0; i < MAX_PLACES; ++i) {
        apart &= i == written || !places[i].used() || !extent.overlaps(places[i].extent);
    }
    return apart;
}

std::uint32_t check_places(const place_t places[MAX_PLACES], std::uint32_t mem_bytes, const Extent& list) {
    bool aligned = true, in_range = true, all_apart = true;
    for (std::uint32_t i = 0; i < MAX_PLACES; ++i) {
        if (!places[i].used()) continue;
        aligned &= places[i].extent.begin % TENSOR_ALIGNMENT == 0;
        in_range &= places[i].extent.end <= mem_bytes;
        if (places[i].writes) all_apart &= apart(places, i, list);
    }
    return !aligned ? ERROR_ALIGNMENT : !in_range ? ERROR_RANGE : !all_apart ? ERROR_OVERLAP : ERROR_OK;
}

void read_headers(const place_t places[MAX_PLACES], address_t base, port_t& loads, headers_t headers) {
    for (std::uint32_t i = 0; i < MAX_PLACES; ++i) {
        if (places[i].has_header()) read_lines(loads, base + places[i].address(), 1, headers[i]);
    }
}

/// Operands first: where both have no memory, it is the read that is reported.
void touch_places(
    const place_t places[MAX_PLACES], address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    std::uint32_t line[LINE_WORDS];
    for (std::uint32_t i = 0; i < MAX_PLACES; ++i) {
        if (places[i].reads && places[i].kind == 0) read_lines(loads, base + places[i].address(), 1, line);
    }
    for (std::uint32_t i = 0; i < MAX_PLACES; ++i) {
        if (places[i].writes) touch(stores, bus_errors, base + places[i].address());
    }
}

static bool shifts_hold(const std::uint32_t header[LINE_WORDS]) {
    const std::int32_t j = std::int32_t(header[COEFFICIENTS_HEADER_J / 4]);
    return header[COEFFICIENTS_HEADER_K / 4] <= MAX_MAP_SHIFT && -std::int32_t(MAX_SHIFT) <= j
        && j <= std::int32_t(MAX_SHIFT) && header[COEFFICIENTS_HEADER_SCALE_SHIFT / 4] <= MAX_SCALE_SHIFT;
}

std::uint32_t check_headers(const place_t places[MAX_PLACES], const headers_t headers, std::uint32_t count) {
    bool fit = true;
    for (std::uint32_t i = 0; i < MAX_PLACES; ++i) {
        const place_t& place = places[i];
        if (place.kind == 0 || !place.reads) continue;
        fit &= written(place, headers[i]);
        fit &= place.kind != BLOCK_TALLY || headers[i][TALLY_HEADER_COUNT / 4] == count;
        fit &= place.kind != BLOCK_COEFFICIENTS || shifts_hold(headers[i]);
    }
    return fit ? ERROR_OK : ERROR_COEFFICIENTS;
}

}  // namespace cpt
