// Simulation only: memory that backs the first bytes of a region, and a list run on it. Beyond it the bus answers with
// errors.
#pragma once

#include "kernel.hpp"
#include "simulation.hpp"

#include <cstring>

namespace cpt {
namespace simulation {

class Region : public Bus {
public:
    Region(std::uint8_t* bytes, std::uint64_t size, address_t base) : bytes_(bytes), size_(size), base_(base) {}

    bool read(Port, address_t address, std::uint8_t* beat) override {
        if (!backed(address)) return false;
        std::memcpy(beat, bytes_ + (address - base_), BUS_BYTES);
        return true;
    }

    bool write(Port, address_t address, const std::uint8_t* beat, std::uint64_t strobe) override {
        if (!backed(address)) return false;
        for (std::uint32_t i = 0; i < BUS_BYTES; ++i) {
            if (strobe >> i & 1) bytes_[address - base_ + i] = beat[i];
        }
        return true;
    }

private:
    bool backed(address_t address) const {
        return address >= base_ && size_ >= BUS_BYTES && address - base_ <= size_ - BUS_BYTES;
    }

    std::uint8_t* bytes_;
    std::uint64_t size_;
    address_t base_;
};

/// The kernel's register file, read by byte offset as a driver would.
struct Registers {
    std::uint32_t words[REGISTER_BUS_BYTES / 4 + 1];

    std::uint32_t& operator[](std::uint32_t offset) { return words[offset / 4]; }
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
    const std::uint64_t mem_base = r[REGISTER_MEM_BASE] | std::uint64_t(r[REGISTER_MEM_BASE + 4]) << 32;
    std::uint64_t total, busy, load_stall, store_stall;
    cpt_kernel(
        port, port, port, &line.errors, mem_base, r[REGISTER_MEM_BYTES], r[REGISTER_LIST_OFFSET],
        r[REGISTER_LIST_BYTES], r[REGISTER_STATUS], r[REGISTER_ERROR_INDEX], r[REGISTER_COMMANDS_DONE], total, busy,
        load_stall, store_stall, r[REGISTER_MAGIC], r[REGISTER_VERSION], r[REGISTER_LANES], r[REGISTER_COLUMNS],
        r[REGISTER_SLICE_GROUPS], r[REGISTER_LANE_WORDS], r[REGISTER_COLUMN_WORDS], r[REGISTER_ROW_WORDS],
        r[REGISTER_BUS_BYTES]);
    r.set_64(REGISTER_CYCLES_TOTAL, total);
    r.set_64(REGISTER_CYCLES_BUSY, busy);
    r.set_64(REGISTER_CYCLES_LOAD_STALL, load_stall);
    r.set_64(REGISTER_CYCLES_STORE_STALL, store_stall);
    line.bus = nullptr;
}

}  // namespace simulation
}  // namespace cpt
