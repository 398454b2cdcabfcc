// Strips of a shared WGRAD: some output rows of an image, or of two narrow ones, and where their pixels lie on chip.
//
// A group of 16 pixels of K is 16 consecutive ones of an output row, or 8 of the same row of two images. A strip's rows
// of A and of the error lie on chip as in memory, [row][bit][column], each image of a pair in a memory of its own. With
// a stride, each phase of A's columns lies by itself, [phase][row][bit][column]: neighbours there are neighbours of K.
#pragma once

#include "plan.hpp"
#include "types.hpp"

namespace cpt {

struct Strip {
    std::uint32_t image;
    std::uint32_t images;    // of the pair that exist
    std::uint32_t row;       // the first output row
    std::uint32_t rows;
    std::uint32_t a_first;   // rows [a_first, a_end) of A lie under them
    std::uint32_t a_end;
};

inline Strip strip_of(const Command& c, const Plan& plan, const Job& job) {
    Strip strip;
    strip.image = job.row * plan.images;
    strip.images = min_of(plan.images, c.images - strip.image);
    strip.row = job.chunk * plan.strip_rows;
    strip.rows = min_of(plan.strip_rows, c.y_height - strip.row);
    const std::int32_t top = std::int32_t(strip.row * c.stride_y) - std::int32_t(c.pad_top);
    const std::int32_t bottom = top + std::int32_t((strip.rows - 1) * c.stride_y + c.kernel_h);
    strip.a_first = top < 0 ? 0 : min_of(std::uint32_t(top), c.a_height);
    strip.a_end = bottom < 0 ? 0 : min_of(std::uint32_t(bottom), c.a_height);
    if (strip.a_end < strip.a_first) strip.a_end = strip.a_first;
    return strip;
}

// Words of the errors of a strip, of one image; the columns' memory holds two strips.
constexpr std::uint32_t ERROR_HALF = STRIP_SLICES * MAX_OPERAND_BITS * SLICE_PIXELS;

/// Whether a job follows, whose strip is taken in while this one's is worked on.
inline bool has_next(const Plan& plan, std::uint32_t index) { return plan.first_job + index + 1 < plan.jobs; }

/// The words that a strip's rows come in: first those of one image, then of the other.
struct Intake {
    std::uint32_t left[2];
};

/// Words of a phase of the rows of A.
inline std::uint32_t phase_words(const Command& c, const Plan& plan, const Strip& strip) {
    return (strip.a_end - strip.a_first) * c.a_bits * plan.phase_width;
}

inline Intake a_intake(const Command& c, const Plan& plan, const Strip& strip) {
    const std::uint32_t words = plan.phases * phase_words(c, plan, strip);
    return Intake{{words, strip.images == 2 ? words : 0}};
}

inline Intake b_intake(const Command& c, const Strip& strip) {
    const std::uint32_t words = strip.rows * c.b_bits * c.y_width;
    return Intake{{words, strip.images == 2 ? words : 0}};
}

/// A piece: BANKS pixels of a group. Pieces count through the groups of an output row, and through rows.
constexpr std::uint32_t GROUP_PIECES = BLOCK / BANKS;
constexpr std::uint32_t SLICE_PIECES = SLICE_GROUPS * GROUP_PIECES;
static_assert(SLICE_PIECES % PIECE_READERS == 0, "readers share the pieces of a slice evenly");

struct Piece {
    std::uint32_t row;      // of the strip
    std::uint32_t group;    // of the row
    std::uint32_t part;     // of the group
};

inline Piece piece_after(const Plan& plan, Piece piece) {
#pragma HLS INLINE
    if (++piece.part < GROUP_PIECES) return piece;
    piece.part = 0;
    if (++piece.group < plan.row_groups) return piece;
    piece.group = 0;
    ++piece.row;
    return piece;
}

/// The column of the piece's first pixel that belongs to an image; when two share a group, both count from 0.
inline std::uint32_t piece_column(const Plan& plan, const Piece& piece) {
#pragma HLS INLINE
    const std::uint32_t pixel = piece.part * BANKS;
    return plan.images == 2 ? pixel % HALF_GROUP : piece.group * BLOCK + pixel;
}

/// Pixel `i` of a piece: which image of a pair it belongs to, and how far it lies behind the piece's column.
struct PiecePixel {
    std::uint32_t image;
    std::uint32_t offset;
};

inline PiecePixel piece_pixel(const Plan& plan, const Piece& piece, std::uint32_t i) {
#pragma HLS INLINE
    if (plan.images == 1) return PiecePixel{0, i};
    return PiecePixel{(piece.part * BANKS + i) / HALF_GROUP, i % min_of(HALF_GROUP, BANKS)};
}

}  // namespace cpt
