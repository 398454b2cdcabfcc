// The Verilated kernel with a modelled DDR, as a shared library: runs one command list through the pins.
#include "Vcpt_kernel.h"
#include "Vcpt_kernel___024root.h"
#include "ddr.hpp"

#include <memory>
#include <verilated.h>
#if VM_TRACE_VCD
#include <verilated_vcd_c.h>
#endif

namespace {

constexpr unsigned REGISTER_START = 0x00;
constexpr std::uint64_t REGISTER_PATIENCE = 1000;   // cycles after which a register that does not answer never will

#define PIN(NAME, PORT)                                  \
    auto& NAME() const { return top->PORT##_##NAME; }
#define READ_PINS(CLASS, PORT)                                                                                        \
    struct CLASS {                                                                                                    \
        Vcpt_kernel* top;                                                                                             \
        PIN(araddr, PORT) PIN(arlen, PORT) PIN(arvalid, PORT) PIN(arready, PORT) PIN(rdata, PORT) PIN(rresp, PORT)    \
        PIN(rlast, PORT) PIN(rvalid, PORT) PIN(rready, PORT)                                                          \
    };
#define WRITE_PINS(CLASS, PORT)                                                                                       \
    struct CLASS {                                                                                                    \
        Vcpt_kernel* top;                                                                                             \
        PIN(awaddr, PORT) PIN(awvalid, PORT) PIN(awready, PORT) PIN(wdata, PORT) PIN(wstrb, PORT) PIN(wlast, PORT)    \
        PIN(wvalid, PORT) PIN(wready, PORT) PIN(bresp, PORT) PIN(bvalid, PORT) PIN(bready, PORT)                      \
    };
READ_PINS(CommandPins, m_axi_commands)
READ_PINS(LoadPins, m_axi_loads)
WRITE_PINS(StorePins, m_axi_stores)

/// Counters at the end of a command, from the list's begin; shared with sim/rtl_device.py.
struct Completion {
    std::uint64_t cycles[4];   // total, busy, load stall, store stall
};

class Kernel {
public:
    Kernel(const harness::DdrSettings& settings, const harness::Region& region, const char* waves)
        : bus_(settings, region), top_(new Vcpt_kernel(&context_)), commands_(CommandPins{top_.get()}),
          loads_(LoadPins{top_.get()}), stores_(StorePins{top_.get()}) {
#if VM_TRACE_VCD
        if (waves) {
            context_.traceEverOn(true);
            trace_.reset(new VerilatedVcdC);
            top_->trace(trace_.get(), 99);
            trace_->open(waves);
        }
#else
        (void)waves;
#endif
        top_->ap_rst_n = 0;
        for (int i = 0; i < 4; ++i) cycle();
        top_->ap_rst_n = 1;
        cycle();
    }

    ~Kernel() {
#if VM_TRACE_VCD
        if (trace_) trace_->close();
#endif
        top_->final();
    }

    bool write(unsigned offset, std::uint32_t value) {
        top_->s_axi_control_awaddr = offset;
        top_->s_axi_control_wdata = value;
        top_->s_axi_control_wstrb = 0xF;
        top_->s_axi_control_awvalid = top_->s_axi_control_wvalid = 1;
        top_->s_axi_control_bready = 1;
        bool taken = false;
        for (std::uint64_t i = 0; i < REGISTER_PATIENCE && !taken; ++i) {
            cycle();
            taken = address_taken_;
        }
        top_->s_axi_control_awvalid = top_->s_axi_control_wvalid = 0;
        cycle();
        return taken;
    }

    bool read(unsigned offset, std::uint32_t& value) {
        top_->s_axi_control_araddr = offset;
        top_->s_axi_control_arvalid = 1;
        top_->s_axi_control_rready = 1;
        cycle();
        top_->s_axi_control_arvalid = 0;
        for (std::uint64_t i = 0; i < REGISTER_PATIENCE; ++i) {
            if (top_->s_axi_control_rvalid) {
                value = top_->s_axi_control_rdata;
                cycle();
                return true;
            }
            cycle();
        }
        return false;
    }

    /// Runs until the interrupt; false when it does not come within `most` cycles.
    bool wait(std::uint64_t most, Completion* completions, std::uint64_t room) {
        for (std::uint64_t end = bus_.now + most; bus_.now < end;) {
            cycle();
            if (done_ && completed_ < room) completions[completed_++] = completion_;
            if (top_->__SYM__interrupt) return true;   // Verilator renames words that C++ compilers may reserve
        }
        return false;
    }

    const harness::Bus& bus() const { return bus_; }
    std::uint64_t completed() const { return completed_; }

private:
    void cycle() {
        bus_.tick(BUS_BYTES);
        const bool write_first = bus_.read_was_paid;
        if (write_first) stores_.drive(bus_);
        commands_.drive(bus_);
        loads_.drive(bus_);
        if (!write_first) stores_.drive(bus_);
        top_->ap_clk = 0;
        top_->eval();
        dump();
        commands_.sample(bus_);
        loads_.sample(bus_);
        stores_.sample(bus_);
        address_taken_ = top_->s_axi_control_awvalid && top_->s_axi_control_awready;
        const auto& root = *top_->rootp;
        done_ = root.cpt_kernel__DOT__cmd_done;
        if (done_) {
            for (int i = 0; i < 4; ++i) completion_.cycles[i] = root.cpt_kernel__DOT__u_counters__DOT__counts_q[i];
        }
        top_->ap_clk = 1;
        top_->eval();
        dump();
    }

    void dump() {
#if VM_TRACE_VCD
        if (trace_) trace_->dump(halves_++);
#endif
    }

    harness::Bus bus_;
    VerilatedContext context_;
    std::unique_ptr<Vcpt_kernel> top_;
    harness::ReadPort<BUS_BYTES, CommandPins> commands_;
    harness::ReadPort<BUS_BYTES, LoadPins> loads_;
    harness::WritePort<BUS_BYTES, StorePins> stores_;
    bool address_taken_ = false;
    bool done_ = false;
    Completion completion_ = {};
    std::uint64_t completed_ = 0;
#if VM_TRACE_VCD
    std::unique_ptr<VerilatedVcdC> trace_;
    std::uint64_t halves_ = 0;
#endif
};

}  // namespace

/// What a run leaves beside the registers; shared with sim/rtl_device.py.
struct Report {
    std::uint64_t cycles;          // simulated, registers' accesses included
    std::uint64_t bytes_read;
    std::uint64_t bytes_written;
    std::uint64_t completed;       // entries of `completions`
};

/// Runs a list from power-on: writes `arguments` (pairs of offset and value), starts, reads `count` registers back from
/// offset 0. Returns 0, 1 when a register does not answer, 2 when the list does not end within `most` cycles.
extern "C" int cpt_rtl_run(const harness::DdrSettings* settings, std::uint8_t* memory, std::uint64_t size,
                           std::uint64_t base, const std::uint32_t* arguments, std::uint64_t pairs,
                           std::uint32_t* registers, std::uint64_t count, std::uint64_t most, const char* waves,
                           Completion* completions, std::uint64_t room, Report* report) {
    Kernel kernel(*settings, {memory, size, base}, waves);
    int result = 0;
    for (std::uint64_t i = 0; i < pairs && !result; ++i) {
        if (!kernel.write(arguments[2 * i], arguments[2 * i + 1])) result = 1;
    }
    if (!result && !kernel.write(REGISTER_START, 1)) result = 1;
    if (!result && !kernel.wait(most, completions, room)) result = 2;
    for (std::uint64_t i = 0; i < count && !result; ++i) {
        if (!kernel.read(4 * i, registers[i])) result = 1;
    }
    *report = {kernel.bus().now, kernel.bus().bytes_read, kernel.bus().bytes_written, kernel.completed()};
    return result;
}
