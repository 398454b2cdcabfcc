// UPDATE, second pass: the greatest magnitude of each output channel, block by block, over the rows of its bundle.
#include "update.hpp"

namespace cpt {

// A job is a block of output channels: its bundle, and its number in the bundle.

static void maxima_load(
    const WeightCommand& c, const Bundles& b, std::uint32_t bundle, std::uint32_t block, address_t base, port_t& loads,
    hls::stream<line_t>& lines) {
    const std::uint32_t rows = b.rows(bundle);
    for (std::uint32_t row = 0; row < rows; ++row) {
#pragma HLS LOOP_TRIPCOUNT min=16 max=64
        const std::uint64_t channel = b.first_in(bundle) + row;
        const std::uint64_t first = (channel * b.out_blocks + block) * b.taps;
        send_lines(loads, base + c.w_addr + first * LINE_BYTES, b.taps, lines);
    }
}

static void maxima_of(
    const Bundles& b, std::uint32_t bundle, hls::stream<line_t>& lines, std::uint32_t maxima[BLOCK]) {
    std::uint32_t greatest[BLOCK] = {};
#pragma HLS ARRAY_PARTITION variable=greatest complete
    const std::uint32_t count = b.rows(bundle) * b.taps;
    maxima_lines: for (std::uint32_t number = 0; number < count; ++number) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=16 max=576
        const line_t line = lines.read();
        for (std::uint32_t i = 0; i < BLOCK; ++i) {
#pragma HLS UNROLL
            greatest[i] = max_of(greatest[i], size_of(std::int32_t(line.word[i])));
        }
    }
    for (std::uint32_t i = 0; i < BLOCK; ++i) {
#pragma HLS UNROLL
        maxima[i] = greatest[i];
    }
}

/// The last bundle may have fewer channels than its blocks hold.
static void maxima_store(
    const WeightCommand& c, const Bundles& b, std::uint32_t bundle, std::uint32_t block, address_t base, port_t& stores,
    volatile const ap_uint<2>* bus_errors, const std::uint32_t maxima[BLOCK]) {
    const std::uint32_t channel = bundle * b.out + block * BLOCK;
    if (channel >= b.outs) return;
    write_lines(stores, bus_errors, maxima_group_t::place(base + c.max_out_addr, channel / BLOCK), 1, maxima);
}

void run_maxima(
    const WeightCommand& c, const Bundles& b, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    for (std::uint32_t bundle = 0; bundle < b.count; ++bundle) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=1
        for (std::uint32_t block = 0; block < b.out_blocks; ++block) {
#pragma HLS DATAFLOW
#pragma HLS STABLE variable=c
#pragma HLS STABLE variable=b
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
            static hls::stream<line_t> lines("lines");
#pragma HLS STREAM variable=lines depth=32
            std::uint32_t maxima[BLOCK];
#pragma HLS ARRAY_PARTITION variable=maxima complete
            maxima_load(c, b, bundle, block, base, loads, lines);
            maxima_of(b, bundle, lines, maxima);
            maxima_store(c, b, bundle, block, base, stores, bus_errors, maxima);
        }
    }
}

}  // namespace cpt
