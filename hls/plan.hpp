// How a command is cut into jobs, and what a job covers. Every stage counts the jobs by itself.
#pragma once

#include "bands.hpp"
#include "command.hpp"
#include "window.hpp"

namespace cpt {

/// What follows from a command once. Jobs run with the chunk counting fastest, then the row, the round, the tile.
///
///              lanes work on                chunk                     row             round        tile
///     CONV     a band each, same pixel      a piece of an output row  a row of bands  LANES bands  COLUMNS channels
///     WGRAD    an (input channel, tap)      16 slices of K            -               LANES rows   COLUMNS channels
///     shared   an (input channel, tap)      a strip of output rows    an image or two 16 channels  COLUMNS channels
///
/// `shared` is a WGRAD all of whose taps are formed from the same rows on chip, which are loaded once a round: lanes
/// turn to the next UNITS taps, and the array keeps the sums of all of them. It needs rows that fit and are a multiple
/// of the stride wide; any other WGRAD loads what each tap sees.
struct Plan {
    bool wgrad;
    bool shared;
    std::uint32_t row_groups;   // shared: groups of 16 pixels of an output row
    std::uint32_t strip_rows;   // ... output rows of a full strip
    std::uint32_t images;       // ... that share a group: two when rows have at most 8 pixels
    std::uint32_t turns;        // ... of the lanes, to reach all taps; 1 in all other commands
    std::uint32_t phases;       // ... every stride_x-th column of A makes one: those that taps see
    std::uint32_t phase_width;  // WGRAD: columns of a phase
    std::uint32_t odd_columns;  // ... phases that have one column more
    Spot first_tap;             // ... what it sees from output column 0: a column of a phase
    Bands bands;                // CONV: how images are cut for the lanes
    std::uint64_t slices;       // of K
    std::uint32_t lane_rows;    // what is dealt to lanes: bands, or input channels times taps
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

/// Slices of a strip with this many groups of pixels: at most STRIP_SLICES.
inline std::uint32_t strip_slices(std::uint32_t groups) { return ceil_div(groups, SLICE_GROUPS); }
constexpr std::uint32_t STRIP_GROUPS = STRIP_SLICES * SLICE_GROUPS;

// Words of the rows of a strip; the lane memories hold two strips, each behind a margin that a window may start in.
constexpr std::uint32_t STRIP_MARGIN = 2 * BLOCK;
constexpr std::uint32_t STRIP_HALF = LANE_WORDS / 2 / BLOCK * BLOCK;
constexpr std::uint32_t STRIP_WORDS = STRIP_HALF - 2 * STRIP_MARGIN;

/// How a shared WGRAD is cut into strips; `shared` stays false where it cannot be.
inline void plan_strips(const Command& c, Plan& plan) {
    plan.row_groups = ceil_div(c.y_width, BLOCK);
    plan.images = c.y_width <= HALF_GROUP ? 2 : 1;
    plan.strip_rows = 1;
    const quotient_t width = divided(c.a_width, c.stride_x);
    plan.phases = min_of(c.kernel_w, c.stride_x);
    plan.phase_width = width.whole;
    plan.odd_columns = width.rest;
    plan.first_tap = make_axis(c.stride_x, 1, c.pad_left, c.a_width).first;
    const std::uint32_t row_words = c.a_bits * plan.phases * plan.phase_width;
    strip_rows: while (
        plan.strip_rows < c.y_height && (plan.strip_rows + 1) * plan.row_groups <= STRIP_GROUPS
        && (plan.strip_rows * c.stride_y + c.kernel_h) * row_words <= STRIP_WORDS) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=17
        ++plan.strip_rows;
    }
    std::uint32_t turns = 0, taps = 0;
    count_turns: while (taps < c.taps()) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=225
        taps += UNITS;
        ++turns;
    }
    const std::uint32_t words = ((plan.strip_rows - 1) * c.stride_y + c.kernel_h) * row_words;
    plan.shared = width.rest == 0 && c.stride_x <= BANKS && words <= STRIP_WORDS
        && taps == c.taps() && turns <= CONTEXTS && turns * plan.pieces <= ROW_PIECES
        && plan.row_groups * plan.strip_rows <= STRIP_GROUPS;
    plan.turns = plan.shared ? turns : 1;
}

inline Plan make_plan(const Command& command) {
    Plan plan;
    plan.shared = false;
    plan.turns = 1;
    plan.bands = Bands{};
    plan.wgrad = command.is_wgrad();
    plan.word_bytes = command.is_planes() ? 0 : 2u << command.out_format;   // INT16, INT32, INT64 are 0, 1, 2
    plan.pieces = max_of(1, COLUMNS * plan.word_bytes / (2 * BLOCK));
    plan.tiles = command.y_blocks;
    if (plan.wgrad) {
        const std::uint64_t pixels = std::uint64_t(command.images) * command.y_height * command.y_width;
        plan.slices = (pixels + SLICE_PIXELS - 1) / SLICE_PIXELS;
        plan.lane_rows = command.a_blocks * BLOCK * command.taps();
        plan.chunk_size = SLICES_PER_JOB;
        plan.chunks = std::uint32_t((plan.slices + SLICES_PER_JOB - 1) / SLICES_PER_JOB);
        plan.rows = 1;
        plan.area = command.taps();
        plan_strips(command, plan);
    } else {
        plan.slices = ceil_div(command.taps() * command.a_blocks, SLICE_GROUPS);
        plan.bands = choose_bands(command);
        plan.lane_rows = command.images * plan.bands.count;
        plan.chunk_size = ROW_PIECES >> (command.is_planes() ? 0 : command.out_format);   // / plan.pieces
        plan.chunks = divided_up(command.y_width, plan.chunk_size);
        plan.rows = plan.bands.rows;
        plan.area = command.y_height * command.y_width;
    }
    if (plan.shared) {
        plan.lane_rows = command.a_blocks * LANES;
        plan.chunk_size = plan.strip_rows;
        plan.chunks = 0;
        std::uint32_t left = command.y_height;
        plan.slices = 0;
        count_strips: while (left > 0) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
            const std::uint32_t rows = min_of(left, plan.strip_rows);
            plan.slices += strip_slices(rows * plan.row_groups);
            ++plan.chunks;
            left -= rows;
        }
        plan.rows = plan.images == 2 ? ceil_div(command.images, 2) : command.images;
        plan.slices *= plan.rows;
    }
    plan.rounds = ceil_div(plan.lane_rows, LANES);
    plan.jobs = std::uint64_t(plan.tiles) * plan.rounds * plan.rows * plan.chunks;
    plan.first_job = 0;
    return plan;
}

/// The array steps of a command: operand pairs that each column and lane takes.
inline std::uint64_t array_steps(const Command& command, const Plan& plan) {
    std::uint64_t positions = std::uint64_t(plan.turns) * plan.rounds;
    if (!plan.wgrad) {
        const std::uint32_t whole = ceil_div(plan.lane_rows - plan.bands.images, LANES);   // rounds with whole bands
        const std::uint32_t short_rows = (plan.rounds - whole) * plan.bands.last_rows;
        positions = std::uint64_t(command.y_width) * (std::uint64_t(whole) * plan.rows + short_rows);
    }
    return positions * plan.slices * command.a_bits * command.b_bits * plan.tiles;
}

/// A WGRAD's unit of 16 rows of the gradient: the channels of an input block at a tap.
struct Unit {
    std::uint32_t block;
    std::uint32_t tap;
};

/// The unit `count` units on, at most UNITS; counted, as a division would take longer.
inline Unit unit_after(Unit unit, std::uint32_t count, std::uint32_t taps) {
#pragma HLS INLINE
    unit.tap += count;
    for (std::uint32_t i = 0; i < UNITS; ++i) {
#pragma HLS UNROLL
        if (unit.tap >= taps) {
            unit.tap -= taps;
            ++unit.block;
        }
    }
    return unit;
}

struct Job {
    std::uint32_t chunk;
    std::uint32_t row;
    std::uint32_t round;
    std::uint32_t tile;
    Unit unit;   // of the round's first lane, in a WGRAD
    Band band;   // ... in a CONV

    bool starts_command() const { return starts_tile() && tile == 0; }
    /// The first job of a column tile, when a CONV's weights are loaded.
    bool starts_tile() const { return chunk == 0 && row == 0 && round == 0; }
    /// The last job of a column tile.
    bool ends_tile(const Plan& plan) const {
        return chunk + 1 == plan.chunks && row + 1 == plan.rows && round + 1 == plan.rounds;
    }
};

/// Job `plan.first_job + index`, from the one before.
inline Job next_job(const Plan& plan, std::uint32_t index, Job job) {
    if (plan.first_job + index == 0) return Job{0, 0, 0, 0, {0, 0}, {0, 0, 0}};
    if (++job.chunk < plan.chunks) return job;
    job.chunk = 0;
    if (++job.row < plan.rows) return job;
    job.row = 0;
    job.unit = unit_after(job.unit, UNITS, plan.area);
    job.band = band_after(plan.bands, job.band, plan.bands.round);
    if (++job.round < plan.rounds) return job;
    job.round = 0;
    job.unit = Unit{0, 0};
    job.band = Band{0, 0, 0};
    ++job.tile;
    return job;
}

/// Those before the first without work: none where a round of last bands has ended.
inline std::uint32_t active_lanes(const Plan& plan, const Job& job) {
    const bool bands_ended = !plan.wgrad && job.row >= plan.bands.last_rows;
    const std::uint32_t end = plan.lane_rows - (bands_ended ? plan.bands.images : 0);
    const std::uint32_t first = job.round * LANES;
    return first < end ? min_of(LANES, end - first) : 0;
}

/// Slices of K that the job adds up, for each of its positions.
inline std::uint32_t job_slices(const Command& command, const Plan& plan, const Job& job) {
    if (!plan.wgrad) return std::uint32_t(plan.slices);
    if (plan.shared) {
        return strip_slices(min_of(plan.strip_rows, command.y_height - job.chunk * plan.strip_rows) * plan.row_groups);
    }
    const std::uint64_t left = plan.slices - std::uint64_t(job.chunk) * SLICES_PER_JOB;
    return left < SLICES_PER_JOB ? std::uint32_t(left) : SLICES_PER_JOB;
}

/// Positions that a lane works on in the job.
inline std::uint32_t job_positions(const Command& command, const Plan& plan, const Job& job) {
    if (plan.shared) return plan.turns;
    if (active_lanes(plan, job) == 0) return 0;
    return plan.wgrad ? 1 : min_of(plan.chunk_size, command.y_width - job.chunk * plan.chunk_size);
}

/// True when the job ends its positions' sums: always but in the middle of a WGRAD's K.
inline bool job_completes(const Plan& plan, const Job& job) {
    return !plan.wgrad || (job.chunk + 1 == plan.chunks && job.row + 1 == plan.rows);
}

/// True when the job starts its positions' sums.
inline bool job_starts(const Plan& plan, const Job& job) { return !plan.wgrad || (job.chunk == 0 && job.row == 0); }

/// Where a lane's first result of a job belongs: image and pixel of the result tensor.
struct Place {
    std::uint32_t image;
    std::uint32_t pixel;
};

/// `band` is the lane's in a CONV; who goes through the lanes counts it along.
inline Place place_of(
    const Command& command, const Plan& plan, const Job& job, std::uint32_t lane, const Band& band) {
    if (!plan.wgrad) {
        return Place{band.image, band.pixel + job.row * command.y_width + job.chunk * plan.chunk_size};
    }
    if (plan.shared) return Place{job.round * BLOCK + lane % BLOCK, lane / BLOCK};   // positions are UNITS taps apart
    const Unit unit = unit_after(job.unit, lane / BLOCK, plan.area);   // rows count (block, tap, channel of the block)
    return Place{unit.block * BLOCK + lane % BLOCK, unit.tap};
}

/// The units that a WGRAD's round of lanes works on.
inline std::uint32_t unit_count(const Plan& plan, const Job& job) { return active_lanes(plan, job) / BLOCK; }

}  // namespace cpt
