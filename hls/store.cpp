// Store: writes the results of a job, lane by lane, and the row sums; no byte but those of the results.
#include "stages.hpp"
#include "store_run.hpp"

namespace cpt {

/// How a lane's pieces lie in memory: `segments` of `words` words, `stride` bytes apart.
struct Layout {
    address_t address;
    std::uint32_t segments;
    std::uint32_t words;
    std::uint32_t stride;
    std::uint32_t bytes;   // of each word that are written
};

static Layout layout_of(
    const Command& c, const Plan& plan, const Job& job, std::uint32_t lane, std::uint32_t positions, address_t base) {
    const Place place = place_of(c, plan, job, lane);
    const address_t tile = base + c.out_addr + std::uint64_t(place.image) * c.out_image_stride
        + std::uint64_t(tile_block(job)) * c.out_block_stride;
    if (!c.is_planes()) {
        const address_t address = tile + (std::uint64_t(place.pixel) * BLOCK + tile_channel(job)) * plan.word_bytes;
        return Layout{address, positions, COLUMNS * plan.word_bytes / 2, BLOCK * plan.word_bytes, 3};
    }
    const std::uint64_t before = std::uint64_t(job.row) * c.out_bits * c.y_width + job.chunk * plan.chunk_size;
    const std::uint32_t bytes = (COLUMNS == BLOCK ? 3 : 1) << tile_channel(job) / 8;
    return Layout{tile + 2 * before, c.out_bits, positions, 2 * c.y_width, bytes};
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

static void store_results(
    const Command& c, const Plan& plan, const Layout& layout, const piece_t pieces[ROW_PIECES], Run& run,
    store_port_t& stores) {
    // Segments without a gap between them make one run.
    const bool gapless = layout.stride == 2 * layout.words;
    const std::uint32_t step = c.is_planes() ? STORE_POSITIONS : STORE_WORDS;
    for (std::uint32_t segment = 0; segment < layout.segments; ++segment) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=64
        const bool last = !gapless || segment + 1 == layout.segments;
        if (segment == 0 || !gapless) {
            const address_t address = layout.address + std::uint64_t(segment) * layout.stride;
            begin(run, address, gapless ? layout.segments * layout.words : layout.words, stores);
        }
        for (std::uint32_t at = 0; at < layout.words; at += step) {
            // As fast as the port allows: a step can end one beat and fill the run's last one, which are two writes.
#pragma HLS PIPELINE
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
            word_t words[STORE_WORDS];
            gather(c, plan, pieces, segment, at, words);
            const std::uint32_t left = layout.words - at;
            put(run, words, min_of(step, left), layout.bytes, last && left <= step, stores);
        }
    }
}

static void store_sums(
    address_t address, std::uint32_t positions, const sum_t sums[ROW_PIECES], Run& run, store_port_t& stores) {
    begin(run, address, 2 * positions, stores);
    for (std::uint32_t position = 0; position < positions; ++position) {
        // As in store_results: no II is asked for, since a step may write two beats.
#pragma HLS PIPELINE
#pragma HLS LOOP_TRIPCOUNT min=1 max=64
        const std::uint32_t sum = std::uint32_t(sums[position]);
        word_t words[STORE_WORDS] = {word_t(sum), word_t(sum >> 16)};
        put(run, words, 2, 3, position + 1 == positions, stores);
    }
}

void store(
    const Command& command, const Plan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, store_port_t& stores, const piece_t pieces[LANES][ROW_PIECES],
    const sum_t sums[LANES][ROW_PIECES], const tally_t tallies[COLUMNS]) {
    static Job job;
    job = next_job(plan, index, job);
    // A command that has met an error writes no more, as far as that is still possible.
    const ap_uint<2> errors = *bus_errors;
    if (errors != 0 || !job_completes(plan, job)) return;
    const std::uint32_t lanes = active_lanes(plan, job);
    const std::uint32_t positions = job_positions(command, plan, job);
    const bool with_sums = command.flag(FLAG_ROW_SUMS) && job.tile == 0;
    Run run = {};
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=43
        const Layout layout = layout_of(command, plan, job, lane, positions, base);
        store_results(command, plan, layout, pieces[lane], run, stores);
        if (with_sums) {
            const Place place = place_of(command, plan, job, lane);
            const std::uint64_t row = std::uint64_t(place.image) * plan.area + place.pixel;
            store_sums(base + command.sums_addr + 4 * row, positions, sums[lane], run, stores);
        }
    }
    end_runs(run, stores);
    if (VECTOR_UNIT && command.flag(FLAG_STATS) && job.ends_tile(plan)) {
        const std::uint32_t count = command.images * plan.area;
        store_tallies(tallies, job.tile, plan.tiles, count, base + command.tally_addr, stores, bus_errors);
    }
}

}  // namespace cpt
