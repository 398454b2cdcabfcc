// The kernel's memory, seen from the simulation: the kernel runs in a thread of its own and waits for every beat.
#pragma once

#include "simulation.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace cpt {
namespace cosim {

/// One beat that the kernel waits for.
struct Request {
    bool write;
    Port port;
    address_t address;
    std::uint8_t beat[BUS_BYTES];
    std::uint64_t strobe;
};

/// Hands requests from the kernel's thread to the simulation's and answers back; only one of the two ever runs.
class PinBus : public simulation::Bus {
public:
    bool read(Port port, address_t address, std::uint8_t* beat) override {
        Request request = {false, port, address, {}, 0};
        const bool good = ask(request);
        std::memcpy(beat, answer_, BUS_BYTES);
        return good;
    }

    bool write(Port port, address_t address, const std::uint8_t* beat, std::uint64_t strobe) override {
        Request request = {true, port, address, {}, strobe};
        std::memcpy(request.beat, beat, BUS_BYTES);
        return ask(request);
    }

    /// Simulation's side: waits until the kernel asks for a beat (true) or has ended (false).
    bool next(Request& request) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (!turn_.wait_for(lock, PATIENCE, [this] { return asked_ || ended_; })) {
            std::fprintf(stderr, "the kernel has asked for no beat for %lld s: giving up\n",
                         (long long)PATIENCE.count());
            std::_Exit(3);   // its thread cannot be stopped from outside
        }
        request = request_;
        return !ended_;
    }

    /// Simulation's side: the beat has been moved.
    void answer(const std::uint8_t* beat, bool good) {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::memcpy(answer_, beat, BUS_BYTES);
        good_ = good;
        asked_ = false;
        turn_.notify_all();
    }

    /// Simulation's side: from now on every access fails at once, so that an abandoned kernel ends.
    void abandon() {
        const std::lock_guard<std::mutex> lock(mutex_);
        abandoned_ = true;
        asked_ = false;
        good_ = false;
        turn_.notify_all();
    }

    /// Kernel's side: the list has ended.
    void end() {
        const std::lock_guard<std::mutex> lock(mutex_);
        ended_ = true;
        turn_.notify_all();
    }

private:
    static constexpr std::chrono::seconds PATIENCE{120};

    bool ask(const Request& request) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (abandoned_) return false;
        request_ = request;
        asked_ = true;
        turn_.notify_all();
        turn_.wait(lock, [this] { return !asked_; });
        return good_;
    }

    std::mutex mutex_;
    std::condition_variable turn_;
    Request request_ = {};
    std::uint8_t answer_[BUS_BYTES] = {};
    bool asked_ = false;
    bool good_ = true;
    bool ended_ = false;
    bool abandoned_ = false;
};

}  // namespace cosim
}  // namespace cpt
