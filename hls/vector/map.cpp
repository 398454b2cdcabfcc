// MAP: strips flow through its stages, several in different stages at a time.
#include "map_stages.hpp"
#include "vector.hpp"

namespace cpt {

MapPlan make_map_plan(const MapCommand& c) {
    MapPlan plan;
    const std::uint32_t mask_out = c.flag(MAP_FLAG_MASK_WRITE);
    const std::uint32_t bits[MAP_TENSORS] = {c.x0_bits, c.x1_bits, c.x2_bits, c.reads_mask(), c.out0_bits, c.out1_bits,
                                             mask_out};
    const std::uint32_t addresses[MAP_TENSORS] = {c.x0_addr,   c.x1_addr,   c.x2_addr,  c.mask_addr,
                                                  c.out0_addr, c.out1_addr, c.mask_addr};
    const bool broadcast = c.flag(MAP_FLAG_BROADCAST);
    for (std::uint32_t i = 0; i < MAP_TENSORS; ++i) {
        map_tensor_t& tensor = plan.tensors[i];
        tensor.address = addresses[i];
        tensor.bits = bits[i];
        tensor.one_pixel = i == TENSOR_X0 && broadcast;
        const std::uint32_t area = tensor.one_pixel ? 1u : std::uint32_t(c.height * c.width);
        tensor.block_stride = 2 * area * tensor.bits;
        const std::uint32_t image = c.blocks * tensor.block_stride;
        tensor.image_stride = ceil_div(image, TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT;
    }
    plan.row_segments = min_of(ceil_div(c.width, SEGMENT_WORDS), STRIP_SEGMENTS);
    plan.pieces = ceil_div(c.width, STRIP_WIDTH);
    // Rows that fit, without a divider: at most 16 of them.
    plan.strip_rows = 1;
    while ((plan.strip_rows + 1) * plan.row_segments <= STRIP_SEGMENTS) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=15
        ++plan.strip_rows;
    }
    std::uint32_t strips = 0;
    for (std::uint32_t row = 0; row < c.height; row += plan.strip_rows) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        ++strips;
    }
    plan.jobs = std::uint64_t(strips * plan.pieces) * c.images * c.blocks;
    plan.first_job = 0;
    return plan;
}

static map_header_t make_map_header(const MapCommand& c, const headers_t headers) {
    const std::uint32_t* const shared = headers[MAP_COEFFICIENTS];
    const std::uint32_t* const step = headers[MAP_STEP];
    map_header_t header;
    header.k = shared[COEFFICIENTS_HEADER_K / 4];
    header.j = std::int32_t(shared[COEFFICIENTS_HEADER_J / 4]);
    header.multiplier = shared[COEFFICIENTS_HEADER_MULTIPLIER / 4];
    header.scale_shift = shared[COEFFICIENTS_HEADER_SCALE_SHIFT / 4];
    const std::uint64_t own = std::uint64_t(c.seed_hi) << 32 | c.seed_lo;
    const std::uint64_t seed =
        own + (std::uint64_t(step[STEP_HEADER_SEED / 4 + 1]) << 32 | step[STEP_HEADER_SEED / 4]);
    header.seed_lo = std::uint32_t(seed);
    header.seed_hi = std::uint32_t(seed >> 32);
    return header;
}

/// `count` strips from `plan.first_job` on.
static void run_strips(
    const MapCommand& command, const MapPlan& plan, const map_header_t& header, std::uint32_t count, address_t base,
    port_t& loads, port_t& stores, volatile const ap_uint<2>* bus_errors) {
    for (std::uint32_t index = 0; index < count; ++index) {
#pragma HLS DATAFLOW
#pragma HLS STABLE variable=command
#pragma HLS STABLE variable=plan
#pragma HLS STABLE variable=header
#pragma HLS LOOP_TRIPCOUNT min=1 max=32
        static hls::stream<words_t> beats("beats");
        static hls::stream<coefficient_t> coefficients("coefficients");
#pragma HLS STREAM variable=beats depth=64
#pragma HLS STREAM variable=coefficients depth=16
        // Ping-pong memories of small depth: every plane and every word of a segment is a bank.
        map_memory_t x0, x1, x2, out0, out1;
        map_mask_t mask, mask_out;
        tally_t tallies[BLOCK];
#pragma HLS ARRAY_PARTITION variable=x0 complete dim=1
#pragma HLS ARRAY_PARTITION variable=x0 complete dim=2
#pragma HLS ARRAY_PARTITION variable=x1 complete dim=1
#pragma HLS ARRAY_PARTITION variable=x1 complete dim=2
#pragma HLS ARRAY_PARTITION variable=x2 complete dim=1
#pragma HLS ARRAY_PARTITION variable=x2 complete dim=2
#pragma HLS ARRAY_PARTITION variable=mask complete dim=1
#pragma HLS ARRAY_PARTITION variable=mask complete dim=2
#pragma HLS ARRAY_PARTITION variable=out0 complete dim=1
#pragma HLS ARRAY_PARTITION variable=out0 complete dim=2
#pragma HLS ARRAY_PARTITION variable=out1 complete dim=1
#pragma HLS ARRAY_PARTITION variable=out1 complete dim=2
#pragma HLS ARRAY_PARTITION variable=mask_out complete dim=1
#pragma HLS ARRAY_PARTITION variable=mask_out complete dim=2
#pragma HLS ARRAY_PARTITION variable=tallies complete
        map_load(command, plan, index, base, loads, beats, coefficients);
        map_take(command, plan, index, beats, x0, x1, x2, mask);
        map_lanes(command, plan, header, index, coefficients, x0, x1, x2, mask, out0, out1, mask_out, tallies);
        map_store(command, plan, index, base, bus_errors, stores, out0, out1, mask_out, tallies);
    }
}

void run_map(
    const MapCommand& command, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    const map_header_t header = make_map_header(command, headers);
    MapPlan plan = make_map_plan(command);
    ap_uint<2> errors = 0;
    while (plan.first_job < plan.jobs && errors == 0) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        const std::uint64_t left = plan.jobs - plan.first_job;
        const std::uint32_t count = left < JOBS_PER_LOOK ? std::uint32_t(left) : JOBS_PER_LOOK;
        run_strips(command, plan, header, count, base, loads, stores, bus_errors);
        plan.first_job += count;
        errors = *bus_errors;
    }
}

}  // namespace cpt
