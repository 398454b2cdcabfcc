// Store: writes the results of a job, lane by lane, and the row sums; no byte but those of the results.
#include "stages.hpp"
#include "store_run.hpp"

namespace cpt {

/// How the pieces of every lane lie in memory: `segments` of `words` words, `stride` bytes apart.
struct Layout {
    std::uint32_t segments;
    std::uint32_t words;
    std::uint32_t stride;
    std::uint32_t step;   // words that are taken in a cycle
    bool gapless;         // segments without a gap between them make one run
};

static Layout layout_of(const Command& c, const Plan& plan, std::uint32_t positions) {
    if (!c.is_planes()) {
        const bool apart = plan.shared && UNITS > 1;   // a lane's results are those of every UNITSth tap
        const std::uint32_t bytes = BLOCK * plan.word_bytes;
        return Layout{positions, BLOCK * plan.pieces, apart ? UNITS * bytes : bytes, STORE_WORDS, !apart};
    }
    return Layout{c.out_bits, positions, 2 * c.y_width, STORE_POSITIONS, positions == c.y_width};
}

static address_t lane_address(const Command& c, const Plan& plan, const Job& job, const Place& place, address_t base) {
#pragma HLS INLINE
    const address_t tile = base + c.out_addr + std::uint64_t(place.image) * c.out_image_stride
        + std::uint64_t(job.tile) * c.out_block_stride;
    if (!c.is_planes()) return tile + std::uint64_t(place.pixel) * BLOCK * plan.word_bytes;
    const std::uint32_t column = job.chunk * plan.chunk_size;
    return tile + 2 * (std::uint64_t(place.pixel - column) * c.out_bits + column);
}

/// The words of segment `segment` from `at` on: a plane of consecutive positions, or a position's numbers.
static void gather(
    const Command& c, const Plan& plan, const piece_t pieces[ROW_PIECES], std::uint32_t segment, std::uint32_t at,
    word_t words[STORE_WORDS]) {
#pragma HLS INLINE
    for (std::uint32_t i = 0; i < STORE_WORDS; ++i) {
#pragma HLS UNROLL
        if (!c.is_planes()) {
            words[i] = pieces[segment * plan.pieces + at / BLOCK].word[at % BLOCK + i];
        } else {
            words[i] = i < STORE_POSITIONS && at + i < ROW_PIECES ? pieces[at + i].word[segment] : word_t(0);
        }
    }
}

/// What the next step of a store does: announces a run, puts words into it, or writes the rest of its last beat.
enum StoreStep { STORE_BEGIN, STORE_PUT, STORE_FLUSH };

static void store_results(
    const Command& c, const Plan& plan, const Job& job, std::uint32_t lanes, std::uint32_t positions, address_t base,
    const piece_t pieces[LANES][ROW_PIECES], Run& run, port_t& stores) {
    const Layout layout = layout_of(c, plan, positions);
    const std::uint32_t run_words = layout.gapless ? layout.segments * layout.words : layout.words;
    std::uint32_t lane = 0, segment = 0, at = 0;
    Band band = job.band;
    StoreStep next = STORE_BEGIN;
    store_steps: while (lane < lanes) {
        // One loop over all lanes, so that the pipeline never drains; at most one beat a cycle.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=2 max=4096
        if (next == STORE_BEGIN) {
            const address_t lane_start = lane_address(c, plan, job, place_of(c, plan, job, lane, band), base);
            begin(run, lane_start + std::uint64_t(segment) * layout.stride, run_words, stores);
            next = STORE_PUT;
            continue;
        }
        if (next == STORE_FLUSH) {
            flush(run, stores);
        } else {
            word_t words[STORE_WORDS];
#pragma HLS ARRAY_PARTITION variable=words complete
            gather(c, plan, pieces[lane], segment, at, words);
            const std::uint32_t left = layout.words - at;
            const bool segment_ends = left <= layout.step;
            const bool run_ends = segment_ends && (!layout.gapless || segment + 1 == layout.segments);
            const bool rest = append(run, words, min_of(layout.step, left), 3, run_ends, stores);
            at = segment_ends ? 0 : at + layout.step;
            if (segment_ends) ++segment;
            if (!run_ends) continue;
            if (rest) {
                next = STORE_FLUSH;
                continue;
            }
        }
        next = STORE_BEGIN;
        if (segment < layout.segments) continue;
        segment = 0;
        band = band_after(plan.bands, band, NEXT_BAND);
        ++lane;
    }
}

static void store_sums(
    const Command& c, const Plan& plan, const Job& job, std::uint32_t lanes, std::uint32_t positions, address_t base,
    const sum_t sums[LANES][ROW_PIECES], Run& run, port_t& stores) {
    const std::uint32_t distance = plan.shared ? UNITS : 1;   // between a lane's results
    std::uint32_t lane = 0, position = 0;
    Band band = job.band;
    StoreStep next = STORE_BEGIN;
    store_sum_steps: while (lane < lanes) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=2 max=1024
        if (next == STORE_BEGIN) {
            const Place place = place_of(c, plan, job, lane, band);
            const std::uint64_t row = std::uint64_t(place.image) * plan.area + place.pixel + position * distance;
            begin(run, base + c.sums_addr + 4 * row, distance > 1 ? 2 : 2 * positions, stores);
            next = STORE_PUT;
            continue;
        }
        if (next == STORE_FLUSH) {
            flush(run, stores);
        } else {
            const std::uint32_t sum = std::uint32_t(sums[lane][position]);
            const word_t words[STORE_WORDS] = {word_t(sum), word_t(sum >> 16)};
            const bool last = position + 1 == positions;
            const bool rest = append(run, words, 2, 3, last || distance > 1, stores);
            ++position;
            if (!last && distance == 1) continue;
            if (rest) {
                next = STORE_FLUSH;
                continue;
            }
        }
        next = STORE_BEGIN;
        if (position < positions) continue;
        position = 0;
        band = band_after(plan.bands, band, NEXT_BAND);
        ++lane;
    }
}

void store(
    const Command& command, const Plan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, port_t& stores, const piece_t pieces[LANES][ROW_PIECES],
    const sum_t sums[LANES][ROW_PIECES], const tally_t tallies[COLUMNS]) {
    static Job job;
    job = next_job(plan, index, job);
    // A command that has met an error writes no more, as far as that is still possible.
    const ap_uint<2> errors = *bus_errors;
    if (errors != 0 || !job_completes(plan, job)) return;
    const std::uint32_t lanes = active_lanes(plan, job);
    const std::uint32_t positions = job_positions(command, plan, job);
    Run run = {};
    store_results(command, plan, job, lanes, positions, base, pieces, run, stores);
    if (command.flag(FLAG_ROW_SUMS) && job.tile == 0) {
        store_sums(command, plan, job, lanes, positions, base, sums, run, stores);
    }
    end_runs(run, stores);
    if (VECTOR_UNIT && command.flag(FLAG_STATS) && job.ends_tile(plan)) {
        const std::uint32_t count = command.images * plan.area;
        store_tallies(tallies, job.tile, plan.tiles, count, base + command.tally_addr, stores, bus_errors);
    }
}

}  // namespace cpt
