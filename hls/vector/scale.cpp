// SCALE: a normalisation to the coefficients of a MAP and the range of what it makes.
#include "scalars.hpp"

namespace cpt {

/// The records that SCALE needs of 16 channels.
struct scale_group_t {
    norm_group_t norm, norm1;
    tally_group_t tally1;

    void read_all(const ScalarCommand& c, address_t base, port_t& loads, std::uint32_t group) {
        norm.read(loads, base + c.norm_addr, group);
        if (c.flag(SCALAR_FLAG_BRANCH)) norm1.read(loads, base + c.norm1_addr, group);
        if (c.flag(SCALAR_FLAG_STREAM)) tally1.read(loads, base + c.tally1_addr, group);
    }
};

/// How far a channel's normalised values reach: upwards behind a ReLU, else to either side.
static scalar_t own_reach(const ScalarCommand& c, const std::uint32_t norm[]) {
    const scalar_t top = scalar_at(norm, NORM_RECORD_TOP);
    if (c.flag(SCALAR_FLAG_RELU)) return greater_of(zero(), top);
    return greater_of(magnitude(top), magnitude(scalar_at(norm, NORM_RECORD_BOTTOM)));
}

static scalar_t reach_of(
    const ScalarCommand& c, const headers_t headers, const scale_group_t& records, std::uint32_t channel) {
    const scalar_t own = own_reach(c, records.norm.record(channel));
    if (c.flag(SCALAR_FLAG_BRANCH)) return add(own, own_reach(c, records.norm1.record(channel)));
    if (!c.flag(SCALAR_FLAG_STREAM)) return own;
    const exponent_t fraction1 = int_at(headers[SCALAR_IN1], TENSOR_HEADER_FRACTION);
    return add(own, make_scalar(tally_size(records.tally1.record(channel)), exponent_t(-fraction1)));
}

/// By how much z stayed below its bound the last time; 1 without a last time.
static scalar_t ratio_of(
    const ScalarCommand& c, const place_t places[MAX_PLACES], const headers_t headers, address_t base,
    port_t& loads) {
    const std::uint32_t* const out = headers[SCALAR_OUT];
    if (!written(places[SCALAR_TALLY], headers[SCALAR_TALLY]) || !written(places[SCALAR_OUT], out)) return one();
    std::int32_t size = 0;
    const std::uint32_t groups = groups_of(c);
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        tally_group_t tallies;
        tallies.read(loads, base + c.tally_addr, group);
        for (std::uint32_t i = 0; i < BLOCK; ++i) {
            const std::int32_t each = tally_size(tallies.record(i));
            if (each > size) size = each;
        }
    }
    const exponent_t fraction = int_at(out, TENSOR_HEADER_FRACTION);
    return one_if_zero(divide(make_scalar(size, exponent_t(-fraction)), scalar_at(out, TENSOR_HEADER_BOUND)));
}

/// A number of y's unit in that of the result: over the step of codes, or times 2^f of a residual output.
static scalar_t to_result(
    const ScalarCommand& c, const scalar_t& value, const scalar_t& step, std::int32_t fraction) {
    return c.flag(SCALAR_FLAG_NODE) ? scaled(value, fraction) : divide(value, step);
}

/// A, C and B of a channel.
static void put_coefficients(
    const ScalarCommand& c, const scale_group_t& records, std::uint32_t channel, const scalar_t& step,
    std::int32_t fraction, std::int32_t k, std::uint32_t record[]) {
    const std::uint32_t* const norm = records.norm.record(channel);
    const scalar_t gain = to_result(c, scalar_at(norm, NORM_RECORD_GAIN), step, fraction);
    scalar_t offset = to_result(c, scalar_at(norm, NORM_RECORD_OFFSET), step, fraction);
    std::int32_t second = c.flag(SCALAR_FLAG_STREAM) ? 1 : 0;
    if (c.flag(SCALAR_FLAG_BRANCH)) {
        const std::uint32_t* const norm1 = records.norm1.record(channel);
        const scalar_t gain1 = to_result(c, scalar_at(norm1, NORM_RECORD_GAIN), step, fraction);
        second = std::int32_t(whole(gain1, k, COEFFICIENT_BITS));
        offset = add(offset, to_result(c, scalar_at(norm1, NORM_RECORD_OFFSET), step, fraction));
    }
    put_int(record, COEFFICIENTS_RECORD_A, std::int32_t(whole(gain, k, COEFFICIENT_BITS)));
    put_int(record, COEFFICIENTS_RECORD_C, second);
    put_long(record, COEFFICIENTS_RECORD_B, std::int64_t(whole(offset, k, OFFSET_BITS)));
}

void run_scale(
    const ScalarCommand& c, const place_t places[MAX_PLACES], const headers_t headers, address_t base,
    port_t& loads, port_t& stores, volatile const ap_uint<2>* bus_errors) {
    const std::uint32_t groups = groups_of(c);
    const bool node = c.flag(SCALAR_FLAG_NODE);
    const bool is_signed = !c.flag(SCALAR_FLAG_RELU);
    scale_group_t records;
    scalar_t bound = zero();
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        records.read_all(c, base, loads, group);
        const std::uint32_t channels = min_of(BLOCK, c.channels - group * BLOCK);
        for (std::uint32_t i = 0; i < channels; ++i) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            bound = greater_of(bound, reach_of(c, headers, records, i));
        }
    }
    const scalar_t ratio = node ? ratio_of(c, places, headers, base, loads) : zero();
    const scalar_t step = code_step(node ? multiply(bound, ratio) : bound, c.bits, is_signed);
    const std::int32_t width = std::int32_t(c.wide_bits) - (is_signed ? 1 : 0);
    const std::int32_t fraction = node ? fraction_for(bound, width) : 0;
    // With the offset's 46 bits and the first product's 40, a stream of 45 leaves the sum of a MAP within its 48.
    const std::int32_t most = node && STREAM_BITS - width < std::int32_t(MAX_MAP_SHIFT) ? STREAM_BITS - width
                                                                                        : std::int32_t(MAX_MAP_SHIFT);
    Room room(most, COEFFICIENT_BITS);
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        records.read_all(c, base, loads, group);
        const std::uint32_t channels = min_of(BLOCK, c.channels - group * BLOCK);
        for (std::uint32_t i = 0; i < channels; ++i) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            room.see(to_result(c, scalar_at(records.norm.record(i), NORM_RECORD_GAIN), step, fraction));
            if (!c.flag(SCALAR_FLAG_BRANCH)) continue;
            room.see(to_result(c, scalar_at(records.norm1.record(i), NORM_RECORD_GAIN), step, fraction));
        }
    }
    shifts_t shifts = {room.result(), 0, 0, 0};
    if (node) {
        const scalar_t multiplier = divide(make_scalar(1, exponent_t(-fraction)), step);
        Room scale(MAX_SCALE_SHIFT, COEFFICIENT_BITS);
        scale.see(multiplier);
        shifts.scale_shift = scale.result();
        shifts.multiplier = std::int32_t(whole(multiplier, shifts.scale_shift, COEFFICIENT_BITS));
        const std::int32_t fraction1 = int_at(headers[SCALAR_IN1], TENSOR_HEADER_FRACTION);
        if (c.flag(SCALAR_FLAG_STREAM)) shifts.j = second_shift(shifts.k, fraction, fraction1);
    }
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        records.read_all(c, base, loads, group);
        coefficients_group_t coefficients;
        coefficients.clear();
        const std::uint32_t channels = min_of(BLOCK, c.channels - group * BLOCK);
        for (std::uint32_t i = 0; i < channels; ++i) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            put_coefficients(c, records, i, step, fraction, shifts.k, coefficients.record(i));
        }
        coefficients.write(stores, bus_errors, base + c.coefficients_addr, group);
    }
    write_shifts(stores, bus_errors, c, base, shifts);
    write_tensor(stores, bus_errors, base + c.out_addr, step, bound, ratio, fraction);
}

}  // namespace cpt
