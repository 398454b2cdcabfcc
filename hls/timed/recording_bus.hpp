// Timed C-simulation: a bus that records what goes over it.
#pragma once

#include "simulation.hpp"
#include "recorder.hpp"

namespace cpt {
namespace timed {

class RecordingBus : public simulation::Bus {
public:
    explicit RecordingBus(simulation::Bus& memory) : memory_(memory) {}

    bool read(Port port, address_t address, std::uint8_t* beat) override {
        Recorder::one().add(READ_BEAT, port);
        return memory_.read(port, address, beat);
    }
    bool write(Port port, address_t address, const std::uint8_t* beat, std::uint64_t strobe) override {
        Recorder::one().add(WRITE_BEAT, port);
        return memory_.write(port, address, beat, strobe);
    }
    void request(Port port, address_t, std::uint32_t beats) override {
        Recorder::one().add(REQUEST, burst_value(port, beats));
    }
    void await(Port port) override { Recorder::one().add(AWAIT_WRITE, port); }

private:
    simulation::Bus& memory_;
};

}  // namespace timed
}  // namespace cpt
