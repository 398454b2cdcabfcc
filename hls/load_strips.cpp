// Load, WGRAD whose taps share rows: a strip's rows of the error and of A, a run of memory for each image and phase.
#include "load.hpp"
#include "strips.hpp"

namespace cpt {

/// Rows of a tile, the same of each image of a strip, in phases of columns.
struct Tiles {
    address_t address;
    std::uint32_t image_stride;
    std::uint32_t words;         // of a phase
    std::uint32_t destination;
    std::uint32_t step;          // between the columns of a phase
    std::uint32_t phases;
    std::uint32_t first_phase;
};

/// Words of a run: as many as fill a lane's feed and lie in as much memory as fills it when no words are between them.
static std::uint32_t run_words(std::uint32_t step) {
#pragma HLS INLINE
    std::uint32_t words = 0;   // BANKS / step
    for (std::uint32_t more = 1; more <= BANKS; ++more) {
#pragma HLS UNROLL
        if (more * step <= BANKS) ++words;
    }
    return words * LANE_FEED_PACKETS;
}

/// What one strip needs; `half` is the half of the memories on chip. Rows of A go to a feed for each image and come
/// first: lanes take them in while they form slices, and must not wait for errors that columns have no room for.
static void load_strip(
    const Command& c, const Plan& plan, const Job& job, std::uint32_t half, address_t base, port_t& loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    const Strip strip = strip_of(c, plan, job);
    const Tiles inputs = {
        base + c.a_addr + std::uint64_t(strip.image) * c.a_image_stride + std::uint64_t(job.round) * c.a_block_stride
            + 2 * std::uint64_t(strip.a_first) * c.a_bits * c.a_width,
        c.a_image_stride, phase_words(c, plan, strip), STRIP_MARGIN + half * STRIP_HALF, c.stride_x, plan.phases,
        plan.first_tap.phase};
    const Tiles errors = {
        base + c.b_addr + std::uint64_t(strip.image) * c.b_image_stride + std::uint64_t(job.tile) * c.b_block_stride
            + 2 * std::uint64_t(strip.row) * c.b_bits * c.y_width,
        c.b_image_stride, b_intake(c, strip).left[0], half * ERROR_HALF, 1, 1, 0};
    bool to_columns = inputs.words == 0;
    Tiles tiles = to_columns ? errors : inputs;
    std::uint32_t most = run_words(tiles.step);
    std::uint32_t reach = most * tiles.step;   // words of memory from a run's first to the next one's
    std::uint32_t image = 0, number = 0, phase = tiles.first_phase, start = 0, at = 0;
    std::uint32_t ahead = 0;   // words of memory from the phase's first to the next run's
    bool asks = true;
    Flight flight;
    load_strip_steps: while (asks || !flight.empty()) {
        // Asks for a run or takes a beat.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=4 max=512
        if (!asks || flight.full()) {
            flight.take(loads, beats);
            continue;
        }
        const std::uint32_t count = min_of(most, tiles.words - start);
        const std::uint32_t target = to_columns ? TO_COLUMNS : image;
        flight.ask(
            loads, runs, tiles.address + 2 * (phase + ahead), target, tiles.destination + at, count, tiles.step);
        at += count;
        start += count;
        ahead += reach;
        if (start < tiles.words) continue;
        start = 0;
        ahead = 0;
        if (++phase == tiles.step) phase = 0;
        if (++number < tiles.phases) continue;
        number = at = 0;
        phase = tiles.first_phase;
        tiles.address += tiles.image_stride;
        if (++image < strip.images) continue;
        image = 0;
        tiles = errors;
        most = reach = run_words(1);
        phase = 0;
        asks = !to_columns;
        to_columns = true;
    }
}

void load_strips(
    const Command& command, const Plan& plan, std::uint32_t index, const Job& job, address_t base, port_t& loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    static std::uint32_t half;   // that the next strip goes to
    if (job.starts_command()) {
        load_strip(command, plan, job, 0, base, loads, runs, beats);
        half = 1;
    }
    if (!has_next(plan, index)) return;
    load_strip(command, plan, next_job(plan, index + 1, job), half, base, loads, runs, beats);
    half ^= 1;
}

}  // namespace cpt
