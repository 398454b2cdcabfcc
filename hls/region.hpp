// Simulation only: memory that backs the first bytes of a region. Beyond it the bus answers with errors.
#pragma once

#include "run_list.hpp"

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

}  // namespace simulation
}  // namespace cpt
