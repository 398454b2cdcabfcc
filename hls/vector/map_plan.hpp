// How a MAP is cut into strips that fit the memories, and what a strip covers. Every stage counts the strips by itself.
#pragma once

#include "places.hpp"

namespace cpt {

// A segment: consecutive words of one plane of one row, as many as an operand's memory takes in a cycle. Half a beat:
// each word of it is a bank in all planes of five memories, which cost more LUTs than a faster MAP is worth.
constexpr std::uint32_t SEGMENT_WORDS = BEAT_WORDS / 2;
constexpr std::uint32_t STRIP_SEGMENTS = 16;
constexpr std::uint32_t STRIP_WIDTH = STRIP_SEGMENTS * SEGMENT_WORDS;
static_assert(SEGMENT_WORDS <= STORE_WORDS, "the store takes a segment in a cycle");

/// One of a MAP's tensors. Offsets wrap at 32 bits, as RANGE has shown that nothing lies beyond.
struct map_tensor_t {
    std::uint32_t address;
    std::uint32_t bits;           // 0: the command does not have it
    std::uint32_t block_stride;   // bytes of a tile
    std::uint32_t image_stride;
    bool one_pixel;               // an image, which stands for the whole map
};

enum MapTensor { TENSOR_X0, TENSOR_X1, TENSOR_X2, TENSOR_MASK_IN, TENSOR_OUT0, TENSOR_OUT1, TENSOR_MASK_OUT };
constexpr std::uint32_t MAP_OPERANDS = 4;
constexpr std::uint32_t MAP_TENSORS = 7;

/// What follows from a command once. A strip is several rows of a tile, or a piece of a row too wide for the memories;
/// strips run with the piece counting fastest, then rows, images, blocks, so that a block's tally ends with its strips.
struct MapPlan {
    map_tensor_t tensors[MAP_TENSORS];
    std::uint32_t row_segments;   // of a row, or of a full piece of one
    std::uint32_t strip_rows;
    std::uint32_t pieces;         // of a row
    std::uint64_t jobs;
    std::uint64_t first_job;      // of those now in the stages, which count on from it
};

struct MapJob {
    std::uint32_t piece;
    std::uint32_t row;     // the strip's first
    std::uint32_t image;
    std::uint32_t block;

    bool starts_block() const { return piece == 0 && row == 0 && image == 0; }
    bool ends_block(const MapCommand& c, const MapPlan& plan) const {
        return piece + 1 == plan.pieces && row + plan.strip_rows >= c.height && image + 1 == c.images;
    }
};

MapPlan make_map_plan(const MapCommand& command);

/// Strip `plan.first_job + index`, from the one before.
inline MapJob next_map_job(const MapCommand& c, const MapPlan& plan, std::uint32_t index, MapJob job) {
    if (plan.first_job + index == 0) return MapJob{0, 0, 0, 0};
    if (++job.piece < plan.pieces) return job;
    job.piece = 0;
    job.row += plan.strip_rows;
    if (job.row < c.height) return job;
    job.row = 0;
    if (++job.image < c.images) return job;
    job.image = 0;
    ++job.block;
    return job;
}

inline std::uint32_t rows_of(const MapCommand& c, const MapPlan& plan, const MapJob& job) {
    return min_of(plan.strip_rows, c.height - job.row);
}
inline std::uint32_t width_of(const MapCommand& c, const MapJob& job) {
    return min_of(STRIP_WIDTH, c.width - job.piece * STRIP_WIDTH);
}

/// A strip of one tensor in memory: `runs` runs of `lines` lines of `words` words; a line is one plane of one row.
struct strip_t {
    std::uint32_t address;
    std::uint32_t runs;
    std::uint32_t stride;   // bytes between runs
    std::uint32_t lines;
    std::uint32_t words;
};

/// All planes of whole rows lie one behind the other; pieces of a row lie apart, plane by plane.
inline strip_t strip_of(const MapCommand& c, const MapPlan& plan, const MapJob& job, const map_tensor_t& tensor) {
    const std::uint32_t tile = tensor.address + job.image * tensor.image_stride + job.block * tensor.block_stride;
    if (tensor.one_pixel) return strip_t{tile, 1, 0, tensor.bits, 1};
    const std::uint32_t before = job.row * tensor.bits * c.width + job.piece * STRIP_WIDTH;
    const std::uint32_t rows = rows_of(c, plan, job);
    if (plan.pieces == 1) return strip_t{tile + 2 * before, 1, 0, rows * tensor.bits, c.width};
    return strip_t{tile + 2 * before, tensor.bits, 2u * c.width, 1, width_of(c, job)};
}

}  // namespace cpt
