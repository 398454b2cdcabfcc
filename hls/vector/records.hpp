// Members of blocks' headers and records, and the records of 16 channels at a time on their way from and to memory.
#pragma once

#include "places.hpp"
#include "scalar.hpp"

namespace cpt {

inline scalar_t scalar_at(const std::uint32_t words[], std::uint32_t byte) {
    return make_scalar(std::int32_t(words[byte / 4]), exponent_t(std::int32_t(words[byte / 4 + 1])));
}

inline void put_scalar(std::uint32_t words[], std::uint32_t byte, const scalar_t& value) {
    words[byte / 4] = std::uint32_t(std::int32_t(value.m));
    words[byte / 4 + 1] = std::uint32_t(std::int32_t(value.e));
}

inline std::int32_t int_at(const std::uint32_t words[], std::uint32_t byte) { return std::int32_t(words[byte / 4]); }
inline void put_int(std::uint32_t words[], std::uint32_t byte, std::int32_t value) {
    words[byte / 4] = std::uint32_t(value);
}

inline std::int64_t long_at(const std::uint32_t words[], std::uint32_t byte) {
    return std::int64_t(std::uint64_t(words[byte / 4 + 1]) << 32 | words[byte / 4]);
}
inline void put_long(std::uint32_t words[], std::uint32_t byte, std::int64_t value) {
    words[byte / 4] = std::uint32_t(std::uint64_t(value));
    words[byte / 4 + 1] = std::uint32_t(std::uint64_t(value) >> 32);
}

/// The records of 16 channels of one kind of block.
template <std::uint32_t RECORD_BYTES>
struct group_t {
    static constexpr std::uint32_t LINES = BLOCK * RECORD_BYTES / LINE_BYTES;
    std::uint32_t words[BLOCK * RECORD_BYTES / 4];

    const std::uint32_t* record(std::uint32_t channel) const { return words + channel * (RECORD_BYTES / 4); }
    std::uint32_t* record(std::uint32_t channel) { return words + channel * (RECORD_BYTES / 4); }

    /// Group number `group` of the block that starts at `address`.
    static address_t place(address_t address, std::uint32_t group) {
        return address + (1 + std::uint64_t(group) * LINES) * LINE_BYTES;
    }
    void read(port_t& loads, address_t address, std::uint32_t group) {
        read_lines(loads, place(address, group), LINES, words);
    }
    void write(
        port_t& stores, volatile const ap_uint<2>* bus_errors, address_t address, std::uint32_t group,
        const strobes_t& strobes = WHOLE_LINES) const {
        write_lines(stores, bus_errors, place(address, group), LINES, words, strobes);
    }
    void clear() {
        for (std::uint32_t i = 0; i < BLOCK * RECORD_BYTES / 4; ++i) words[i] = 0;
    }
};

typedef group_t<TALLY_RECORD_BYTES> tally_group_t;
typedef group_t<NORM_RECORD_BYTES> norm_group_t;
typedef group_t<COEFFICIENTS_RECORD_BYTES> coefficients_group_t;
typedef group_t<PARAMETERS_RECORD_BYTES> parameters_group_t;
typedef group_t<UNITS_RECORD_BYTES> units_group_t;
typedef group_t<MAXIMA_RECORD_BYTES> maxima_group_t;

/// Readers of a tally take the bits that a tally of codes can have.
inline integer_t tally_sum(const std::uint32_t record[]) {
    return ap_int<TALLY_SUM_BITS>(long_at(record, TALLY_RECORD_SUM));
}
inline integer_t tally_second(const std::uint32_t record[]) {
    return ap_int<TALLY_SECOND_BITS>(long_at(record, TALLY_RECORD_SECOND));
}
inline std::int32_t tally_end(const std::uint32_t record[], std::uint32_t byte) {
    return std::int32_t(ap_int<TALLY_CODE_BITS>(int_at(record, byte)));
}
/// The greatest magnitude of a channel.
inline std::int32_t tally_size(const std::uint32_t record[]) {
    const std::int32_t least = tally_end(record, TALLY_RECORD_LEAST);
    const std::int32_t most = tally_end(record, TALLY_RECORD_MOST);
    const std::int32_t below = least < 0 ? -least : least;
    const std::int32_t above = most < 0 ? -most : most;
    return below > above ? below : above;
}

/// Writes a block's header, all of its other words 0.
struct header_t {
    std::uint32_t words[LINE_WORDS];

    header_t(std::uint32_t kind, std::uint32_t channels) {
        for (std::uint32_t i = 0; i < LINE_WORDS; ++i) words[i] = 0;
        words[HEADER_KIND / 4] = kind;
        words[HEADER_CHANNELS / 4] = channels;
    }
    void write(port_t& stores, volatile const ap_uint<2>* bus_errors, address_t address) const {
        write_lines(stores, bus_errors, address, 1, words);
    }
};

}  // namespace cpt
