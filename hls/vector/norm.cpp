// NORM: statistics of y, gamma and beta to a normalisation; the running statistics follow.
//
//     mean = S(sum) / S(N)     variance = S(N * second - sum^2) / S(N^2)     rho = 1 / root(variance + 1/4)
#include "scalars.hpp"

namespace cpt {

/// A running statistic moves by a share of the way.
static void follow(std::uint32_t parameter[], std::uint32_t byte, const scalar_t& seen, const scalar_t& keep) {
    const scalar_t old = scalar_at(parameter, byte);
    put_scalar(parameter, byte, add(old, multiply(subtract(seen, old), keep)));
}

/// One channel; `parameter` changes without EVALUATE.
static void normalise(
    const ScalarCommand& c, const headers_t headers, const std::uint32_t tally[], const std::uint32_t units[],
    std::uint32_t parameter[], std::uint32_t norm[]) {
    const integer_t count = pixels_of(c);
    const scalar_t unit = conv_unit(headers[SCALAR_IN], units, c.shift);
    const scalar_t unit2 = multiply(unit, unit);
    scalar_t mean, variance;
    if (c.flag(SCALAR_FLAG_EVALUATE)) {
        mean = divide(scalar_at(parameter, PARAMETERS_RECORD_MEAN), unit);
        variance = divide(scalar_at(parameter, PARAMETERS_RECORD_VARIANCE), unit2);
    } else {
        const integer_t sum = tally_sum(tally);
        mean = divide(make_scalar(sum), make_scalar(count));
        variance = divide(make_scalar(count * tally_second(tally) - sum * sum), make_scalar(count * count));
        const scalar_t keep = scalar_at(headers[SCALAR_STEP], STEP_HEADER_KEEP);
        const scalar_t spread = multiply(multiply(variance, unit2), make_scalar(count));
        follow(parameter, PARAMETERS_RECORD_MEAN, multiply(mean, unit), keep);
        follow(parameter, PARAMETERS_RECORD_VARIANCE, divide(spread, make_scalar(count - 1)), keep);
    }
    const scalar_t rho = divide(one(), root(add(variance, make_scalar(1, -2))));
    const scalar_t gain = multiply(make_scalar(int_at(parameter, PARAMETERS_RECORD_GAMMA), -FRACTION), rho);
    const scalar_t beta = make_scalar(int_at(parameter, PARAMETERS_RECORD_BETA), -FRACTION);
    const scalar_t offset = subtract(beta, multiply(mean, gain));
    const scalar_t one_end = add(multiply(gain, make_scalar(tally_end(tally, TALLY_RECORD_LEAST))), offset);
    const scalar_t other_end = add(multiply(gain, make_scalar(tally_end(tally, TALLY_RECORD_MOST))), offset);
    const bool turned = greater(one_end, other_end);
    put_scalar(norm, NORM_RECORD_MEAN, mean);
    put_scalar(norm, NORM_RECORD_RHO, rho);
    put_scalar(norm, NORM_RECORD_UNIT, unit);
    put_scalar(norm, NORM_RECORD_GAIN, gain);
    put_scalar(norm, NORM_RECORD_OFFSET, offset);
    put_scalar(norm, NORM_RECORD_TOP, turned ? one_end : other_end);
    put_scalar(norm, NORM_RECORD_BOTTOM, turned ? other_end : one_end);
}

void run_norm(
    const ScalarCommand& c, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    const std::uint32_t groups = groups_of(c);
    header_t(BLOCK_NORM, groups * BLOCK).write(stores, bus_errors, base + c.norm_addr);
    for (std::uint32_t group = 0; group < groups; ++group) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=4
        tally_group_t tallies;
        units_group_t units;
        parameters_group_t parameters;
        norm_group_t norms;
        tallies.read(loads, base + c.tally_addr, group);
        units.read(loads, base + c.units_addr, group);
        parameters.read(loads, base + c.parameters_addr, group);
        norms.clear();
        const std::uint32_t channels = min_of(BLOCK, c.channels - group * BLOCK);
        for (std::uint32_t i = 0; i < channels; ++i) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=16
            normalise(c, headers, tallies.record(i), units.record(i), parameters.record(i), norms.record(i));
        }
        norms.write(stores, bus_errors, base + c.norm_addr, group);
        if (c.flag(SCALAR_FLAG_EVALUATE)) continue;
        // Mean and variance alone: bytes 16 to 31 of the real channels' records, which are half lines.
        static_assert(PARAMETERS_RECORD_BYTES == LINE_BYTES / 2 && PARAMETERS_RECORD_MEAN == 16
                      && PARAMETERS_RECORD_VARIANCE == 24, "the bytes that NORM changes");
        parameters.write(stores, bus_errors, base + c.parameters_addr, group, strobes_t{0xFFFF0000, channels});
    }
}

}  // namespace cpt
