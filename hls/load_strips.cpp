// Load, WGRAD whose taps share rows: a strip's rows of the error and of A, each as one run of memory an image.
#include "load.hpp"
#include "strips.hpp"

namespace cpt {

/// Rows of a tile, the same of each image of a strip.
struct Tiles {
    address_t address;
    std::uint32_t image_stride;
    std::uint32_t words;
    std::uint32_t destination;
};

/// What one strip needs; `half` is the half of the memories on chip. Rows of A go to a feed for each image and come
/// first: lanes take them in while they form slices, and must not wait for errors that columns have no room for.
static void load_strip(
    const Command& c, const Plan& plan, const Job& job, std::uint32_t half, address_t base, port_t& loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    constexpr std::uint32_t most = LANE_FEED_PACKETS * BANKS;   // words of a run
    const Strip strip = strip_of(c, plan, job);
    const Tiles inputs = {
        base + c.a_addr + std::uint64_t(strip.image) * c.a_image_stride + std::uint64_t(job.round) * c.a_block_stride
            + 2 * std::uint64_t(strip.a_first) * c.a_bits * c.a_width,
        c.a_image_stride, a_intake(c, strip).left[0], STRIP_MARGIN + half * STRIP_HALF};
    const Tiles errors = {
        base + c.b_addr + std::uint64_t(strip.image) * c.b_image_stride + std::uint64_t(job.tile) * c.b_block_stride
            + 2 * std::uint64_t(strip.row) * c.b_bits * c.y_width,
        c.b_image_stride, b_intake(c, strip).left[0], half * ERROR_HALF};
    bool to_columns = inputs.words == 0;
    Tiles tiles = to_columns ? errors : inputs;
    std::uint32_t image = 0, start = 0;
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
        const run_t run = plain_run(to_columns ? TO_COLUMNS : image, tiles.destination + start, count);
        flight.ask(loads, runs, tiles.address + 2 * start, run);
        start += count;
        if (start < tiles.words) continue;
        start = 0;
        tiles.address += tiles.image_stride;
        if (++image < strip.images) continue;
        image = 0;
        tiles = errors;
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
