// Form lanes, WGRAD whose taps share rows: windows on a strip's rows, one turn of the lanes after the other.
#include "form_lanes.hpp"

namespace cpt {

/// Each unit of lanes has PIECE_READERS copies of the rows of each image: memory [unit][reader][image].
static std::uint32_t copy_of(std::uint32_t unit, std::uint32_t reader, std::uint32_t image) {
#pragma HLS INLINE
    return unit * BLOCK + reader * 2 + image;
}
static_assert(2 * PIECE_READERS <= BLOCK, "copies in the memories of a unit's lanes");

/// The next packet of the strip that comes in, to all copies.
static void take_packet(Intake& intake, hls::stream<packet_t> lane_feed[LANES], lane_memory_t memory[LANES]) {
#pragma HLS INLINE
    const std::uint32_t image = intake.left[0] > 0 ? 0 : 1;
    packet_t packet;
    if (image == 0) {
        packet = lane_feed[0].read();
    } else {
        packet = lane_feed[1].read();
    }
    intake.left[image] -= packet.count;
    for (std::uint32_t unit = 0; unit < UNITS; ++unit) {
#pragma HLS UNROLL
        for (std::uint32_t reader = 0; reader < PIECE_READERS; ++reader) {
#pragma HLS UNROLL
            for (std::uint32_t each = 0; each < 2; ++each) {
#pragma HLS UNROLL
                if (each == image) write_packet(memory[copy_of(unit, reader, each)], packet);
            }
        }
    }
}

/// Where a tap looks from output pixel (0, 0): at a row, and at a column of a phase, which starts at word `at`.
struct TapView {
    std::int32_t row;
    Spot column;
    std::uint32_t kx;
    std::uint32_t phase;   // of those on chip
    std::uint32_t at;
};

/// The pixels of a piece as a tap sees them, zero where it looks outside the map or the piece outside the strip.
static void view_piece(
    const Command& c, const Plan& plan, const Strip& strip, std::uint32_t half, const Piece& piece, const TapView& tap,
    std::uint32_t plane, const lane_memory_t& first, const lane_memory_t& second, word_t pixels[BANKS]) {
#pragma HLS INLINE
    const std::int32_t width = std::int32_t(plan.phase_width);
    const std::int32_t row = std::int32_t((strip.row + piece.row) * c.stride_y) + tap.row;
    const bool row_inside = piece.row < strip.rows && row >= 0 && row < std::int32_t(c.a_height);
    const std::uint32_t line = row_inside ? std::uint32_t(row) - strip.a_first : 0;
    const std::uint32_t start = piece_column(plan, piece);
    const std::int32_t column = std::int32_t(start) + tap.column.index;
    // The margin before the rows covers what lies left of the map.
    const std::uint32_t address = std::uint32_t(
        std::int32_t(half * STRIP_HALF + STRIP_MARGIN + tap.at + (line * c.a_bits + plane) * plan.phase_width)
        + (column < width ? column : 0));
    word_t banks[2][BANKS], words[2][BANKS];
#pragma HLS ARRAY_PARTITION variable=banks complete dim=0
#pragma HLS ARRAY_PARTITION variable=words complete dim=0
    read_banks(first, address, banks[0]);
    read_banks(second, address, banks[1]);
    in_order(banks[0], address, words[0]);
    in_order(banks[1], address, words[1]);
    for (std::uint32_t i = 0; i < BANKS; ++i) {
#pragma HLS UNROLL
        const PiecePixel pixel = piece_pixel(plan, piece, i);
        const std::int32_t x = column + std::int32_t(pixel.offset);
        const bool inside = row_inside && x >= 0 && x < width && start + pixel.offset < c.y_width
            && pixel.image < strip.images;
        const word_t word = words[pixel.image % 2][pixel.offset];
        pixels[i] = inside ? word : word_t(0);
    }
}

/// The tap to the right, or the leftmost one of the next row; a phase holds `words` words.
static TapView tap_after(const Command& c, const TapView& first, std::uint32_t words, const TapView& tap) {
#pragma HLS INLINE
    if (tap.kx + 1 == c.kernel_w) return TapView{tap.row + 1, first.column, 0, 0, 0};
    const bool wraps = tap.column.phase + 1 == c.stride_x;
    const Spot column = {tap.column.index + (wraps ? 1 : 0), wraps ? 0 : tap.column.phase + 1};
    if (tap.phase + 1 == c.stride_x) return TapView{tap.row, column, tap.kx + 1, 0, 0};
    return TapView{tap.row, column, tap.kx + 1, tap.phase + 1, tap.at + words};
}

void take_strip(Intake intake, hls::stream<packet_t> lane_feed[LANES], lane_memory_t memory[LANES]) {
    take_first_strip: while (intake.left[0] + intake.left[1] > 0) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=256
        take_packet(intake, lane_feed, memory);
    }
}

void form_strip(
    const Command& c, const Plan& plan, const Strip& strip, std::uint32_t slices, std::uint32_t half, Intake next,
    hls::stream<packet_t> lane_feed[LANES], lane_memory_t memory[LANES], hls::stream<slice_t> a[LANES]) {
    word_t formed[LANES][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=formed complete dim=0
    // What is read is never what comes in: they are halves of the memories.
#pragma HLS DEPENDENCE variable=memory type=inter false
    const TapView first_tap = {-std::int32_t(c.pad_top), plan.first_tap, 0, 0, 0};
    const std::uint32_t words = phase_words(c, plan, strip);
    std::uint32_t slice = 0, turn = 0, plane = 0, done = 0;   // pieces of the slice that are done
    Piece slice_start = {0, 0, 0};
    Piece piece = slice_start;
    TapView taps[UNITS];
#pragma HLS ARRAY_PARTITION variable=taps complete
    TapView turn_tap = first_tap;
    form_strip_steps: while (slice < slices || next.left[0] + next.left[1] > 0) {
        // A packet of the next strip in, and PIECE_READERS pieces of this one out.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=9 max=4096
        if (next.left[0] + next.left[1] > 0) take_packet(next, lane_feed, memory);
        if (slice == slices) continue;
        TapView tap = turn_tap;
        for (std::uint32_t unit = 0; unit < UNITS; ++unit) {
#pragma HLS UNROLL
            taps[unit] = tap;
            tap = tap_after(c, first_tap, words, tap);
        }
        for (std::uint32_t reader = 0; reader < PIECE_READERS; ++reader) {
#pragma HLS UNROLL
            for (std::uint32_t unit = 0; unit < UNITS; ++unit) {
#pragma HLS UNROLL
                word_t pixels[BANKS];
#pragma HLS ARRAY_PARTITION variable=pixels complete
                view_piece(c, plan, strip, half, piece, taps[unit], plane, memory[copy_of(unit, reader, 0)],
                           memory[copy_of(unit, reader, 1)], pixels);
                for (std::uint32_t channel = 0; channel < BLOCK; ++channel) {
#pragma HLS UNROLL
                    add_pixels(formed[unit * BLOCK + channel], (done + reader) * BANKS, transposed(pixels, channel));
                }
            }
            piece = piece_after(plan, piece);
        }
        done += PIECE_READERS;
        if (done < SLICE_PIECES) continue;
        done = 0;
        for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
            put_slice(a[lane], formed[lane]);
        }
        const Piece behind = piece;
        piece = slice_start;
        if (++plane < c.a_bits) continue;
        plane = 0;
        turn_tap = tap;
        if (++turn < plan.turns) continue;
        turn = 0;
        turn_tap = first_tap;
        piece = slice_start = behind;
        ++slice;
    }
}

}  // namespace cpt
