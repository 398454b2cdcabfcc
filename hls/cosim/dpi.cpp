// The kernel behind DPI: a register file with Vitis' handshakes, and a thread that runs a list beat by beat.
#include "pin_bus.hpp"
#include "run_list.hpp"

#include <memory>
#include <thread>

#include "svdpi.h"

namespace cpt {
namespace cosim {

/// Everything that a reset clears.
class Device {
public:
    ~Device() { stop(); }

    void reset() {
        stop();
        registers_ = simulation::Registers();
        isr_ = 0;
        done_ = ready_ = false;
    }

    bool running() const { return bus_ != nullptr; }
    bool interrupt() { return (registers_[REGISTER_GIER] & 1) && isr_ != 0; }

    void write(std::uint32_t offset, std::uint32_t value) {
        if (offset == REGISTER_AP_CTRL) {
            if (value >> AP_CTRL_SW_RESET & 1) reset();
            else if ((value >> AP_CTRL_START & 1) && !running()) start();
        } else if (offset == REGISTER_ISR) {
            isr_ ^= value & INTERRUPTS;
        } else if (writable_bits(offset) != 0) {
            registers_[offset] = value & writable_bits(offset);
        }
    }

    std::uint32_t read(std::uint32_t offset) {
        if (offset == REGISTER_ISR) return isr_;
        if (offset != REGISTER_AP_CTRL) return offset < sizeof registers_.words ? registers_[offset] : 0;
        const std::uint32_t control = running() << AP_CTRL_START | done_ << AP_CTRL_DONE | !running() << AP_CTRL_IDLE
                                      | ready_ << AP_CTRL_READY | interrupt() << AP_CTRL_INTERRUPT;
        done_ = ready_ = false;
        return control;
    }

    /// The next beat the kernel needs; false when the list has ended instead.
    bool next(Request& request) {
        if (bus_->next(request)) return true;
        stop();
        std::memcpy(&registers_[REGISTER_STATUS], &results_[REGISTER_STATUS],
                    sizeof results_.words - REGISTER_STATUS);
        done_ = ready_ = true;
        isr_ |= registers_[REGISTER_IER] & INTERRUPTS;
        return false;
    }

    /// A beat that was in flight when the device was reset is not answered.
    void answer(std::uint32_t number, const std::uint8_t* beat, bool good) {
        if (bus_ && number == lists_) bus_->answer(beat, good);
    }

    /// Number of the list that runs, so that a late answer is not taken for one of the next list.
    std::uint32_t list() const { return lists_; }

private:
    static constexpr std::uint32_t INTERRUPTS = 1u << IRQ_DONE | 1u << IRQ_READY;

    static std::uint32_t writable_bits(std::uint32_t offset) {
        switch (offset) {
            case REGISTER_GIER: return 1;
            case REGISTER_IER: return INTERRUPTS;
            case REGISTER_MEM_BASE:
            case REGISTER_MEM_BASE + 4:
            case REGISTER_MEM_BYTES:
            case REGISTER_LIST_OFFSET:
            case REGISTER_LIST_BYTES: return 0xFFFFFFFF;
            default: return 0;
        }
    }

    void start() {
        ++lists_;
        results_ = registers_;
        bus_.reset(new PinBus);
        kernel_ = std::thread([this] {
            simulation::run_list(*bus_, nullptr, results_);
            bus_->end();
        });
    }

    void stop() {
        if (bus_) bus_->abandon();
        if (kernel_.joinable()) kernel_.join();
        bus_.reset();
    }

    simulation::Registers registers_;
    simulation::Registers results_;   // what the running kernel works on
    std::unique_ptr<PinBus> bus_;     // there while a list runs
    std::thread kernel_;
    std::uint32_t lists_ = 0;
    std::uint32_t isr_ = 0;
    bool done_ = false;
    bool ready_ = false;
};

static Device& device() {
    static Device one;
    return one;
}

}  // namespace cosim
}  // namespace cpt

using cpt::cosim::device;

extern "C" {

void cpt_write_register(unsigned offset, unsigned value) { device().write(offset, value); }
unsigned cpt_read_register(unsigned offset) { return device().read(offset); }
svBit cpt_interrupt() { return device().interrupt(); }
svBit cpt_running() { return device().running(); }
void cpt_reset() { device().reset(); }

void cpt_next_request(
    unsigned* list, svBit* write, unsigned* port, unsigned long long* address, svBitVecVal* data, svBitVecVal* strobe) {
    cpt::cosim::Request request;
    if (!device().next(request)) return;
    *list = device().list();
    *write = request.write;
    *port = request.port;
    *address = request.address;
    std::memset(data, 0, 64);
    std::memcpy(data, request.beat, cpt::BUS_BYTES);
    std::memcpy(strobe, &request.strobe, sizeof request.strobe);
}

void cpt_answer(unsigned list, const svBitVecVal* data, svBit error) {
    device().answer(list, reinterpret_cast<const std::uint8_t*>(data), !error);
}

}  // extern "C"
