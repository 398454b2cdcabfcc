// ERROR: the coefficients of the error codes of y, and gamma and beta after their update.
#include "moved.hpp"
#include "scalars.hpp"

namespace cpt {

/// The records that ERROR needs of 16 channels.
struct error_group_t {
    tally_group_t tally, tally1;
    norm_group_t norm;
    units_group_t units;
    parameters_group_t parameters;

    void read_all(const ScalarCommand& c, address_t base, port_t& loads, std::uint32_t group) {
        tally.read(loads, base + c.tally_addr, group);
        tally1.read(loads, base + c.tally1_addr, group);
        norm.read(loads, base + c.norm_addr, group);
        if (!c.flag(SCALAR_FLAG_POWER)) units.read(loads, base + c.units_addr, group);
        parameters.read(loads, base + c.parameters_addr, group);
    }
};

/// What follows from the sums of one channel, in the error's own unit.
struct channel_t {
    scalar_t unit, rho, spread, base, slope, even;
};

static channel_t channel_of(
    const ScalarCommand& c, const headers_t headers, const error_group_t& records, std::uint32_t i) {
    const integer_t count = pixels_of(c);
    const std::uint32_t* const norm = records.norm.record(i);
    const integer_t sum = tally_sum(records.tally.record(i));
    const integer_t other = tally_sum(records.tally1.record(i));
    const scalar_t gamma = make_scalar(int_at(records.parameters.record(i), PARAMETERS_RECORD_GAMMA), -FRACTION);
    channel_t of;
    of.unit = first_unit(c, headers, records.units.record(i));
    of.rho = scalar_at(norm, NORM_RECORD_RHO);
    of.spread = make_scalar(count * tally_second(records.tally.record(i)) - sum * other);
    of.base = multiply(multiply(gamma, divide(of.rho, scalar_at(norm, NORM_RECORD_UNIT))), of.unit);
    const scalar_t bent = multiply(of.base, multiply(of.rho, of.rho));
    of.slope = negated(multiply(bent, divide(of.spread, make_scalar(count * count))));
    const scalar_t average = divide(multiply(of.base, make_scalar(sum)), make_scalar(count));
    of.even = negated(add(average, multiply(of.slope, scalar_at(norm, NORM_RECORD_MEAN))));
    return of;
}

static void move_parameter(
    std::uint32_t parameter[], std::uint32_t byte, std::uint32_t velocity_byte, const scalar_t& gradient,
    const rates_t& rates) {
    const moving_t now = {int_at(parameter, byte), int_at(parameter, velocity_byte)};
    const moving_t then = moved(now, ap_int<32>(whole(gradient, FRACTION, 32)), rates);
    put_int(parameter, byte, std::int32_t(then.value));
    put_int(parameter, velocity_byte, std::int32_t(then.velocity));
}

static void move_parameters(
    const ScalarCommand& c, const channel_t& of, const integer_t& sum, const rates_t& rates,
    std::uint32_t parameter[]) {
    const scalar_t count = make_scalar(pixels_of(c));
    const scalar_t by_gamma = divide(multiply(multiply(of.unit, of.rho), of.spread), count);
    const scalar_t by_beta = multiply(of.unit, make_scalar(sum));
    move_parameter(parameter, PARAMETERS_RECORD_GAMMA, PARAMETERS_RECORD_GAMMA_VELOCITY, by_gamma, rates);
    move_parameter(parameter, PARAMETERS_RECORD_BETA, PARAMETERS_RECORD_BETA_VELOCITY, by_beta, rates);
}

void run_error(
    const ScalarCommand& c, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    const std::uint32_t groups = groups_of(c);
    const std::uint32_t* const step_header = headers[SCALAR_STEP];
    const rates_t rates = {step_header[STEP_HEADER_MOMENTUM / 4], step_header[STEP_HEADER_PARAMETER_DECAY / 4],
                           step_header[STEP_HEADER_PARAMETER_RATE / 4]};
    error_group_t records;
    scalar_t bound = zero();
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        records.read_all(c, base, loads, group);
        const std::uint32_t channels = min_of(BLOCK, c.channels - group * BLOCK);
        for (std::uint32_t i = 0; i < channels; ++i) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            const scalar_t size = make_scalar(tally_size(records.tally.record(i)));
            bound = greater_of(bound, multiply(magnitude(channel_of(c, headers, records, i).base), size));
        }
    }
    const scalar_t step = code_step(bound, c.bits, true);
    Room room(MAX_MAP_SHIFT, COEFFICIENT_BITS);
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        records.read_all(c, base, loads, group);
        const std::uint32_t channels = min_of(BLOCK, c.channels - group * BLOCK);
        for (std::uint32_t i = 0; i < channels; ++i) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            const channel_t of = channel_of(c, headers, records, i);
            room.see(divide(of.base, step));
            room.see(divide(of.slope, step));
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
            const channel_t of = channel_of(c, headers, records, i);
            std::uint32_t* const record = coefficients.record(i);
            const ap_int<48> offset = whole(divide(of.even, step), k, OFFSET_BITS);
            put_int(record, COEFFICIENTS_RECORD_A, std::int32_t(whole(divide(of.base, step), k, COEFFICIENT_BITS)));
            put_int(record, COEFFICIENTS_RECORD_C, std::int32_t(whole(divide(of.slope, step), k, COEFFICIENT_BITS)));
            put_long(record, COEFFICIENTS_RECORD_B, std::int64_t(offset));
            move_parameters(c, of, tally_sum(records.tally.record(i)), rates, records.parameters.record(i));
        }
        coefficients.write(stores, bus_errors, base + c.coefficients_addr, group);
        // Gamma, beta and their velocities alone: the first 16 bytes of the real channels' records.
        static_assert(PARAMETERS_RECORD_GAMMA == 0 && PARAMETERS_RECORD_BETA_VELOCITY == 12,
                      "the bytes that ERROR changes");
        records.parameters.write(stores, bus_errors, base + c.parameters_addr, group, strobes_t{0x0000FFFF, channels});
    }
    write_shifts(stores, bus_errors, c, base, shifts_t{k, 0, 0, 0});
    write_tensor(stores, bus_errors, base + c.out_addr, step, bound, zero(), 0);
}

}  // namespace cpt
