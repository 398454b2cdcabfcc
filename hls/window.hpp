// Which elements of A lie under a window, without a division: places of the zero-inserted map are counted, not divided.
#pragma once

#include "bands.hpp"
#include "command.hpp"

namespace cpt {

/// A distance on the zero-inserted axis, where elements are `up` places apart: so many elements and a rest of places.
struct Distance {
    std::uint32_t elements;
    std::uint32_t rest;
};

/// A place on that axis: `phase` places behind element `index`, which may lie before the map.
struct Spot {
    std::int32_t index;
    std::uint32_t phase;

    bool hits(std::uint32_t extent) const { return phase == 0 && index >= 0 && index < std::int32_t(extent); }
    std::int32_t next_element() const { return index + (phase > 0 ? 1 : 0); }
};

inline Spot moved(const Spot& spot, const Distance& by, std::uint32_t up) {
#pragma HLS INLINE
    const std::uint32_t phase = spot.phase + by.rest;
    const bool carry = phase >= up;
    return Spot{spot.index + std::int32_t(by.elements) + (carry ? 1 : 0), carry ? phase - up : phase};
}

// Distances that are looked up: of the taps of a kernel, and those read beside them.
constexpr std::uint32_t DISTANCES = MAX_KERNEL + READ_TAPS;

/// One axis of a command's windows.
struct Axis {
    std::uint32_t up;
    Distance distances[DISTANCES];   // of 0, 1, 2 ... places
    Distance stride;
    Spot first;                      // where the first window starts
    std::uint32_t extent;            // of the map
    std::int32_t origin;             // of A: what is element 0 here
};

inline Axis make_axis(std::uint32_t up, std::uint32_t stride, std::uint32_t pad, std::uint32_t extent) {
#pragma HLS INLINE off
    Axis axis;
#pragma HLS ARRAY_PARTITION variable=axis.distances complete
    axis.up = up;
    axis.extent = extent;
    axis.origin = 0;
    Distance distance = {0, 0};
    Distance before = {0, 0};
    make_distances: for (std::uint32_t places = 0; places < MAX_PADDING + 1; ++places) {
#pragma HLS PIPELINE II=1
        if (places < DISTANCES) axis.distances[places] = distance;
        if (places == stride) axis.stride = distance;
        if (places == pad) before = distance;
        const bool whole = distance.rest + 1 == up;
        distance = Distance{distance.elements + (whole ? 1 : 0), whole ? 0 : distance.rest + 1};
    }
    const bool between = before.rest > 0;
    axis.first = Spot{-std::int32_t(before.elements) - (between ? 1 : 0), between ? up - before.rest : 0};
    return axis;
}

/// The axis of rows. Where images are cut into bands, rows count from where the first window of a band starts, and all
/// exist: those that a lane's image has not are zeros on chip.
inline Axis row_axis(const Command& c, const Bands& bands) {
    Axis axis = make_axis(c.up_y, c.stride_y, c.pad_top, c.a_height);
    if (bands.count > 1) {
        axis.origin = axis.first.index;
        axis.first.index = 0;
        axis.extent = (MAX_EXTENT + 1) * MAX_STEP;
    }
    return axis;
}

inline Axis column_axis(const Command& c) { return make_axis(c.up_x, c.stride_x, c.pad_left, c.a_width); }

/// Rows [first, end) of an axis.
struct Rows {
    std::uint32_t first;
    std::uint32_t end;
    std::uint32_t slot;   // of a ring of kernel_h rows: where row `first` lies, which is row 0's after kernel_h rows
};

/// The windows of one output row after the other, from the top of an image to its end.
class RowWalk {
public:
    /// Goes to output row `row`, which is 0 or the one after the row before.
    void go_to(const Command& c, const Axis& axis, std::uint32_t row) {
        top_ = row == 0 ? axis.first : moved(top_, axis.stride, axis.up);
        const Rows before = rows_;
        const std::int32_t first = top_.next_element();
        const std::int32_t end = moved(top_, axis.distances[c.kernel_h], axis.up).next_element();
        rows_.end = within(end, axis.extent);
        rows_.first = within(first, rows_.end);
        if (row > 0 && rows_.first < before.end) rows_.first = before.end;
        if (rows_.first > rows_.end) rows_.first = rows_.end;
        if (row == 0) slot_ = slot_row_ = 0;
        count_slots(c, rows_.first);
        rows_.slot = slot_;
    }

    const Spot& top() const { return top_; }
    /// The rows under this output row that were not under the one before.
    const Rows& rows() const { return rows_; }

private:
    static std::uint32_t within(std::int32_t row, std::uint32_t extent) {
        return row < 0 ? 0 : min_of(std::uint32_t(row), extent);
    }

    /// Slots are counted along with rows: the one of row `row`, which is not before the last one asked for.
    void count_slots(const Command& c, std::uint32_t row) {
        count_rows: while (slot_row_ < row) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=0 max=15
            ++slot_row_;
            if (++slot_ == c.kernel_h) slot_ = 0;
        }
    }

    Spot top_ = {0, 0};
    Rows rows_ = {0, 0, 0};
    std::uint32_t slot_ = 0;
    std::uint32_t slot_row_ = 0;
};

}  // namespace cpt
