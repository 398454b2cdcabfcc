// Runs a list on a memory that answers each operand read from number FIRST on with an error, and counts.
//
//     failing_bus IMAGE LIST_OFFSET LIST_BYTES FIRST      prints: STATUS, operand reads, writes after the error
#include "region.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

using namespace cpt;

namespace {

class FailingBus : public simulation::Bus {
public:
    FailingBus(simulation::Region& region, unsigned long first) : region_(region), first_(first) {}

    bool read(Port port, address_t address, std::uint8_t* beat) override {
        if (port != PORT_LOADS) return region_.read(port, address, beat);
        return region_.read(port, address, beat) && reads_++ < first_;
    }

    bool write(Port port, address_t address, const std::uint8_t* beat, std::uint64_t strobe) override {
        if (reads_ > first_) ++late_writes_;
        return region_.write(port, address, beat, strobe);
    }

    unsigned long reads() const { return reads_; }
    unsigned long late_writes() const { return late_writes_; }

private:
    simulation::Region& region_;
    unsigned long first_;
    unsigned long reads_ = 0;
    unsigned long late_writes_ = 0;
};

}  // namespace

int main(int, char** arguments) {
    std::ifstream file(arguments[1], std::ios::binary);
    std::vector<char> image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const unsigned long first = std::strtoul(arguments[4], nullptr, 10);
    simulation::Region region(reinterpret_cast<std::uint8_t*>(image.data()), image.size(), 0);
    FailingBus bus(region, first);
    simulation::Registers registers = {};
    registers[REGISTER_MEM_BYTES] = std::uint32_t(image.size());
    registers[REGISTER_LIST_OFFSET] = std::uint32_t(std::strtoul(arguments[2], nullptr, 10));
    registers[REGISTER_LIST_BYTES] = std::uint32_t(std::strtoul(arguments[3], nullptr, 10));
    simulation::run_list(bus, nullptr, registers);
    std::printf("%u %lu %lu\n", registers[REGISTER_STATUS], bus.reads(), bus.late_writes());
}
