// Load, CONV: whole rows of each lane's image and, once per column tile, its weights.
#include "load.hpp"
#include "window.hpp"

namespace cpt {

/// The weights of a column tile, column by column; on chip as in memory, [block][ky][bit][kx].
static void load_weights(
    const Command& c, const Job& job, address_t base, const beat_t* loads, hls::stream<run_t>& runs,
    hls::stream<words_t>& beats) {
    const std::uint32_t tile_words = c.taps() * c.b_bits;
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
        const std::uint64_t image = job.tile * COLUMNS + column;
        for (std::uint32_t block = 0; block < c.a_blocks; ++block) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
            const address_t address =
                base + c.b_addr + image * c.b_image_stride + std::uint64_t(block) * c.b_block_stride;
            send_run(loads, runs, beats, address, TO_COLUMNS, block * tile_words, tile_words, 1);
        }
    }
}

// Words of A that go to one lane before the next lane's turn, as many as a lane's feed holds: all lanes then take their
// words in the same cycles, and none waits for words queued behind another lane's full feed.
constexpr std::uint32_t LANE_CHUNK = LANE_FEED_PACKETS * BANKS;

/// The new rows of A that output row `job.row` needs, into the ring: [row % kernel_h][block][bit][column].
static void load_rows(
    const Command& c, const Plan& plan, const Job& job, address_t base, const beat_t* loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    const std::uint32_t row_words = c.a_bits * c.a_width;
    const std::uint32_t lanes = active_lanes(plan, job);
    const Rows rows = new_rows(c, job.row);
    for (std::uint32_t row = rows.first; row < rows.end; ++row) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=15
        for (std::uint32_t block = 0; block < c.a_blocks; ++block) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
            const std::uint32_t destination = (row % c.kernel_h * c.a_blocks + block) * row_words;
            for (std::uint32_t start = 0; start < row_words; start += LANE_CHUNK) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
                const std::uint32_t words = min_of(LANE_CHUNK, row_words - start);
                for (std::uint32_t lane = 0; lane < lanes; ++lane) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=43
                    const std::uint64_t image = job.round * LANES + lane;
                    const address_t address = base + c.a_addr + image * c.a_image_stride
                        + std::uint64_t(block) * c.a_block_stride + 2 * (std::uint64_t(row) * row_words + start);
                    send_run(loads, runs, beats, address, lane, destination + start, words, 1);
                }
            }
        }
    }
}

void load_conv(
    const Command& command, const Plan& plan, const Job& job, address_t base, const beat_t* loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    if (job.starts_tile()) load_weights(command, job, base, loads, runs, beats);
    if (job.chunk == 0) load_rows(command, plan, job, base, loads, runs, beats);
}

}  // namespace cpt
