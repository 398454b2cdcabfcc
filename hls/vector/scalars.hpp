// The scalar commands: NORM, SCALE, JOIN and ERROR, channel by channel in groups of 16.
//
// Where a number of all channels (a bound, a shift) enters what is written, the channels are gone through again:
// nothing on chip grows with their number.
#pragma once

#include "limits.hpp"
#include "records.hpp"

namespace cpt {

constexpr std::int32_t FRACTION = 24;                          // bits behind the point of gamma, beta, their velocities
constexpr std::uint32_t OFFSET_BITS = ACCUMULATOR_BITS - 1;    // of B
constexpr std::int32_t STREAM_BITS = ACCUMULATOR_BITS - 3;     // of what is added to a residual output

inline scalar_t one() { return make_scalar(1); }
inline scalar_t zero() { return scalar_t{0, 0}; }
inline scalar_t one_if_zero(const scalar_t& a) { return a.m == 0 ? one() : a; }

inline std::uint32_t groups_of(const ScalarCommand& c) { return ceil_div(c.channels, BLOCK); }

/// The value of code 1 when the greatest code is the bound.
inline scalar_t code_step(const scalar_t& bound, std::uint32_t bits, bool is_signed) {
    const std::int32_t greatest = (std::int32_t(1) << (bits - (is_signed ? 1 : 0))) - 1;
    return one_if_zero(divide(bound, make_scalar(greatest)));
}

/// The greatest f with bound * (1 + 2^-20) < 2^(bits - f).
inline std::int32_t fraction_for(const scalar_t& bound, std::int32_t bits) {
    const scalar_t wider = add(bound, scaled(bound, -20));
    return wider.m == 0 ? 0 : bits - std::int32_t(SCALAR_BITS) - std::int32_t(wider.e);
}

/// j of a MAP that adds integers of unit 2^-fraction1.
inline std::int32_t second_shift(std::int32_t k, std::int32_t fraction, std::int32_t fraction1) {
    const std::int64_t j = std::int64_t(k) + fraction - fraction1;
    const std::int64_t most = MAX_SHIFT;
    return std::int32_t(j < -most ? -most : j > most ? most : j);
}

/// The TENSOR block of a result.
inline void write_tensor(
    port_t& stores, volatile const ap_uint<2>* bus_errors, address_t address, const scalar_t& step,
    const scalar_t& bound, const scalar_t& ratio, std::int32_t fraction) {
    header_t header(BLOCK_TENSOR, 0);
    put_scalar(header.words, TENSOR_HEADER_STEP, step);
    put_scalar(header.words, TENSOR_HEADER_BOUND, bound);
    put_scalar(header.words, TENSOR_HEADER_RATIO, ratio);
    put_int(header.words, TENSOR_HEADER_FRACTION, fraction);
    header.write(stores, bus_errors, address);
}

/// What a COEFFICIENTS block holds for all channels.
struct shifts_t {
    std::int32_t k, j, multiplier, scale_shift;
};

inline void write_shifts(
    port_t& stores, volatile const ap_uint<2>* bus_errors, const ScalarCommand& c, address_t base,
    const shifts_t& shifts) {
    header_t header(BLOCK_COEFFICIENTS, groups_of(c) * BLOCK);
    put_int(header.words, COEFFICIENTS_HEADER_K, shifts.k);
    put_int(header.words, COEFFICIENTS_HEADER_J, shifts.j);
    put_int(header.words, COEFFICIENTS_HEADER_MULTIPLIER, shifts.multiplier);
    put_int(header.words, COEFFICIENTS_HEADER_SCALE_SHIFT, shifts.scale_shift);
    header.write(stores, bus_errors, base + c.coefficients_addr);
}

/// The value of 1 of an operand that a CONV made, in one channel.
inline scalar_t conv_unit(const std::uint32_t tensor[], const std::uint32_t units[], std::uint32_t shift) {
    return scaled(multiply(scalar_at(tensor, TENSOR_HEADER_STEP), scalar_at(units, UNITS_RECORD_UNIT)), shift);
}

/// The value of 1 in one channel of the first error.
inline scalar_t first_unit(const ScalarCommand& c, const headers_t headers, const std::uint32_t units[]) {
    if (!c.flag(SCALAR_FLAG_POWER)) return conv_unit(headers[SCALAR_IN], units, c.shift);
    return make_scalar(1, exponent_t(-exponent_t(int_at(headers[SCALAR_IN], TENSOR_HEADER_FRACTION))));
}

void run_norm(
    const ScalarCommand& command, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors);
void run_scale(
    const ScalarCommand& command, const place_t places[MAX_PLACES], const headers_t headers, address_t base,
    port_t& loads, port_t& stores, volatile const ap_uint<2>* bus_errors);
void run_join(
    const ScalarCommand& command, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors);
void run_error(
    const ScalarCommand& command, const headers_t headers, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors);

}  // namespace cpt
