// JOIN: the coefficients that add two errors, or take one, to a unit that is a power of two.
#include "scalars.hpp"

namespace cpt {

/// The records that JOIN needs of 16 channels.
struct join_group_t {
    tally_group_t tally, tally1;
    units_group_t units, units1;

    void read_all(const ScalarCommand& c, address_t base, port_t& loads, std::uint32_t group) {
        tally.read(loads, base + c.tally_addr, group);
        if (!c.flag(SCALAR_FLAG_POWER)) units.read(loads, base + c.units_addr, group);
        if (c.flag(SCALAR_FLAG_STREAM) || c.flag(SCALAR_FLAG_BRANCH)) tally1.read(loads, base + c.tally1_addr, group);
        if (c.flag(SCALAR_FLAG_BRANCH)) units1.read(loads, base + c.units1_addr, group);
    }
};

/// The value of 1 in one channel of the second error.
static scalar_t second_unit(const ScalarCommand& c, const headers_t headers, const std::uint32_t units1[]) {
    if (c.flag(SCALAR_FLAG_BRANCH)) return conv_unit(headers[SCALAR_IN1], units1, c.shift1);
    return make_scalar(1, exponent_t(-exponent_t(int_at(headers[SCALAR_IN1], TENSOR_HEADER_FRACTION))));
}

static scalar_t reach_of(
    const ScalarCommand& c, const headers_t headers, const join_group_t& records, std::uint32_t i) {
    const scalar_t first = first_unit(c, headers, records.units.record(i));
    const scalar_t reach = multiply(first, make_scalar(tally_size(records.tally.record(i))));
    if (!c.flag(SCALAR_FLAG_STREAM) && !c.flag(SCALAR_FLAG_BRANCH)) return reach;
    const scalar_t second = second_unit(c, headers, records.units1.record(i));
    return add(reach, multiply(second, make_scalar(tally_size(records.tally1.record(i)))));
}

void run_join(
    const ScalarCommand& c, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    const std::uint32_t groups = groups_of(c);
    const bool branch = c.flag(SCALAR_FLAG_BRANCH);
    const bool stream = c.flag(SCALAR_FLAG_STREAM);
    join_group_t records;
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
    const std::int32_t fraction = fraction_for(bound, std::int32_t(c.wide_bits) - 1);
    Room room(MAX_MAP_SHIFT, COEFFICIENT_BITS);
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        records.read_all(c, base, loads, group);
        const std::uint32_t channels = min_of(BLOCK, c.channels - group * BLOCK);
        for (std::uint32_t i = 0; i < channels; ++i) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            room.see(scaled(first_unit(c, headers, records.units.record(i)), fraction));
            if (branch) room.see(scaled(second_unit(c, headers, records.units1.record(i)), fraction));
        }
    }
    const std::int32_t k = room.result();
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        records.read_all(c, base, loads, group);
        coefficients_group_t coefficients;
        coefficients.clear();
        const std::uint32_t channels = min_of(BLOCK, c.channels - group * BLOCK);
        for (std::uint32_t i = 0; i < channels; ++i) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            const scalar_t first = scaled(first_unit(c, headers, records.units.record(i)), fraction);
            const scalar_t second =
                branch ? scaled(second_unit(c, headers, records.units1.record(i)), fraction) : zero();
            const std::int32_t by = branch ? std::int32_t(whole(second, k, COEFFICIENT_BITS)) : stream ? 1 : 0;
            put_int(coefficients.record(i), COEFFICIENTS_RECORD_A, std::int32_t(whole(first, k, COEFFICIENT_BITS)));
            put_int(coefficients.record(i), COEFFICIENTS_RECORD_C, by);
        }
        coefficients.write(stores, bus_errors, base + c.coefficients_addr, group);
    }
    const std::int32_t fraction1 = int_at(headers[SCALAR_IN1], TENSOR_HEADER_FRACTION);
    const shifts_t shifts = {k, stream ? second_shift(k, fraction, fraction1) : 0, 0, 0};
    write_shifts(stores, bus_errors, c, base, shifts);
    write_tensor(stores, bus_errors, base + c.out_addr, zero(), bound, zero(), fraction);
}

}  // namespace cpt
