// Simulation only: the kernel's register file, and a list run with it on any bus.
#pragma once

#include "kernel.hpp"
#include "simulation.hpp"

namespace cpt {
namespace simulation {

/// The kernel's register file, read by byte offset as a driver would.
struct Registers {
    std::uint32_t words[REGISTER_FEATURES / 4 + 1];

    std::uint32_t& operator[](std::uint32_t offset) { return words[offset / 4]; }
    std::uint64_t get_64(std::uint32_t offset) {
        return (*this)[offset] | std::uint64_t((*this)[offset + 4]) << 32;
    }
    void set_64(std::uint32_t offset, std::uint64_t value) {
        (*this)[offset] = std::uint32_t(value);
        (*this)[offset + 4] = std::uint32_t(value >> 32);
    }
};

/// Starts the kernel with the argument registers and runs the list to its end. `port` is what the masters point to.
inline void run_list(Bus& bus, beat_t* port, Registers& r) {
    Connection& line = connection();
    line.bus = &bus;
    line.errors = 0;
    std::uint64_t total, busy, load_stall, store_stall;
    cpt_kernel(
        port, port, port, &line.errors, r.get_64(REGISTER_MEM_BASE), r[REGISTER_MEM_BYTES], r[REGISTER_LIST_OFFSET],
        r[REGISTER_LIST_BYTES], r[REGISTER_STATUS], r[REGISTER_ERROR_INDEX], r[REGISTER_COMMANDS_DONE], total, busy,
        load_stall, store_stall, r[REGISTER_MAGIC], r[REGISTER_VERSION], r[REGISTER_LANES], r[REGISTER_COLUMNS],
        r[REGISTER_SLICE_GROUPS], r[REGISTER_LANE_WORDS], r[REGISTER_COLUMN_WORDS], r[REGISTER_ROW_WORDS],
        r[REGISTER_BUS_BYTES], r[REGISTER_FEATURES]);
    r.set_64(REGISTER_CYCLES_TOTAL, total);
    r.set_64(REGISTER_CYCLES_BUSY, busy);
    r.set_64(REGISTER_CYCLES_LOAD_STALL, load_stall);
    r.set_64(REGISTER_CYCLES_STORE_STALL, store_stall);
    line.bus = nullptr;
}

}  // namespace simulation
}  // namespace cpt
