// The build: which of the contract's builds this is, and the sizes that follow from it.
#pragma once

#include "contract.hpp"

// Chosen by the compiler's command line: -DCPT_BUILD=tiny, zc706 or hls.
#ifndef CPT_BUILD
#error "name the build: -DCPT_BUILD=tiny, zc706 or hls"
#endif

// Whether the build has a vector unit (contract, sections 4 to 10): -DCPT_VECTOR_UNIT=0 leaves it out.
#ifndef CPT_VECTOR_UNIT
#define CPT_VECTOR_UNIT 1
#endif

namespace cpt {

constexpr bool VECTOR_UNIT = CPT_VECTOR_UNIT != 0;
constexpr std::uint32_t FEATURES = VECTOR_UNIT << FEATURE_VECTOR_UNIT;   // of register FEATURES
constexpr Build BUILD = builds::CPT_BUILD;
static_assert(legal(BUILD), "a parameter of the build is outside its legal range");

constexpr std::uint32_t max_of(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
constexpr std::uint32_t min_of(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
constexpr std::uint32_t ceil_div(std::uint32_t count, std::uint32_t size) { return (count + size - 1) / size; }

constexpr std::uint32_t LANES = BUILD.lanes;
constexpr std::uint32_t COLUMNS = BUILD.columns;
constexpr std::uint32_t SLICE_GROUPS = BUILD.slice_groups;
constexpr std::uint32_t COLUMN_WORDS = BUILD.column_words;
constexpr std::uint32_t BUS_BYTES = BUILD.bus_bytes;

constexpr std::uint32_t BLOCK = CHANNEL_BLOCK;
constexpr std::uint32_t BEAT_WORDS = BUS_BYTES / 2;
/// Beats that so many words fill, counted from the first word of a beat.
constexpr std::uint32_t beats_of(std::uint32_t words) { return (words + BEAT_WORDS - 1) / BEAT_WORDS; }
constexpr std::uint32_t SLICE_PIXELS = BLOCK * SLICE_GROUPS;   // one K-slice of a WGRAD
static_assert(COLUMNS == BLOCK, "a column tile is a block of the result and of a tally");
static_assert(LANES % BLOCK == 0, "a WGRAD deals units of 16 rows to lanes");

// A lane's memory has as many banks as words can come in at once: a narrower bus needs fewer, and 16 banks of the
// zc706 (768 words each) are 16 half block RAMs, as many as one undivided memory would take.
constexpr std::uint32_t BANKS = min_of(BLOCK, BEAT_WORDS);
// WGRAD keeps one slice of all planes there, whatever the contract's lane_words are.
constexpr std::uint32_t LANE_WORDS = max_of(BUILD.lane_words, MAX_OPERAND_BITS * SLICE_PIXELS);
// Taps of one kernel row that a lane reads in a cycle: a 3 x 3 slice of 9 words then takes 3 cycles, which hides
// behind the array from b_bits = 3 on; each more costs a 16-to-1 multiplexer of words in every lane.
constexpr std::uint32_t READ_TAPS = min_of(min_of(4, BANKS), SLICE_GROUPS);

// Lanes that a step reaches in the same cycle: each bit of B then has 4 readers, each control bit 64 units.
constexpr std::uint32_t GROUP_LANES = 4;
constexpr std::uint32_t LANE_GROUPS = LANES / GROUP_LANES;

// Rows of a WGRAD in one round of lanes belong to this many (block, tap) units of 16 channels.
constexpr std::uint32_t UNITS = LANES / BLOCK;
// Packets that wait for a lane; 32 fit a shift register of one LUT a bit.
constexpr std::uint32_t LANE_FEED_PACKETS = 32;
// A WGRAD whose taps share rows: pieces of a slice that are formed in a cycle, each from its own copy of the rows, and
// gradients of different taps that the array keeps at a time.
constexpr std::uint32_t PIECE_READERS = SLICE_GROUPS * BLOCK / BANKS > 3 ? 3 : 1;
// Slices of one of its strips at most: enough work for the array to hide what a job costs.
constexpr std::uint32_t STRIP_SLICES = max_of(2, 18 / SLICE_GROUPS);
constexpr std::uint32_t CONTEXTS = 16;
// Pixels of a slice group that come from one image when two narrow ones share it.
constexpr std::uint32_t HALF_GROUP = BLOCK / 2;
// K is cut into jobs of this many slices, which bounds what streams hold in C-simulation.
constexpr std::uint32_t SLICES_PER_JOB = 16;

// Pieces of 16 words that the results of a position fill at most: those of 16 columns, 64 bits each.
constexpr std::uint32_t MAX_PIECES = 4;
static_assert(COLUMNS * 64 <= MAX_PIECES * BLOCK * 16, "INT64 results of all columns");
// Pieces that a lane collects of a result row before they are stored.
constexpr std::uint32_t ROW_PIECES = max_of(BUILD.row_words / BLOCK, MAX_PIECES);
// Lanes whose results are rounded in one cycle: the store takes one a cycle, and few lanes give few results.
constexpr std::uint32_t EPILOGUE_LANES = LANES < 32 ? 1 : 2;
// Words that the store takes in a cycle: of one piece, or of a plane of as many positions. Each of the latter needs a
// bank of its own.
constexpr std::uint32_t STORE_WORDS = BANKS;
constexpr std::uint32_t STORE_POSITIONS = min_of(4, BANKS);
// Runs of reads that the load asks for ahead, a power of two: enough to hide the memory's latency. The master takes 32
// bursts of at most 16 beats; one that crosses a page of 4 KiB becomes two.
constexpr std::uint32_t RUNS_AHEAD = BEAT_WORDS < BANKS * 2 ? 8 : 16;
constexpr std::uint32_t READS_OUTSTANDING = 32;
constexpr std::uint32_t bursts_of(std::uint32_t beats) { return beats == 0 ? 0 : beats / 16 + 2; }
// The longest run fills a lane's feed, or is a slice of pixels with gaps between them.
constexpr std::uint32_t MOST_BURSTS =
    bursts_of(max_of(LANE_FEED_PACKETS * BANKS, SLICE_PIXELS * MAX_STEP) / BEAT_WORDS + 1);
static_assert(MOST_BURSTS < READS_OUTSTANDING, "the load must not fill the queue of its master");
// Runs of writes whose answers the store may be waiting for.
constexpr std::uint32_t RUNS_IN_FLIGHT = 8;

// Jobs between two checks for bus errors. The stages drain there, so a check costs about one job's latency.
constexpr std::uint32_t JOBS_PER_LOOK = 32;
// Beats of memory from bus address 0 that Vitis' co-simulation copies for each master and each list.
constexpr std::uint32_t COSIM_BEATS = 8192;

}  // namespace cpt
