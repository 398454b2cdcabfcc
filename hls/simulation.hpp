// Simulation only: what answers the kernel's memory accesses in place of AXI, and how a test bench sees bus errors.
#pragma once

#include "types.hpp"

namespace cpt {
namespace simulation {

/// Moves one beat, BUS_BYTES bytes at a multiple of BUS_BYTES; false is an error response.
class Bus {
public:
    virtual ~Bus() {}
    virtual bool read(Port port, address_t address, std::uint8_t* beat) = 0;
    /// Bit i of `strobe` says whether byte i is written.
    virtual bool write(Port port, address_t address, const std::uint8_t* beat, std::uint64_t strobe) = 0;
};

/// What the kernel is connected to while it runs.
struct Connection {
    Bus* bus;
    ap_uint<2> errors;   // the kernel's input `bus_errors`: bit 0 a read, bit 1 a write was answered with an error
};

inline Connection& connection() {
    static Connection one = {nullptr, 0};
    return one;
}

}  // namespace simulation
}  // namespace cpt
