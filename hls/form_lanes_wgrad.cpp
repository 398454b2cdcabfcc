// Form lanes, WGRAD: one slice of pixels a unit of 16 lanes, transposed.
#include "form_lanes.hpp"

namespace cpt {

void take_slice(
    const Command& c, std::uint32_t units, hls::stream<packet_t> lane_feed[LANES], lane_memory_t memory[LANES]) {
    for (std::uint32_t unit = 0; unit < units; ++unit) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        std::uint32_t count = 0;
        take_slice_packets: for (std::uint32_t taken = 0; taken < c.a_bits * SLICE_PIXELS; taken += count) {
            // A packet a cycle, as fast as `unpack` sends them: each of its words has a bank of its own.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=9 max=144
            for (std::uint32_t lane = 0; lane < UNITS; ++lane) {
#pragma HLS UNROLL
                if (lane == unit) {
                    const packet_t packet = lane_feed[lane].read();
                    write_packet(memory[lane], packet);
                    count = packet.count;
                }
            }
        }
    }
}

void form_transposed(
    const Command& c, const lane_memory_t memory[LANES], std::uint32_t units, std::uint32_t lanes,
    hls::stream<slice_t> a[LANES]) {
    word_t slices[LANES][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=slices complete dim=0
    for (std::uint32_t plane = 0; plane < c.a_bits; ++plane) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
        form_transposed_pixels: for (std::uint32_t at = 0; at < SLICE_PIXELS; at += BANKS) {
            // One pixel of every bank of every unit a cycle; the lanes of a unit look at the same ones.
#pragma HLS PIPELINE II=1
            word_t pixels[UNITS][BANKS];
            for (std::uint32_t unit = 0; unit < UNITS; ++unit) {
#pragma HLS UNROLL
                for (std::uint32_t bank = 0; bank < BANKS; ++bank) {
#pragma HLS UNROLL
                    pixels[unit][bank] = unit < units ? memory[unit][bank][(plane * SLICE_PIXELS + at) / BANKS] : 0;
                }
            }
            for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
                const word_t bits = transposed(pixels[lane / BLOCK], lane % BLOCK);
                add_pixels(slices[lane], at, bits);
            }
        }
        for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
            if (lane < lanes) put_slice(a[lane], slices[lane]);
        }
    }
}

}  // namespace cpt
