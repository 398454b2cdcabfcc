// WEIGHTS: master weights to the codes of a CONV, by output channel and on request by input channel, and their units.
#include "weights.hpp"

#include "../store_run.hpp"
#include "vector.hpp"

namespace cpt {

static WeightsPlan make_weights_plan(const WeightCommand& c) {
    WeightsPlan plan;
    plan.bundles = bundles_of(c);
    plan.chunk_rows = 1;
    while (plan.chunk_rows < c.kernel_h && (plan.chunk_rows + 1) * c.kernel_w <= CHUNK_TAPS) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=14
        ++plan.chunk_rows;
    }
    std::uint32_t chunks = 0;
    for (std::uint32_t row = 0; row < c.kernel_h; row += plan.chunk_rows) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=15
        ++chunks;
    }
    plan.tile = 2 * plan.bundles.taps * c.bits;
    plan.image_stride = ceil_div(plan.bundles.in_blocks * plan.tile, TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT;
    plan.image_stride_in = ceil_div(plan.bundles.out_blocks * plan.tile, TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT;
    plan.jobs = std::uint64_t(plan.bundles.in_blocks * plan.bundles.out_blocks) * plan.bundles.count * chunks;
    plan.first_job = 0;
    return plan;
}

/// Rows beyond the stored ones, where the last bundle has fewer channels, are 0.
void weights_load(
    const WeightCommand& c, const WeightsPlan& plan, std::uint32_t index, address_t base, port_t& loads,
    hls::stream<line_t>& maxima, hls::stream<line_t>& lines) {
    static WeightsJob job;
    job = next_weights_job(c, plan, index, job);
    const Bundles& b = plan.bundles;
    const std::uint32_t in = job.in_channel(b);
    const std::uint32_t out = job.out_channel(b);
    const line_t nothing = {};
    if (job.row == 0) {
        if (out < b.outs) {
            send_lines(loads, maxima_group_t::place(base + c.max_out_addr, out / BLOCK), 1, maxima);
        } else {
            maxima.write(nothing);
        }
        if (c.flag(WEIGHT_FLAG_BOTH) && in < b.ins) {
            send_lines(loads, maxima_group_t::place(base + c.max_in_addr, in / BLOCK), 1, maxima);
        } else if (c.flag(WEIGHT_FLAG_BOTH)) {
            maxima.write(nothing);
        }
    }
    const std::uint32_t taps = rows_of(c, plan, job) * c.kernel_w;
    for (std::uint32_t channel = in; channel < in + BLOCK; ++channel) {
        const std::uint64_t first =
            (std::uint64_t(channel) * b.out_blocks + job.out_block) * b.taps + job.row * c.kernel_w;
        if (channel < b.ins) {
            send_lines(loads, base + c.w_addr + first * LINE_BYTES, taps, lines);
        } else {
            weights_padding: for (std::uint32_t tap = 0; tap < taps; ++tap) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
                lines.write(nothing);
            }
        }
    }
}

/// The tile's rows that one channel has of a chunk, a word a cycle; `flipped` turns the kernel by 180 degrees.
static void store_tile(
    const WeightCommand& c, std::uint32_t rows, address_t address, bool flipped,
    const word_t codes[MAX_OPERAND_BITS][CHUNK_TAPS], Run& run, port_t& stores) {
    const std::uint32_t count = rows * c.bits * c.kernel_w;
    begin(run, address, count, stores);
    std::uint32_t row = 0, plane = 0, x = 0;
    for (std::uint32_t number = 0; number < count; ++number) {
#pragma HLS PIPELINE
#pragma HLS LOOP_TRIPCOUNT min=1 max=256
        const std::uint32_t tap = row * c.kernel_w + x;
        const word_t words[STORE_WORDS] = {codes[plane][flipped ? rows * c.kernel_w - 1 - tap : tap]};
        put(run, words, 1, 3, number + 1 == count, stores);
        if (++x < c.kernel_w) continue;
        x = 0;
        if (++plane < c.bits) continue;
        plane = 0;
        ++row;
    }
}

void weights_store(
    const WeightCommand& c, const WeightsPlan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, port_t& stores, const codes_t& codes, const codes_t& codes_in) {
    static WeightsJob job;
    job = next_weights_job(c, plan, index, job);
    const ap_uint<2> errors = *bus_errors;
    if (errors != 0) return;
    const Bundles& b = plan.bundles;
    const std::uint32_t rows = rows_of(c, plan, job);
    const std::uint32_t row_bytes = 2 * c.bits * c.kernel_w;
    Run run = {};
    for (std::uint32_t i = 0; i < BLOCK; ++i) {
        const std::uint32_t channel = job.out_channel(b) + i;
        const address_t tile = base + c.codes_addr + std::uint64_t(channel) * plan.image_stride
            + std::uint64_t(job.in_block) * plan.tile;
        if (channel < b.outs) store_tile(c, rows, tile + job.row * row_bytes, false, codes[i], run, stores);
    }
    for (std::uint32_t i = 0; i < BLOCK; ++i) {
        const std::uint32_t channel = job.in_channel(b) + i;
        const address_t tile = base + c.codes_in_addr + std::uint64_t(channel) * plan.image_stride_in
            + std::uint64_t(job.out_block) * plan.tile;
        const std::uint32_t first = c.kernel_h - job.row - rows;   // of the rows, in the flipped kernel
        const bool stored = c.flag(WEIGHT_FLAG_BOTH) && channel < b.ins;
        if (stored) store_tile(c, rows, tile + first * row_bytes, true, codes_in[i], run, stores);
    }
    end_runs(run, stores);
}

static void run_squares(
    const WeightCommand& command, const WeightsPlan& plan, std::uint32_t count, address_t base, port_t& loads,
    port_t& stores, volatile const ap_uint<2>* bus_errors) {
    for (std::uint32_t index = 0; index < count; ++index) {
#pragma HLS DATAFLOW
#pragma HLS STABLE variable=command
#pragma HLS STABLE variable=plan
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        static hls::stream<line_t> maxima("maxima");
        static hls::stream<line_t> lines("lines");
#pragma HLS STREAM variable=maxima depth=2
#pragma HLS STREAM variable=lines depth=32
        // Every plane of every channel is a bank, an entry a tap: distributed memory, 16 deep.
        codes_t codes, codes_in;
#pragma HLS ARRAY_PARTITION variable=codes complete dim=1
#pragma HLS ARRAY_PARTITION variable=codes complete dim=2
#pragma HLS ARRAY_PARTITION variable=codes_in complete dim=1
#pragma HLS ARRAY_PARTITION variable=codes_in complete dim=2
        weights_load(command, plan, index, base, loads, maxima, lines);
        weights_lanes(command, plan, index, maxima, lines, codes, codes_in);
        weights_store(command, plan, index, base, bus_errors, stores, codes, codes_in);
    }
}

/// The value of weight code 1 (with HALF: of 1) of each channel.
static void write_units(
    const WeightCommand& c, std::uint32_t channels, address_t maxima_at, address_t units_at, port_t& loads,
    port_t& stores, volatile const ap_uint<2>* bus_errors) {
    header_t(BLOCK_UNITS, channels).write(stores, bus_errors, units_at);
    const scalar_t levels = make_scalar(levels_of(c));
    for (std::uint32_t group = 0; group < channels / BLOCK; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        maxima_group_t maxima;
        units_group_t units;
        maxima.read(loads, maxima_at, group);
        for (std::uint32_t i = 0; i < BLOCK; ++i) {
            const std::int32_t found = int_at(maxima.record(i), MAXIMA_RECORD_MAXIMUM);
            const scalar_t most = make_scalar(found < 1 ? 1 : found, -WEIGHT_FRACTION);
            put_scalar(units.record(i), UNITS_RECORD_UNIT, divide(most, levels));
        }
        units.write(stores, bus_errors, units_at, group);
    }
}

void run_weights(
    const WeightCommand& c, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    WeightsPlan plan = make_weights_plan(c);
    ap_uint<2> errors = 0;
    while (plan.first_job < plan.jobs && errors == 0) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        const std::uint64_t left = plan.jobs - plan.first_job;
        const std::uint32_t count = left < JOBS_PER_LOOK ? std::uint32_t(left) : JOBS_PER_LOOK;
        run_squares(c, plan, count, base, loads, stores, bus_errors);
        plan.first_job += count;
        errors = *bus_errors;
    }
    const Bundles& b = plan.bundles;
    write_units(c, b.outs, base + c.max_out_addr, base + c.units_addr, loads, stores, bus_errors);
    if (!c.flag(WEIGHT_FLAG_BOTH)) return;
    write_units(c, b.ins, base + c.max_in_addr, base + c.units_in_addr, loads, stores, bus_errors);
}

}  // namespace cpt
