// UPDATE: momentum SGD on lines of master weights.
//
//     v <- mu * v + decay * w + acc * G / 2^g        w <- w - rate * v
#include "update.hpp"

namespace cpt {

void update_load(
    const WeightCommand& c, const UpdatePlan& plan, std::uint32_t index, address_t base, port_t& loads,
    hls::stream<line_t>& acc, hls::stream<line_t>& w, hls::stream<line_t>& v) {
    static UpdateJob job;
    job = next_update_job(plan, index, job);
    const std::uint32_t count = lines_of(plan, job);
    const std::uint32_t first = job.channel * plan.bundles.row_lines() + job.line;
    const std::uint32_t parts = c.acc_format == FORMAT_INT64 ? 2 : 1;
    send_lines(loads, base + c.acc_addr + std::uint64_t(first) * parts * LINE_BYTES, count * parts, acc);
    send_lines(loads, base + c.w_addr + std::uint64_t(first) * LINE_BYTES, count, w);
    send_lines(loads, base + c.v_addr + std::uint64_t(first) * LINE_BYTES, count, v);
}

/// acc * G / 2^g, limited to 32 bits.
static ap_int<32> gradient(const accumulator_t& acc, const UpdatePlan& plan) {
#pragma HLS INLINE
    const ap_int<74> product = acc * plan.multiplier;
    if (plan.shift > 0) return saturated(round_half_even(product, std::uint32_t(plan.shift)));
    return saturated(ap_int<64>(ap_int<64>(saturated(product)) << std::uint32_t(-plan.shift)));
}

/// Which output channels a line's words belong to, and which of them are weights of the line's input channel.
struct Places {
    std::uint32_t in_bundle, in_group;   // how far the input channel is in its bundle and in its group
    std::uint32_t base;                  // first output channel of the bundle
    std::uint32_t low, high;             // output channels of the group

    void begin(const WeightCommand& c) {
        in_bundle = in_group = base = low = 0;
        high = c.group_in == 0 ? c.out_channels : c.group_out;
    }
    void next_channel(const WeightCommand& c, const Bundles& b) {
        if (++in_bundle == b.in) {
            in_bundle = 0;
            base += b.out;
        }
        if (++in_group == c.group_in) {
            in_group = 0;
            low += c.group_out;
            high += c.group_out;
        }
    }
};

void update_lanes(
    const WeightCommand& c, const UpdatePlan& plan, std::uint32_t index, hls::stream<line_t>& acc,
    hls::stream<line_t>& w, hls::stream<line_t>& v, std::uint32_t new_w[CHUNK_WORDS], std::uint32_t new_v[CHUNK_WORDS],
    std::uint32_t maxima[BLOCK]) {
    static UpdateJob job;
    static Places places;
    static std::uint32_t block, tap;                // of the line, in its bundle
    static std::uint32_t greatest;                  // of the input channel
    static std::uint32_t by_channel[BLOCK];         // of the last 16 input channels
#pragma HLS ARRAY_PARTITION variable=by_channel complete
    job = next_update_job(plan, index, job);
    if (job.starts_channel()) {
        if (job.channel == 0) {
            places.begin(c);
        } else {
            places.next_channel(c, plan.bundles);
        }
        block = tap = greatest = 0;
    }
    const std::uint32_t count = lines_of(plan, job);
    const bool wide = c.acc_format == FORMAT_INT64;
    const bool real = job.channel < c.in_channels;
    line_t acc_line = {}, w_line = {}, v_line = {};
    std::uint32_t line = 0, part = 0;
    update_words: for (std::uint32_t step = 0; step < count * LINE_PARTS; ++step) {
        // WEIGHT_LANES words a cycle. Gradients of 64 bits come in two lines, the second for the second half.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=8 max=128
        if (part == 0 || (wide && part == LINE_PARTS / 2)) acc_line = acc.read();
        if (part == 0) {
            w_line = w.read();
            v_line = v.read();
        }
        for (std::uint32_t i = 0; i < WEIGHT_LANES; ++i) {
#pragma HLS UNROLL
            const std::uint32_t number = part * WEIGHT_LANES + i;
            const std::uint32_t half = number % (LINE_WORDS / 2);
            const std::uint64_t both = std::uint64_t(acc_line.word[2 * half + 1]) << 32 | acc_line.word[2 * half];
            const accumulator_t sum =
                wide ? accumulator_t(both) : accumulator_t(std::int32_t(acc_line.word[number]));
            const moving_t now = {std::int32_t(w_line.word[number]), std::int32_t(v_line.word[number])};
            const moving_t then = moved(now, gradient(sum, plan), plan.rates);
            const std::uint32_t local = block * BLOCK + number;
            const std::uint32_t channel = places.base + local;
            const bool live = real && local < plan.bundles.out && channel < c.out_channels && places.low <= channel
                && channel < places.high;
            const std::int32_t weight = std::int32_t(live ? then.value : now.value);
            new_w[line * LINE_WORDS + number] = std::uint32_t(weight);
            new_v[line * LINE_WORDS + number] = std::uint32_t(std::int32_t(live ? then.velocity : now.velocity));
            greatest = max_of(greatest, size_of(weight));
        }
        if (++part < LINE_PARTS) continue;
        part = 0;
        ++line;
        if (++tap < plan.bundles.taps) continue;
        tap = 0;
        ++block;
    }
    by_channel[job.channel % BLOCK] = greatest;
    for (std::uint32_t i = 0; i < BLOCK; ++i) {
#pragma HLS UNROLL
        maxima[i] = by_channel[i];
    }
}

void update_store(
    const WeightCommand& c, const UpdatePlan& plan, std::uint32_t index, address_t base,
    volatile const ap_uint<2>* bus_errors, port_t& stores, const std::uint32_t new_w[CHUNK_WORDS],
    const std::uint32_t new_v[CHUNK_WORDS], const std::uint32_t maxima[BLOCK]) {
    static UpdateJob job;
    job = next_update_job(plan, index, job);
    const std::uint32_t count = lines_of(plan, job);
    const std::uint64_t first = std::uint64_t(job.channel) * plan.bundles.row_lines() + job.line;
    write_lines(stores, bus_errors, base + c.w_addr + first * LINE_BYTES, count, new_w);
    write_lines(stores, bus_errors, base + c.v_addr + first * LINE_BYTES, count, new_v);
    if (!job.ends_channel(plan) || job.channel % BLOCK != BLOCK - 1) return;
    write_lines(stores, bus_errors, maxima_group_t::place(base + c.max_in_addr, job.channel / BLOCK), 1, maxima);
}

}  // namespace cpt
