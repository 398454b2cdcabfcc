// Form columns: keeps what the columns need of B and forms their K-slices, all columns in lock step.
//
// CONV: the weights of a column tile, taken in once; WGRAD: one slice of pixels of the error, transposed as in
// form_lanes. While the array works on a column tile, the next one's weights are loaded here.
#include "banks.hpp"
#include "slices.hpp"
#include "stages.hpp"
#include "strips.hpp"

namespace cpt {

typedef word_t weights_t[COLUMN_WORDS * SLICE_GROUPS];
typedef word_t strip_t[BANKS][bank_rows(2 * ERROR_HALF)];   // of one slice of pixels, or of two strips of an image

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

static void take_slice(const Command& c, hls::stream<packet_t>& column_feed, strip_t& strip) {
    std::uint32_t count = 0;
    take_error_packets: for (std::uint32_t taken = 0; taken < c.b_bits * SLICE_PIXELS; taken += count) {
        // A packet a cycle, as fast as `unpack` sends them: each of its words has a bank of its own.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=9 max=144
        const packet_t packet = column_feed.read();
        write_packet(strip, packet);
        count = packet.count;
    }
}

static void form_slice(const Command& c, const strip_t& strip, hls::stream<slice_t> b[COLUMNS]) {
    for (std::uint32_t plane = 0; plane < c.b_bits; ++plane) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        word_t formed[COLUMNS][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=formed complete dim=0
        form_slice_pixels: for (std::uint32_t at = 0; at < SLICE_PIXELS; at += BANKS) {
            // One pixel of every bank a cycle; all columns look at the same ones.
#pragma HLS PIPELINE II=1
            word_t pixels[BANKS];
            read_banks(strip, plane * SLICE_PIXELS + at, pixels);
            for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
                add_pixels(formed[column], at, transposed(pixels, column));
            }
        }
        for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
            put_slice(b[column], formed[column]);
        }
    }
}

/// The errors of a strip, one image after the other.
static void take_errors(Intake intake, hls::stream<packet_t>& column_feed, strip_t strips[2]) {
    take_error_words: while (intake.left[0] + intake.left[1] > 0) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=256
        const std::uint32_t image = intake.left[0] > 0 ? 0 : 1;
        const packet_t packet = column_feed.read();
        intake.left[image] -= packet.count;
        for (std::uint32_t each = 0; each < 2; ++each) {
#pragma HLS UNROLL
            if (each == image) write_packet(strips[each], packet);
        }
    }
}

/// The slices of a strip of errors.
static void form_errors(
    const Command& c, const Plan& plan, const Strip& strip, std::uint32_t slices, std::uint32_t half,
    const strip_t strips[2], hls::stream<slice_t> b[COLUMNS]) {
    word_t formed[COLUMNS][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=formed complete dim=0
    std::uint32_t slice = 0, plane = 0, done = 0;
    Piece slice_start = {0, 0, 0};
    Piece piece = slice_start;
    form_error_steps: while (slice < slices) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=9 max=512
        const bool inside = piece.row < strip.rows;
        const std::uint32_t column = piece_column(plan, piece);
        const std::uint32_t line = inside ? piece.row * c.b_bits + plane : 0;
        const std::uint32_t address = half * ERROR_HALF + line * c.y_width + (column < c.y_width ? column : 0);
        word_t banks[2][BANKS], words[2][BANKS], pixels[BANKS];
#pragma HLS ARRAY_PARTITION variable=banks complete dim=0
#pragma HLS ARRAY_PARTITION variable=words complete dim=0
#pragma HLS ARRAY_PARTITION variable=pixels complete
        read_banks(strips[0], address, banks[0]);
        read_banks(strips[1], address, banks[1]);
        in_order(banks[0], address, words[0]);
        in_order(banks[1], address, words[1]);
        for (std::uint32_t i = 0; i < BANKS; ++i) {
#pragma HLS UNROLL
            const PiecePixel pixel = piece_pixel(plan, piece, i);
            const bool hit = inside && column + pixel.offset < c.y_width && pixel.image < strip.images;
            pixels[i] = hit ? words[pixel.image % 2][pixel.offset] : word_t(0);
        }
        for (std::uint32_t each = 0; each < COLUMNS; ++each) {
#pragma HLS UNROLL
            add_pixels(formed[each], done * BANKS, transposed(pixels, each));
        }
        piece = piece_after(plan, piece);
        if (++done < SLICE_PIECES) continue;
        done = 0;
        for (std::uint32_t each = 0; each < COLUMNS; ++each) {
#pragma HLS UNROLL
            put_slice(b[each], formed[each]);
        }
        const Piece behind = piece;
        piece = slice_start;
        if (++plane < c.b_bits) continue;
        plane = 0;
        piece = slice_start = behind;
        ++slice;
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
    static strip_t strips[2];   // of the two images that may share groups
#pragma HLS ARRAY_PARTITION variable=strips complete dim=1
#pragma HLS ARRAY_PARTITION variable=strips complete dim=2
    job = next_job(plan, index, job);
    if (!plan.wgrad) {
        if (job.starts_tile()) {
            take_weights(command, column_feed, weights);
            form_weights(command, plan, weights, b);
        }
        return;
    }
    const std::uint32_t slices = job_slices(command, plan, job);
    if (plan.shared) {
        static std::uint32_t half;   // that holds the job's strip
        const Strip strip = strip_of(command, plan, job);
        if (job.starts_command()) {
            half = 0;
            take_errors(b_intake(command, strip), column_feed, strips);
        }
        form_errors(command, plan, strip, slices, half, strips, b);
        // Only then: the array still works on the last slice, and slices must not wait for what comes behind A's rows.
        if (has_next(plan, index)) {
            const Job next = next_job(plan, index + 1, job);
            take_errors(b_intake(command, strip_of(command, plan, next)), column_feed, strips);
        }
        half ^= 1;
        return;
    }
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        take_slice(command, column_feed, strips[0]);
        form_slice(command, strips[0], b);
    }
}

}  // namespace cpt
