// Timed C-simulation: external memory behind the masters; one bandwidth for reads and writes, one latency.
//
// The same memory as the RTL's (vivado/harness/ddr.hpp): a burst's first beat comes `latency` cycles after its address,
// a write's answer as long after its last beat; reads and writes take turns when both could go on.
#pragma once

#include <cstdint>
#include <deque>

namespace cpt {
namespace timed {

struct MemorySettings {
    double bytes_per_cycle;
    std::uint32_t latency;
    std::uint32_t bus_bytes;
};

/// What the masters in kernel.cpp may have in flight; bursts are cut into 16 beats.
constexpr std::uint32_t READ_BURSTS = 32;
constexpr std::uint32_t WRITE_BURSTS = 16;
constexpr std::uint32_t BURST_BEATS = 16;
constexpr std::uint32_t PORTS = 3;
constexpr std::uint32_t STORE_PORT = 2;

class MemoryModel {
public:
    explicit MemoryModel(const MemorySettings& settings) : settings_(settings) {}

    /// Whether the master takes another burst of so many beats now.
    bool has_room(std::uint32_t port, std::uint32_t beats) const;
    void request(std::uint32_t port, std::uint32_t beats, double now);
    /// Takes a beat that has arrived; `when` is when it did. False while it has not.
    bool take(std::uint32_t port, double& when);
    bool has_write_room() const { return writes_.size() < WRITE_BURSTS * BURST_BEATS; }
    void give(double now);
    /// Takes the answer to the oldest write; false while its last beat has not gone out.
    bool take_answer(double& when);

    /// When the next beat could move; below 0 when none waits.
    double next() const;
    /// Moves it.
    void serve();

private:
    struct Burst {
        std::uint32_t left;   // beats that have not been taken by the kernel
    };
    double next_read(std::uint32_t& port) const;

    MemorySettings settings_;
    double free_at_ = 0;
    bool read_was_last_ = false;
    std::deque<Burst> bursts_[PORTS];
    std::deque<double> asked_[PORTS];     // when each beat that is yet to move can be ready
    std::deque<double> arrived_[PORTS];
    std::deque<double> writes_;           // when each beat that is yet to move was given
    std::deque<std::uint32_t> announced_; // beats of each write that have not moved
    std::deque<double> answers_;
};

}  // namespace timed
}  // namespace cpt
