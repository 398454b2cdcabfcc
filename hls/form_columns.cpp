// Form columns: keeps what the columns need of B and forms their K-slices, all columns in lock step.
//
// CONV: the weights of a column tile, taken in once; WGRAD: one slice of pixels of the error, transposed as in
// form_lanes. While the array works on a column tile, the next one's weights are loaded here.
#include "banks.hpp"
#include "slices.hpp"
#include "stages.hpp"

namespace cpt {

typedef word_t weights_t[COLUMN_WORDS * SLICE_GROUPS];
typedef word_t strip_t[BANKS][bank_rows(MAX_OPERAND_BITS * SLICE_PIXELS)];

static void take_weights(const Command& c, hls::stream<packet_t>& column_feed, weights_t weights[COLUMNS]) {
    const std::uint32_t words = c.taps() * c.a_blocks * c.b_bits;
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
        packet_t packet;
        std::uint32_t left = 0;   // words of the packet that are not yet in
        take_weight_words: for (std::uint32_t taken = 0; taken < words; ++taken) {
            // One word a cycle: a tile's weights are loaded while the array works.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=4608
            if (left == 0) {
                packet = column_feed.read();
                left = packet.count;
            }
            const std::uint32_t address = packet.first + packet.count - left;
            weights[column][address] = packet.bank[address % BANKS];
            --left;
        }
    }
}

static void form_weights(
    const Command& c, const Plan& plan, const weights_t weights[COLUMNS], hls::stream<slice_t> b[COLUMNS]) {
    const std::uint32_t slices = std::uint32_t(plan.slices);
    std::uint32_t start_row = 0;   // (block, ky) and kx of the slice's first group
    std::uint32_t start_kx = 0;
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=64
        std::uint32_t row = start_row;
        std::uint32_t kx = start_kx;
        for (std::uint32_t plane = 0; plane < c.b_bits; ++plane) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            row = start_row;
            kx = start_kx;
            word_t formed[COLUMNS][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=formed complete dim=0
            form_weight_groups: for (std::uint32_t group = 0; group < SLICE_GROUPS; ++group) {
                // One group of every column a cycle, as a column's memory has one port for reading.
#pragma HLS PIPELINE II=1
                const bool beyond = row == c.a_blocks * c.kernel_h;
                const std::uint32_t address = (row * c.b_bits + plane) * c.kernel_w + kx;
                for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
                    formed[column][group] = beyond ? word_t(0) : weights[column][address];
                }
                if (!beyond && ++kx == c.kernel_w) {
                    kx = 0;
                    ++row;
                }
            }
            for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
                put_slice(b[column], formed[column]);
            }
        }
        start_row = row;
        start_kx = kx;
    }
}

static void take_strip(const Command& c, hls::stream<packet_t>& column_feed, strip_t& strip) {
    std::uint32_t count = 0;
    take_strip_packets: for (std::uint32_t taken = 0; taken < c.b_bits * SLICE_PIXELS; taken += count) {
        // A packet a cycle, as fast as `unpack` sends them: each of its words has a bank of its own.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=9 max=144
        const packet_t packet = column_feed.read();
        write_packet(strip, packet);
        count = packet.count;
    }
}

static void form_strip(const Command& c, const Job& job, const strip_t& strip, hls::stream<slice_t> b[COLUMNS]) {
    for (std::uint32_t plane = 0; plane < c.b_bits; ++plane) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        word_t formed[COLUMNS][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=formed complete dim=0
        form_strip_pixels: for (std::uint32_t at = 0; at < SLICE_PIXELS; at += BANKS) {
            // One pixel of every bank a cycle; all columns look at the same ones.
#pragma HLS PIPELINE II=1
            word_t pixels[BANKS];
            read_banks(strip, plane * SLICE_PIXELS + at, pixels);
            for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
                add_pixels(formed[column], at, transposed(pixels, tile_channel(job) + column));
            }
        }
        for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
            put_slice(b[column], formed[column]);
        }
    }
}

void form_columns(
    const Command& command, const Plan& plan, std::uint32_t index, hls::stream<packet_t>& column_feed,
    hls::stream<slice_t> b[COLUMNS]) {
    static Job job;
    static weights_t weights[COLUMNS];
    // A column reads one word a cycle: as many block RAMs as columns.
#pragma HLS ARRAY_PARTITION variable=weights complete dim=1
#pragma HLS BIND_STORAGE variable=weights type=ram_s2p impl=bram
    static strip_t strip;
#pragma HLS ARRAY_PARTITION variable=strip complete dim=1
    job = next_job(plan, index, job);
    if (!plan.wgrad) {
        if (job.starts_tile()) {
            take_weights(command, column_feed, weights);
            form_weights(command, plan, weights, b);
        }
        return;
    }
    const std::uint32_t slices = job_slices(plan, job);
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        take_strip(command, column_feed, strip);
        form_strip(command, job, strip, b);
    }
}

}  // namespace cpt
