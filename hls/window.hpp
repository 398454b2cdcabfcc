// Which rows of A the windows of an output row read, and which element of A a tap is.
#pragma once

#include "command.hpp"

namespace cpt {

/// Rows [first, end) of A.
struct Rows {
    std::uint32_t first;
    std::uint32_t end;
};

/// The rows of A under output row y: those of kernel_h rows of the padded, zero-inserted map that are not zero.
inline Rows rows_under(const Command& command, std::uint32_t y) {
    const std::int32_t top = std::int32_t(y * command.stride_y) - std::int32_t(command.pad_top);
    const std::int32_t bottom = top + std::int32_t(command.kernel_h);   // exclusive
    const std::int32_t up = std::int32_t(command.up_y);
    Rows rows;
    rows.first = top <= 0 ? 0 : std::uint32_t((top + up - 1) / up);
    rows.end = bottom <= 0 ? 0 : std::uint32_t((bottom + up - 1) / up);
    if (rows.end > command.a_height) rows.end = command.a_height;
    if (rows.first > rows.end) rows.first = rows.end;
    return rows;
}

/// The rows under output row y that were not under the row before: what a ring of kernel_h rows must take in.
inline Rows new_rows(const Command& command, std::uint32_t y) {
    Rows rows = rows_under(command, y);
    if (y > 0) {
        const Rows before = rows_under(command, y - 1);
        if (rows.first < before.end) rows.first = before.end;
    }
    return rows;
}

/// The element of A behind a place of the zero-inserted map, along one axis; `hit` is false where there is a zero.
struct Tap {
    bool hit;
    std::uint32_t index;
};

inline Tap tap_at(std::int32_t place, std::uint32_t up, std::uint32_t extent) {
    const bool inside = place >= 0;
    const std::uint32_t index = inside ? std::uint32_t(place) / up : 0;
    return Tap{inside && index * up == std::uint32_t(place) && index < extent, index};
}

}  // namespace cpt
