// The array: LANES x COLUMNS bit-serial dot-product units.
//
//     acc[lane][column] += +-2^(i+j) * popcount(A_i[lane] & B_j[column])     one plane pair (i, j) of one slice a cycle
//
// Steps run j fastest, then i, then slices, then positions: an element of A stays for b_bits cycles. A CONV's slices of
// B come through the stream during a column tile's first position and are kept for the others; a WGRAD's are kept for
// the a_bits planes of A and, where taps share rows, for all turns of the lanes: the sums of each turn are kept as
// well. A step reaches the lanes group by group, each a cycle after the one before: what all units need would otherwise
// leave one register for hundreds of places.
#include "popcount.hpp"
#include "slices.hpp"
#include "stages.hpp"

namespace cpt {

// A slice of B can be read from a column's memory this many cycles after its write; until then it is in registers.
constexpr std::uint32_t RECENT = 4;

// 2^(i+j) reaches 2^30, but a DSP48E1 multiplies 25 x 18 bits, signed: the count takes 7 of the 30 where needed.
constexpr std::uint32_t PRESHIFT = 7;
constexpr std::uint32_t WEIGHT_BITS = 25;
constexpr std::uint32_t COUNT_BITS = SLICE_PIXELS < 256 ? 8 : 11;

/// popcount(a & b) over a slice; the processor has an instruction for it.
static std::uint32_t matches(const word_t a[SLICE_GROUPS], const word_t b[SLICE_GROUPS]) {
#pragma HLS INLINE
#ifdef __SYNTHESIS__
    return count_by_threes(a, b);
#else
    std::uint32_t count = 0;
    for (std::uint32_t group = 0; group < SLICE_GROUPS; ++group) {
#pragma HLS UNROLL
        count += std::uint32_t(__builtin_popcount(a[group] & b[group]));
    }
    return count;
#endif
}

/// weight * count in the widths of a DSP48E1; the vendor's integers would slow the C-simulation down fivefold here.
static std::int64_t scale(std::int32_t weight, std::uint32_t count) {
#pragma HLS INLINE
#ifdef __SYNTHESIS__
    const ap_int<WEIGHT_BITS + COUNT_BITS + PRESHIFT> product =
        ap_int<WEIGHT_BITS>(weight) * ap_uint<COUNT_BITS + PRESHIFT>(count);
#pragma HLS BIND_OP variable=product op=mul impl=dsp
    return product;
#else
    return std::int64_t(weight) * count;
#endif
}

/// One step of one lane: sums = (first ? 0 : sums) +- 2^exponent * matches. Meant to become AND gates, a popcount and
/// one DSP a unit, which weighs and adds up; whether the tool maps it so is for csynth's report to say.
static void multiply(
    const word_t a[SLICE_GROUPS], const word_t b[COLUMNS][SLICE_GROUPS], bool first, std::uint32_t exponent,
    bool negative, accumulator_t sums[COLUMNS]) {
#pragma HLS INLINE
    const bool high = exponent > WEIGHT_BITS - 2;
    const std::int32_t power = std::int32_t(1) << (high ? exponent - PRESHIFT : exponent);
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
        const std::uint32_t count = matches(a, b[column]) << (high ? PRESHIFT : 0);
        const std::int64_t product = scale(negative ? -power : power, count);
        sums[column] = (first ? std::int64_t(0) : std::int64_t(sums[column])) + product;
    }
}

static results_t as_result(const accumulator_t sums[COLUMNS], std::uint32_t row_sum) {
#pragma HLS INLINE
    results_t result;
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
        result.column[column] = sums[column];
    }
    result.row_sum = sum_t(row_sum);
    return result;
}

/// What a lane keeps of a tap while it works on others.
struct context_t {
    accumulator_t sums[COLUMNS];
    std::uint32_t row_sum;
};

static void keep(context_t& context, const accumulator_t sums[COLUMNS], std::uint32_t row_sum) {
#pragma HLS INLINE
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
        context.sums[column] = sums[column];
    }
    context.row_sum = row_sum;
}

static void recall(const context_t& context, accumulator_t sums[COLUMNS], std::uint32_t& row_sum) {
#pragma HLS INLINE
    for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
        sums[column] = context.sums[column];
    }
    row_sum = context.row_sum;
}

/// What the lanes of a group do in a step.
struct step_t {
    bool works;             // else there is no step
    bool takes;             // a slice of A
    bool starts;            // sums, with this slice
    bool begins;            // ... and with this plane of B
    bool recalls, keeps;    // the sums of the turn
    bool ends;              // results leave
    bool a_falls;           // the plane of A counts negative
    bool negative;          // ... the pair of planes
    ap_uint<5> plane;       // of A
    ap_uint<5> exponent;
    ap_uint<8> turn;
};
static_assert(CONTEXTS <= 256, "the width of a turn");

/// Where the steps of a job are.
struct Counter {
    std::uint32_t i, j, slice, turn;
    bool b_comes;   // through the stream, else it is kept

    void next(const Command& command, const Plan& plan, std::uint32_t slices) {
#pragma HLS INLINE
        if (++j < command.b_bits) return;
        j = 0;
        if (++i < command.a_bits) return;
        i = 0;
        if (plan.shared) {
            b_comes = ++turn == plan.turns;   // the slice's planes of B stay for all turns
            if (!b_comes) return;
            turn = 0;
        }
        if (++slice < slices) return;
        slice = 0;
        b_comes = plan.wgrad;
    }
};

void array(
    const Command& command, const Plan& plan, std::uint32_t index, hls::stream<slice_t> a[LANES],
    hls::stream<slice_t> b[COLUMNS], hls::stream<results_t> results[EPILOGUE_LANES]) {
    static Job job;
    // Every unit works in every cycle: everything it holds is in registers. Static, as a WGRAD's sums go on in the
    // next job. Row sums wrap where they are not requested; where they are, the contract's bound holds.
    static word_t held[LANES][SLICE_GROUPS];
    static accumulator_t sums[LANES][COLUMNS];
    static std::uint32_t row_sums[LANES];
#pragma HLS ARRAY_PARTITION variable=held complete dim=0
#pragma HLS ARRAY_PARTITION variable=sums complete dim=0
#pragma HLS ARRAY_PARTITION variable=row_sums complete
    // Of a WGRAD with several turns; one or more lie between a write and the next read of an entry.
    static context_t contexts[LANES][CONTEXTS];
#pragma HLS ARRAY_PARTITION variable=contexts complete dim=1
#pragma HLS AGGREGATE variable=contexts compact=bit
#pragma HLS BIND_STORAGE variable=contexts type=ram_s2p impl=lutram
#pragma HLS DEPENDENCE variable=contexts type=inter direction=RAW distance=2 true
    // Each column reads one slice a cycle, as one wide word of block RAM. `recent` stands in for what was written in
    // the last RECENT steps, so a read follows the write that it depends on by more steps than that.
    static word_t kept[COLUMNS][COLUMN_WORDS][SLICE_GROUPS];
    static word_t recent[RECENT][COLUMNS][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=kept complete dim=1
#pragma HLS ARRAY_RESHAPE variable=kept complete dim=3
#pragma HLS BIND_STORAGE variable=kept type=ram_s2p impl=bram
#pragma HLS DEPENDENCE variable=kept type=inter direction=RAW distance=5 true
    static_assert(RECENT + 1 == 5, "the distance between a write of `kept` and its first read");
#pragma HLS ARRAY_PARTITION variable=recent complete dim=0
    // Not static: a job that a reset cuts off leaves no step behind.
    step_t group_steps[LANE_GROUPS] = {};
    static word_t columns[LANE_GROUPS][COLUMNS][SLICE_GROUPS];
#pragma HLS ARRAY_PARTITION variable=group_steps complete
#pragma HLS ARRAY_PARTITION variable=columns complete dim=0
    // Results wait here and leave a few lanes a cycle, as fast as the epilogue takes them: a FIFO for each lane would
    // be LANES times as wide. A position of fewer steps than that waits.
    static results_t leaving[LANES];
#pragma HLS AGGREGATE variable=leaving compact=bit
#pragma HLS ARRAY_PARTITION variable=leaving complete
    job = next_job(plan, index, job);

    const std::uint32_t active = active_lanes(plan, job);
    const std::uint32_t slices = job_slices(command, plan, job);
    const std::uint32_t a_top = command.flag(FLAG_A_SIGNED) ? command.a_bits - 1 : MAX_OPERAND_BITS;
    const std::uint32_t b_top = command.flag(FLAG_B_SIGNED) ? command.b_bits - 1 : MAX_OPERAND_BITS;
    const std::uint32_t steps = job_positions(command, plan, job) * slices * command.a_bits * command.b_bits;
    static_assert(
        std::uint64_t(ROW_PIECES) * COLUMN_WORDS * MAX_OPERAND_BITS < 1ull << 32, "the steps of a CONV's job");
    static_assert(CONTEXTS * max_of(STRIP_SLICES, SLICES_PER_JOB) < 1 << 16, "the steps of a WGRAD's job");
    const std::uint32_t entries = (plan.wgrad ? 1 : slices) * command.b_bits;
    const bool job_begins = job_starts(plan, job);
    const bool job_ends = job_completes(plan, job);
    Counter at = {0, 0, 0, 0, plan.wgrad || job.starts_tile()};
    // Cycles in which results leave, of a position and of those that are still to come. Counted down in few bits: the
    // loop waits for them, so what follows from them must be found within a cycle.
    const std::uint8_t leave_cycles = std::uint8_t(ceil_div(active, EPILOGUE_LANES));
    static_assert(LANES / EPILOGUE_LANES < 256, "the width of leave_cycles");
    std::uint8_t to_leave = 0;
    std::uint8_t behind = 0;   // cycles until the last step has reached all groups
    std::uint32_t step = 0;
    array_steps: while (step < steps || to_leave != 0 || behind != 0) {
        // The compute loop: one plane pair in every cycle.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=131072
        const bool room = to_leave <= 1;
        if (to_leave != 0) {
            const std::uint32_t first = std::uint8_t(leave_cycles - to_leave) * EPILOGUE_LANES;
            for (std::uint32_t out = 0; out < EPILOGUE_LANES; ++out) {
#pragma HLS UNROLL
                if (first + out < active) results[out].write(leaving[first + out]);
            }
            --to_leave;
        }
        for (std::uint32_t group = LANE_GROUPS - 1; group > 0; --group) {
#pragma HLS UNROLL
            group_steps[group] = group_steps[group - 1];
            for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
                for (std::uint32_t word = 0; word < SLICE_GROUPS; ++word) {
#pragma HLS UNROLL
                    columns[group][column][word] = columns[group - 1][column][word];
                }
            }
        }
        const bool turn_ends = at.i + 1 == command.a_bits && at.j + 1 == command.b_bits;
        const bool starts = at.slice == 0 && at.i == 0 && job_begins;
        const bool ends = at.slice + 1 == slices && turn_ends && job_ends;
        const bool works = step < steps && (room || !ends);
        group_steps[0] = step_t{
            works, at.j == 0, starts, starts && at.j == 0, plan.turns > 1 && at.i == 0 && at.j == 0 && !starts,
            plan.turns > 1 && turn_ends, ends, at.i == a_top, (at.i == a_top) != (at.j == b_top), at.i, at.i + at.j,
            at.turn};
        behind = works ? LANE_GROUPS - 1 : behind > 0 ? behind - 1 : 0;
        if (works) {
            ++step;
            const std::uint32_t entry = (plan.wgrad ? 0 : at.slice * command.b_bits) + at.j;
            const bool too_recent = entries <= RECENT || (at.b_comes && command.b_bits <= RECENT);
            const bool arrives = at.b_comes && at.i == 0;
            for (std::uint32_t column = 0; column < COLUMNS; ++column) {
#pragma HLS UNROLL
                if (arrives) get_slice(b[column], columns[0][column]);
                for (std::uint32_t word = 0; word < SLICE_GROUPS; ++word) {
#pragma HLS UNROLL
                    if (arrives) {
                        kept[column][entry][word] = columns[0][column][word];
                        recent[entry % RECENT][column][word] = columns[0][column][word];
                    } else {
                        columns[0][column][word] =
                            too_recent ? recent[entry % RECENT][column][word] : kept[column][entry][word];
                    }
                }
            }
            if (ends) to_leave = leave_cycles;
            at.next(command, plan, slices);
        }
        for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
            const step_t& now = group_steps[lane / GROUP_LANES];
            if (lane >= active || !now.works) continue;
            if (now.recalls) recall(contexts[lane][now.turn], sums[lane], row_sums[lane]);
            if (now.takes) {
                get_slice(a[lane], held[lane]);
                const std::uint32_t ones = matches(held[lane], held[lane]) << now.plane;   // one more popcount
                row_sums[lane] = (now.starts ? 0 : row_sums[lane]) + (now.a_falls ? 0 - ones : ones);
            }
            multiply(held[lane], columns[lane / GROUP_LANES], now.begins, now.exponent, now.negative, sums[lane]);
            if (now.keeps) keep(contexts[lane][now.turn], sums[lane], row_sums[lane]);
            if (now.ends) leaving[lane] = as_result(sums[lane], row_sums[lane]);
        }
    }
}

}  // namespace cpt
