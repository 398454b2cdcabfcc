// What the checks of several commands share: limits of values, and the count of a map's pixels.
#pragma once

#include "commands.hpp"

namespace cpt {

inline bool within(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
    return least <= value && value <= most;
}

template <typename Kind>
bool map_limits_hold(const Kind& c) {
    return within(c.images, 1, MAX_IMAGES) && within(c.height, 1, MAX_EXTENT) && within(c.width, 1, MAX_EXTENT);
}

/// images * height * width of a command, within 40 bits.
template <typename Kind>
std::uint64_t pixels_of(const Kind& c) {
    return std::uint64_t(c.images) * c.height * c.width;
}

}  // namespace cpt
