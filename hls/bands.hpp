// Bands: what a CONV deals to lanes, some output rows of an image each, so that few images fill many lanes.
//
// Bands of all images count together, images fastest: all lanes are at the same row of their bands, and the lowest
// bands of the images, which may have fewer rows, come last. One band an image is the image.
#pragma once

#include "command.hpp"
#include "divide.hpp"

namespace cpt {

/// A band, or how far it is to another.
struct Band {
    std::uint32_t image;
    std::uint32_t pixel;   // of the output map, the band's first
    std::uint32_t a_row;   // of A: how far the band's first window lies below the image's
};

/// How the images of a command are cut.
struct Bands {
    std::uint32_t images;
    std::uint32_t count;       // of an image
    std::uint32_t rows;        // output rows of a band
    std::uint32_t last_rows;   // of an image's last one
    Band below;                // from a band to the next one of its image
    Band round;                // from a lane's band to its next
};

/// As few bands as fill the lanes well. A round of lanes costs about a row more than its rows: its first windows.
inline Bands choose_bands(const Command& c) {
    Bands best = {};
    std::uint32_t least = 0;   // rows of the best so far
    std::uint32_t bands = 0;   // of all images
    try_bands: for (std::uint32_t count = 1; count <= LANES; ++count) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        bands += c.images;
        // Windows of all bands start in the same phase of a zero-inserted map: bands are `up` rows or a multiple.
        const std::uint32_t parts = count == 1 ? 0 : divided_up(c.y_height, count * c.up_y);
        const std::uint32_t rows = count == 1 ? c.y_height : parts * c.up_y;
        const std::uint32_t before = (count - 1) * rows;   // rows of all bands but the last
        const std::uint32_t cost = ceil_div(bands, LANES) * (rows + 1);
        if (before < c.y_height && (count == 1 || cost < least)) {
            least = cost;
            best = Bands{c.images, count, rows, c.y_height - before, {0, rows * c.y_width, parts * c.stride_y},
                         {LANES, 0, 0}};
        }
        // More bands than fill the lanes only cost rounds; and a band has a row at least.
        if ((bands % LANES == 0 && count * rows == c.y_height) || count * c.up_y >= c.y_height) break;
    }
    count_round: while (best.round.image >= c.images) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=16
        best.round.image -= c.images;
        best.round.pixel += best.below.pixel;
        best.round.a_row += best.below.a_row;
    }
    return best;
}

/// The band `by` behind a band: by fewer images than there are.
inline Band band_after(const Bands& bands, const Band& band, const Band& by) {
#pragma HLS INLINE
    const Band next = {band.image + by.image, band.pixel + by.pixel, band.a_row + by.a_row};
    if (next.image < bands.images) return next;
    return Band{next.image - bands.images, next.pixel + bands.below.pixel, next.a_row + bands.below.a_row};
}

constexpr Band NEXT_BAND = {1, 0, 0};

}  // namespace cpt
