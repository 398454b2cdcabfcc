// How a command is cut into jobs, and what a job covers. Every stage counts the jobs by itself.
#pragma once

#include "command.hpp"
#include "build.hpp"

namespace cpt {

/// What follows from a command once. Jobs run with the chunk counting fastest, then the row, the round, the tile.
///
///              lanes work on                chunk                     row             round        tile
///     CONV     an image each, same pixel    a piece of an output row  an output row   LANES images COLUMNS channels
///     WGRAD    an (input channel, tap)      16 slices of K            -               LANES rows   COLUMNS channels
struct Plan {
    bool wgrad;
    std::uint64_t slices;       // of K
    std::uint32_t lane_rows;    // what is dealt to lanes: images, or input channels times taps
    std::uint32_t chunk_size;   // positions (CONV) or slices (WGRAD) of a full chunk
    std::uint32_t chunks;
    std::uint32_t rows;
    std::uint32_t rounds;
    std::uint32_t tiles;
    std::uint64_t jobs;
    std::uint64_t first_job;    // of those now in the stages, which count on from it
    std::uint32_t word_bytes;   // of one number in memory; 0 for planes
    std::uint32_t pieces;       // of 16 words that a position's results fill
    std::uint32_t area;         // positions of one tile of the result
};

inline Plan make_plan(const Command& command) {
    Plan plan;
    plan.wgrad = command.is_wgrad();
    plan.word_bytes = command.is_planes() ? 0 : 2u << command.out_format;   // INT16, INT32, INT64 are 0, 1, 2
    plan.pieces = max_of(1, COLUMNS * plan.word_bytes / (2 * BLOCK));
    plan.tiles = command.y_blocks * TILES_PER_BLOCK;
    if (plan.wgrad) {
        const std::uint64_t pixels = std::uint64_t(command.images) * command.y_height * command.y_width;
        plan.slices = (pixels + SLICE_PIXELS - 1) / SLICE_PIXELS;
        plan.lane_rows = command.a_blocks * BLOCK * command.taps();
        plan.chunk_size = SLICES_PER_JOB;
        plan.chunks = std::uint32_t((plan.slices + SLICES_PER_JOB - 1) / SLICES_PER_JOB);
        plan.rows = 1;
        plan.area = command.taps();
    } else {
        plan.slices = ceil_div(command.taps() * command.a_blocks, SLICE_GROUPS);
        plan.lane_rows = command.images;
        plan.chunk_size = ROW_PIECES / plan.pieces;
        plan.chunks = ceil_div(command.y_width, plan.chunk_size);
        plan.rows = command.y_height;
        plan.area = command.y_height * command.y_width;
    }
    plan.rounds = ceil_div(plan.lane_rows, LANES);
    plan.jobs = std::uint64_t(plan.tiles) * plan.rounds * plan.rows * plan.chunks;
    plan.first_job = 0;
    return plan;
}

/// The array steps of a command: operand pairs that each column and lane takes.
inline std::uint64_t array_steps(const Command& command, const Plan& plan) {
    const std::uint64_t positions = plan.wgrad ? 1 : plan.area;
    return positions * plan.slices * command.a_bits * command.b_bits * plan.tiles * plan.rounds;
}

struct Job {
    std::uint32_t chunk;
    std::uint32_t row;
    std::uint32_t round;
    std::uint32_t tile;

    /// The first job of a column tile, when a CONV's weights are loaded.
    bool starts_tile() const { return chunk == 0 && row == 0 && round == 0; }
    /// The last job of a column tile.
    bool ends_tile(const Plan& plan) const {
        return chunk + 1 == plan.chunks && row + 1 == plan.rows && round + 1 == plan.rounds;
    }
};

/// Job `plan.first_job + index`, from the one before.
inline Job next_job(const Plan& plan, std::uint32_t index, Job job) {
    if (plan.first_job + index == 0) return Job{0, 0, 0, 0};
    if (++job.chunk < plan.chunks) return job;
    job.chunk = 0;
    if (++job.row < plan.rows) return job;
    job.row = 0;
    if (++job.round < plan.rounds) return job;
    job.round = 0;
    ++job.tile;
    return job;
}

inline std::uint32_t active_lanes(const Plan& plan, const Job& job) {
    return min_of(LANES, plan.lane_rows - job.round * LANES);
}

/// Slices of K that the job adds up, for each of its positions.
inline std::uint32_t job_slices(const Plan& plan, const Job& job) {
    if (!plan.wgrad) return std::uint32_t(plan.slices);
    const std::uint64_t left = plan.slices - std::uint64_t(job.chunk) * SLICES_PER_JOB;
    return left < SLICES_PER_JOB ? std::uint32_t(left) : SLICES_PER_JOB;
}

/// Positions that a lane works on in the job.
inline std::uint32_t job_positions(const Command& command, const Plan& plan, const Job& job) {
    return plan.wgrad ? 1 : min_of(plan.chunk_size, command.y_width - job.chunk * plan.chunk_size);
}

/// True when the job ends its positions' sums: always but in the middle of a WGRAD's K.
inline bool job_completes(const Plan& plan, const Job& job) { return !plan.wgrad || job.chunk + 1 == plan.chunks; }

/// Where a lane's first result of a job belongs: image and pixel of the result tensor.
struct Place {
    std::uint32_t image;
    std::uint32_t pixel;
};

inline Place place_of(const Command& command, const Plan& plan, const Job& job, std::uint32_t lane) {
    const std::uint32_t row = job.round * LANES + lane;
    if (!plan.wgrad) return Place{row, job.row * command.y_width + job.chunk * plan.chunk_size};
    const std::uint32_t unit = row / BLOCK;   // rows count (block, tap, channel of the block)
    return Place{unit / command.taps() * BLOCK + row % BLOCK, unit % command.taps()};
}

/// The first (block, tap) unit of 16 channels that a WGRAD's round of lanes touches, and how many.
inline std::uint32_t first_unit(const Job& job) { return job.round * LANES / BLOCK; }
inline std::uint32_t unit_count(const Plan& plan, const Job& job) {
    return (job.round * LANES + active_lanes(plan, job) - 1) / BLOCK - first_unit(job) + 1;
}

/// The result's block and the first of its 16 channels that a tile computes.
inline std::uint32_t tile_block(const Job& job) { return job.tile / TILES_PER_BLOCK; }
inline std::uint32_t tile_channel(const Job& job) { return job.tile % TILES_PER_BLOCK * COLUMNS; }

}  // namespace cpt
