// UPDATE: its first pass moves weights and velocities, its second finds the greatest weight of each output channel.
#include "update.hpp"
#include "vector.hpp"

namespace cpt {

static UpdatePlan make_update_plan(const WeightCommand& c, const headers_t headers) {
    const std::uint32_t* const step = headers[WEIGHT_STEP];
    const scalar_t product = multiply(
        scalar_at(headers[WEIGHT_X], TENSOR_HEADER_STEP), scalar_at(headers[WEIGHT_E], TENSOR_HEADER_STEP));
    UpdatePlan plan;
    plan.bundles = bundles_of(c);
    plan.rates = rates_t{step[STEP_HEADER_MOMENTUM / 4], step[STEP_HEADER_WEIGHT_DECAY / 4],
                         step[STEP_HEADER_WEIGHT_RATE / 4]};
    plan.multiplier = product.m >> (SCALAR_BITS - 24);
    // |acc * G| is at most 2^71: beyond 73 nothing is left of it, from -32 on every one but 0 is beyond the limits.
    const std::int32_t shift = -(std::int32_t(product.e) + std::int32_t(SCALAR_BITS));
    plan.shift = shift > 73 ? 73 : shift < -32 ? -32 : shift;
    plan.jobs = plan.bundles.ins * ceil_div(plan.bundles.row_lines(), CHUNK_LINES);
    plan.first_job = 0;
    return plan;
}

static void run_chunks(
    const WeightCommand& command, const UpdatePlan& plan, std::uint32_t count, address_t base, port_t& loads,
    port_t& stores, volatile const ap_uint<2>* bus_errors) {
    for (std::uint32_t index = 0; index < count; ++index) {
#pragma HLS DATAFLOW
#pragma HLS STABLE variable=command
#pragma HLS STABLE variable=plan
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        static hls::stream<line_t> acc("acc");
        static hls::stream<line_t> w("w");
        static hls::stream<line_t> v("v");
#pragma HLS STREAM variable=acc depth=32
#pragma HLS STREAM variable=w depth=16
#pragma HLS STREAM variable=v depth=16
        std::uint32_t new_w[CHUNK_WORDS];
        std::uint32_t new_v[CHUNK_WORDS];
        std::uint32_t maxima[BLOCK];
#pragma HLS ARRAY_PARTITION variable=new_w cyclic factor=16
#pragma HLS ARRAY_PARTITION variable=new_v cyclic factor=16
#pragma HLS ARRAY_PARTITION variable=maxima complete
        static_assert(CHUNK_LINES == 16, "the depths of the streams: a burst of each");
        update_load(command, plan, index, base, loads, acc, w, v);
        update_lanes(command, plan, index, acc, w, v, new_w, new_v, maxima);
        update_store(command, plan, index, base, bus_errors, stores, new_w, new_v, maxima);
    }
}

void run_update(
    const WeightCommand& c, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    UpdatePlan plan = make_update_plan(c, headers);
    header_t(BLOCK_MAXIMA, plan.bundles.ins).write(stores, bus_errors, base + c.max_in_addr);
    header_t(BLOCK_MAXIMA, plan.bundles.outs).write(stores, bus_errors, base + c.max_out_addr);
    ap_uint<2> errors = 0;
    while (plan.first_job < plan.jobs && errors == 0) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        const std::uint32_t count = min_of(JOBS_PER_LOOK, plan.jobs - plan.first_job);
        run_chunks(c, plan, count, base, loads, stores, bus_errors);
        plan.first_job += count;
        errors = *bus_errors;
    }
    if (errors == 0) run_maxima(c, plan.bundles, base, loads, stores, bus_errors);
}

}  // namespace cpt
