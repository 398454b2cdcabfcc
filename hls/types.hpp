// One type for each kind of signal, and one struct for each element of a stream.
#pragma once

#include "build.hpp"

// g++ wrongly takes inlined vendor integers for uninitialised; warnings about our own code stay on.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <ap_int.h>
#include <hls_stream.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace cpt {

typedef std::uint16_t word_t;                      // 16 channels' bits of one plane, or 16 bits of a result
typedef std::int32_t sum_t;                        // a row sum
typedef std::uint64_t address_t;                   // a byte on the bus
typedef ap_uint<8 * BUS_BYTES> beat_t;             // what the bus moves at once
typedef ap_int<ACCUMULATOR_BITS> accumulator_t;    // the P register of a DSP48E1
typedef ap_int<ACCUMULATOR_BITS + 1> rounding_t;   // an accumulator plus what is added to round it

/// The kernel's masters, in the order of its arguments.
enum Port { PORT_COMMANDS = 0, PORT_LOADS = 1, PORT_STORES = 2 };

/// A beat as the words it carries.
struct words_t {
    word_t word[BEAT_WORDS];
};

/// One K-slice of one plane of one lane or column: 16 bits of K a group.
struct slice_t {
    word_t group[SLICE_GROUPS];
};

/// Consecutive words of an operand on their way into a banked memory: word number w lies in bank w % BANKS.
struct packet_t {
    word_t bank[BANKS];
    std::uint16_t first;
    std::uint8_t count;
};

/// Words `step` apart in external memory that become consecutive words on chip; `zero` ones are padding, not read.
struct run_t {
    std::uint16_t target;        // a lane (CONV), a unit (WGRAD), or TO_COLUMNS
    std::uint16_t destination;   // word address on chip
    std::uint16_t words;
    std::uint8_t step;
    std::uint8_t offset;         // of the first word in the first beat
    std::uint16_t beats;         // that hold them
    bool zero;
    bool end;                    // no run: the job has no more of them
};
constexpr std::uint32_t TO_COLUMNS = LANES;
static_assert(max_of(LANE_WORDS, COLUMN_WORDS * SLICE_GROUPS) < 1 << 16, "word addresses on chip");
static_assert(2 * STRIP_SLICES * MAX_OPERAND_BITS * SLICE_PIXELS < 1 << 16, "word addresses on chip");

/// The results of one lane at one position.
struct results_t {
    accumulator_t column[COLUMNS];
    sum_t row_sum;
};

/// 16 words of a result as they are stored: plane by plane, or 16 bits of `columns` numbers one after the other.
struct piece_t {
    word_t word[BLOCK];
};

}  // namespace cpt
