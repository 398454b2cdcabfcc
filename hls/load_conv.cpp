// Load, CONV: whole rows of each lane's image and, once per column tile, its weights.
#include "load.hpp"

namespace cpt {

// Words that go to one lane before the next lane's turn, as many as a lane's feed holds: all lanes then take their
// words in the same cycles, and none waits for words queued behind another lane's full feed.
constexpr std::uint32_t LANE_CHUNK = LANE_FEED_PACKETS * BANKS;

/// The weights of a column tile, column by column; on chip as in memory, [block][ky][bit][kx].
static void load_weights(
    const Command& c, const Job& job, address_t base, port_t& loads, hls::stream<run_t>& runs,
    hls::stream<words_t>& beats) {
    const std::uint32_t tile_words = c.taps() * c.b_bits;
    address_t column_address = base + c.b_addr + std::uint64_t(job.tile * COLUMNS) * c.b_image_stride;
    address_t address = column_address;   // of the block
    std::uint32_t column = 0, block = 0, start = 0, destination = 0;
    Flight flight;
    load_weight_steps: while (column < COLUMNS || !flight.empty()) {
        // Asks for a run or takes a beat.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=32 max=4096
        if (column == COLUMNS || flight.full()) {
            flight.take(loads, beats);
            continue;
        }
        const std::uint32_t words = min_of(LANE_CHUNK, tile_words - start);
        flight.ask(loads, runs, address + 2 * start, TO_COLUMNS, destination, words);
        destination += words;
        start += words;
        if (start < tile_words) continue;
        start = 0;
        address += c.b_block_stride;
        if (++block < c.a_blocks) continue;
        block = destination = 0;
        column_address += c.b_image_stride;
        address = column_address;
        ++column;
    }
}

/// The new rows of A that output row `job.row` needs, into the ring: [slot][block][bit][column].
static void load_rows(
    const Command& c, const Plan& plan, const Job& job, const Rows& rows, std::int32_t origin, address_t base,
    port_t& loads, hls::stream<run_t>& runs, hls::stream<words_t>& beats) {
    const std::uint32_t row_words = c.a_bits * c.a_width;
    const std::uint32_t slot_words = c.a_blocks * row_words;
    const std::uint32_t lanes = active_lanes(plan, job);
    // Of image 0 and of the lane's image, in the lane's row of A: one outside the map is not read.
    const std::uint64_t first_image = std::uint64_t(job.band.image) * c.a_image_stride;   // of the first lane
    const std::uint64_t below = 2 * std::uint64_t(plan.bands.below.a_row) * row_words;
    std::int32_t first_y = std::int32_t(rows.first + job.band.a_row) + origin;
    address_t row_address = base + c.a_addr + std::uint64_t(2 * std::int64_t(first_y) * row_words);
    address_t block_address = row_address;
    address_t band_address = row_address;
    address_t address = row_address + first_image;
    std::int32_t y = first_y;
    std::uint32_t image = job.band.image;
    std::uint32_t row = rows.first, slot = rows.slot, block = 0, start = 0, lane = 0;
    std::uint32_t slot_at = rows.slot * slot_words;
    std::uint32_t block_at = slot_at;
    Flight flight;
    load_row_steps: while (row < rows.end || !flight.empty()) {
        // Asks for a run or takes a beat.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=0 max=4096
        if (row == rows.end || flight.full()) {
            flight.take(loads, beats);
            continue;
        }
        const std::uint32_t words = min_of(LANE_CHUNK, row_words - start);
        if (y >= 0 && y < std::int32_t(c.a_height)) {
            flight.ask(loads, runs, address + 2 * start, lane, block_at + start, words);
        } else {
            flight.ask_zeros(runs, lane, block_at + start, words);
        }
        address += c.a_image_stride;
        if (++image == c.images) {
            image = 0;
            y += std::int32_t(plan.bands.below.a_row);
            address = band_address += below;
        }
        if (++lane < lanes) continue;
        lane = 0;
        image = job.band.image;
        y = first_y;
        band_address = block_address;
        address = block_address + first_image;
        start += words;
        if (start < row_words) continue;
        start = 0;
        block_at += row_words;
        block_address += c.a_block_stride;
        band_address = block_address;
        address = block_address + first_image;
        if (++block < c.a_blocks) continue;
        block = 0;
        row_address += 2 * row_words;
        band_address = block_address = row_address;
        address = row_address + first_image;
        y = ++first_y;
        slot_at += slot_words;
        if (++slot == c.kernel_h) slot = slot_at = 0;
        block_at = slot_at;
        ++row;
    }
}

void load_conv(
    const Command& command, const Plan& plan, const Job& job, address_t base, port_t& loads, hls::stream<run_t>& runs,
    hls::stream<words_t>& beats) {
    static Axis axis;
    static RowWalk walk;
    if (job.starts_command()) axis = row_axis(command, plan.bands);
    if (job.starts_tile()) load_weights(command, job, base, loads, runs, beats);
    if (job.chunk != 0 || active_lanes(plan, job) == 0) return;
    walk.go_to(command, axis, job.row);
    load_rows(command, plan, job, walk.rows(), axis.origin, base, loads, runs, beats);
}

}  // namespace cpt
