// Simulation only: what answers the kernel's memory accesses in place of AXI, and how a test bench sees bus errors.
#pragma once

#include "types.hpp"

#include <deque>

namespace cpt {
namespace simulation {

/// Moves one beat, BUS_BYTES bytes at a multiple of BUS_BYTES; false is an error response.
class Bus {
public:
    virtual ~Bus() {}
    virtual bool read(Port port, address_t address, std::uint8_t* beat) = 0;
    /// Bit i of `strobe` says whether byte i is written.
    virtual bool write(Port port, address_t address, const std::uint8_t* beat, std::uint64_t strobe) = 0;
    /// For a bus that knows time: a burst is announced before its beats, and a write's answer is waited for.
    virtual void request(Port, address_t, std::uint32_t) {}
    virtual void await(Port) {}
};

/// What the kernel is connected to while it runs.
struct Connection {
    Bus* bus;
    ap_uint<2> errors;   // the kernel's input `bus_errors`: bit 0 a read, bit 1 a write was answered with an error

    void request_read(Port port, address_t address, std::uint32_t beats) {
        bus->request(port, address, beats);
        if (beats > 0) asked_[port].push_back(Burst{address, beats});
    }

    void read_beat(Port port, std::uint8_t* beat) {
        Burst& burst = asked_[port].at(0);
        if (!bus->read(port, burst.address, beat)) errors[0] = true;
        burst.address += BUS_BYTES;
        if (--burst.beats == 0) asked_[port].pop_front();
    }

private:
    struct Burst {
        address_t address;
        std::uint32_t beats;
    };
    std::deque<Burst> asked_[PORT_STORES];   // of the ports that read
};

inline Connection& connection() {
    static Connection one = {};
    return one;
}

}  // namespace simulation
}  // namespace cpt
