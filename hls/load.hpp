// What the parts of the load stage share: runs of words, asked for ahead of their beats, and the two kinds of jobs.
#pragma once

#include "stages.hpp"
#include "window.hpp"

namespace cpt {

/// Runs that were asked for and whose beats have not all come: enough of them hide the memory's latency.
class Flight {
public:
    bool empty() const { return count_ == 0; }
    bool full() const { return count_ == RUNS_AHEAD || bursts_ + MOST_BURSTS > READS_OUTSTANDING; }

    /// Asks for `words` words of memory from `address` on, `step` apart, for a place on chip; not when full.
    void ask(
        port_t& loads, hls::stream<run_t>& runs, address_t address, std::uint32_t target, std::uint32_t destination,
        std::uint32_t words, std::uint32_t step = 1) {
#pragma HLS INLINE
        const std::uint32_t offset = address % BUS_BYTES / 2;
        const std::uint32_t beats = beats_of(offset + (words - 1) * step + 1);
        request_read(loads, PORT_LOADS, address, beats);
        add(runs, target, destination, words, step, offset, beats, false);
    }

    /// A run of zeros, which no beats hold.
    void ask_zeros(hls::stream<run_t>& runs, std::uint32_t target, std::uint32_t destination, std::uint32_t words) {
#pragma HLS INLINE
        add(runs, target, destination, words, 1, 0, 0, true);
    }

    /// Takes the next beat of the oldest run; not when empty.
    void take(port_t& loads, hls::stream<words_t>& beats) {
#pragma HLS INLINE
        if (beats_[first_] > 0) beats.write(read_beat(loads, PORT_LOADS));
        if (++taken_ < beats_[first_]) return;
        taken_ = 0;
        bursts_ -= bursts_of(beats_[first_]);
        first_ = (first_ + 1) % RUNS_AHEAD;
        --count_;
    }

private:
    void add(
        hls::stream<run_t>& runs, std::uint32_t target, std::uint32_t destination, std::uint32_t words,
        std::uint32_t step, std::uint32_t offset, std::uint32_t beats, bool zero) {
#pragma HLS INLINE
        runs.write(run_t{
            std::uint16_t(target), std::uint16_t(destination), std::uint16_t(words), std::uint8_t(step),
            std::uint8_t(offset), std::uint16_t(beats), zero, false});
        beats_[(first_ + count_) % RUNS_AHEAD] = beats;
        bursts_ += bursts_of(beats);
        ++count_;
    }

    std::uint32_t beats_[RUNS_AHEAD] = {};
    std::uint32_t first_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t bursts_ = 0;
    std::uint32_t taken_ = 0;   // beats of the oldest run
};

/// What a CONV's job needs: weights when a column tile starts, rows of A when an output row starts.
void load_conv(
    const Command& command, const Plan& plan, const Job& job, address_t base, port_t& loads, hls::stream<run_t>& runs,
    hls::stream<words_t>& beats);

/// What a WGRAD whose taps share rows needs for the next job, and the first time for this one.
void load_strips(
    const Command& command, const Plan& plan, std::uint32_t index, const Job& job, address_t base, port_t& loads,
    hls::stream<run_t>& runs, hls::stream<words_t>& beats);

/// What a WGRAD's job needs: its slices of K, for the column tile and for each unit of 16 lanes.
void load_wgrad(
    const Command& command, const Plan& plan, const Job& job, address_t base, port_t& loads, hls::stream<run_t>& runs,
    hls::stream<words_t>& beats);

}  // namespace cpt
