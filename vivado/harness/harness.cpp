// The Verilated kernel with a modelled DDR, as a shared library: registers on one side, memory on the other.
#include "Vcpt_kernel.h"
#include "Vcpt_kernel___024root.h"
#include "ddr.hpp"
#include "states.hpp"

#include <memory>
#include <verilated.h>
#if VM_TRACE_VCD
#include <verilated_vcd_c.h>
#endif

namespace {

constexpr std::uint64_t REGISTER_PATIENCE = 1000;   // cycles after which a register is taken for dead

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
        PIN(awaddr, PORT) PIN(awlen, PORT) PIN(awvalid, PORT) PIN(awready, PORT) PIN(wdata, PORT) PIN(wstrb, PORT)    \
        PIN(wlast, PORT) PIN(wvalid, PORT) PIN(wready, PORT) PIN(bresp, PORT) PIN(bvalid, PORT) PIN(bready, PORT)     \
    };
READ_PINS(CommandPins, m_axi_commands)
READ_PINS(LoadPins, m_axi_loads)
WRITE_PINS(StorePins, m_axi_stores)

harness::Machines machines;

/// Registers begin with random values, another set for every seed: hardware's may be anything before its reset.
VerilatedContext* randomised(VerilatedContext& context, std::uint64_t seed) {
    context.randReset(2);
    context.randSeed(1 + int(seed % 0x7fffffff));
    context.fatalOnError(false);
    return &context;
}

/// Counters at the end of a command, from the list's beginning; shared with sim/devices/rtl_pins.py.
struct Completion {
    std::uint64_t cycles[4];   // total, busy, load stall, store stall
};

class Kernel {
public:
    Kernel(const harness::DdrSettings& settings, const char* waves)
        : bus_(settings, {nullptr, 0, 0}), top_(new Vcpt_kernel(randomised(context_, settings.seed))),
          states_(context_, machines), commands_(CommandPins{top_.get()}), loads_(LoadPins{top_.get()}),
          stores_(StorePins{top_.get()}) {
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
        top_->s_axi_control_awvalid = top_->s_axi_control_wvalid = top_->s_axi_control_bready = 0;
        top_->s_axi_control_arvalid = top_->s_axi_control_rready = 0;
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

    /// Another memory, and another way it behaves, from now on; the random numbers continue.
    void change_memory(const harness::DdrSettings& settings, const harness::Region& region) {
        bus_.settings = settings;
        bus_.region = region;
        commands_.count_from_here();
        loads_.count_from_here();
        stores_.count_from_here();
        completed_ = 0;
    }

    /// Address and data are offered independently where channels are held back.
    bool write(unsigned offset, std::uint32_t value) {
        bool address_done = false, data_done = false, answered = false;
        for (std::uint64_t i = 0; i < REGISTER_PATIENCE && !answered; ++i) {
            if (!address_done && !top_->s_axi_control_awvalid && !bus_.held_back()) {
                top_->s_axi_control_awaddr = offset;
                top_->s_axi_control_awvalid = 1;
            }
            if (!data_done && !top_->s_axi_control_wvalid && !bus_.held_back()) {
                top_->s_axi_control_wdata = value;
                top_->s_axi_control_wstrb = 0xF;
                top_->s_axi_control_wvalid = 1;
            }
            top_->s_axi_control_bready = !bus_.held_back();
            cycle();
            answered = taken_.b;
            if (taken_.aw) address_done = true, top_->s_axi_control_awvalid = 0;
            if (taken_.w) data_done = true, top_->s_axi_control_wvalid = 0;
        }
        return answered;
    }

    bool read(unsigned offset, std::uint32_t& value) {
        bool asked = false;
        for (std::uint64_t i = 0; i < REGISTER_PATIENCE; ++i) {
            if (!asked && !top_->s_axi_control_arvalid && !bus_.held_back()) {
                top_->s_axi_control_araddr = offset;
                top_->s_axi_control_arvalid = 1;
            }
            top_->s_axi_control_rready = !bus_.held_back();
            cycle();
            if (taken_.ar) asked = true, top_->s_axi_control_arvalid = 0;
            if (taken_.r) {
                value = read_data_;
                return true;
            }
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
        if (top_->ap_rst_n) {   // before its reset the core shows anything
            commands_.sample(bus_, broken_);
            loads_.sample(bus_, broken_);
            stores_.sample(bus_, broken_);
        }
        taken_.aw = top_->s_axi_control_awvalid && top_->s_axi_control_awready;
        taken_.w = top_->s_axi_control_wvalid && top_->s_axi_control_wready;
        taken_.b = top_->s_axi_control_bvalid && top_->s_axi_control_bready;
        taken_.ar = top_->s_axi_control_arvalid && top_->s_axi_control_arready;
        taken_.r = top_->s_axi_control_rvalid && top_->s_axi_control_rready;
        read_data_ = top_->s_axi_control_rdata;
        const auto& root = *top_->rootp;
        done_ = root.cpt_kernel__DOT__cmd_done;
        if (done_) {
            for (int i = 0; i < 4; ++i) completion_.cycles[i] = root.cpt_kernel__DOT__u_counters__DOT__counts_q[i];
        }
        top_->ap_clk = 1;
        top_->eval();
        if (top_->ap_rst_n) states_.sample();
        dump();
        if (context_.gotError()) broken_ = "an assertion of the RTL failed; its name and place are printed above";
    }

    const harness::Bus& bus() const { return bus_; }
    std::uint64_t completed() const { return completed_; }
    const char* broken() const { return broken_; }

private:
    void dump() {
#if VM_TRACE_VCD
        if (trace_) trace_->dump(halves_++);
#endif
    }

    struct Taken {
        bool aw, w, b, ar, r;
    };

    harness::Bus bus_;
    VerilatedContext context_;
    std::unique_ptr<Vcpt_kernel> top_;
    harness::States states_;
    harness::ReadPort<BUS_BYTES, harness::COMMANDS, CommandPins> commands_;
    harness::ReadPort<BUS_BYTES, harness::LOADS, LoadPins> loads_;
    harness::WritePort<BUS_BYTES, harness::STORES, StorePins> stores_;
    Taken taken_ = {};
    std::uint32_t read_data_ = 0;
    bool done_ = false;
    Completion completion_ = {};
    std::uint64_t completed_ = 0;
    const char* broken_ = nullptr;   // the rule that was broken last
#if VM_TRACE_VCD
    std::unique_ptr<VerilatedVcdC> trace_;
    std::uint64_t halves_ = 0;
#endif
};

}  // namespace

/// What was counted since power-on; shared with sim/devices/rtl_pins.py.
struct Report {
    std::uint64_t cycles;          // simulated, registers' accesses included
    std::uint64_t bytes_read;
    std::uint64_t bytes_written;
    std::uint64_t completed;       // entries of `completions` since the memory was changed
    const char* broken;            // a rule of AXI that the masters broke, or an assertion of the RTL's; or null
};

extern "C" {

/// Power-on; `waves` may be null.
Kernel* cpt_rtl_open(const harness::DdrSettings* settings, const char* waves) { return new Kernel(*settings, waves); }

void cpt_rtl_close(Kernel* kernel) { delete kernel; }

void cpt_rtl_memory(Kernel* kernel, const harness::DdrSettings* settings, std::uint8_t* bytes, std::uint64_t size,
                    std::uint64_t base) {
    kernel->change_memory(*settings, {bytes, size, base});
}

/// Registers answer 1, or 0 if they do not answer.
int cpt_rtl_write(Kernel* kernel, std::uint32_t offset, std::uint32_t value) { return kernel->write(offset, value); }
int cpt_rtl_read(Kernel* kernel, std::uint32_t offset, std::uint32_t* value) { return kernel->read(offset, *value); }

void cpt_rtl_step(Kernel* kernel, std::uint64_t cycles) {
    while (cycles--) kernel->cycle();
}

/// 1 when the interrupt is high within `most` cycles; notes the commands that end.
int cpt_rtl_wait(Kernel* kernel, std::uint64_t most, Completion* completions, std::uint64_t room) {
    return kernel->wait(most, completions, room);
}

void cpt_rtl_report(const Kernel* kernel, Report* report) {
    const harness::Bus& bus = kernel->bus();
    *report = {bus.now, bus.bytes_read, bus.bytes_written, kernel->completed(), kernel->broken()};
}

/// The machine of this number: 1 and its path and states, 0 behind the last.
int cpt_rtl_machine(std::uint64_t number, const char** path, std::uint64_t* reached) {
    for (const auto& each : machines) {
        if (number--) continue;
        *path = each.first.c_str();
        *reached = each.second;
        return 1;
    }
    return 0;
}

void cpt_rtl_forget_states() {
    for (auto& each : machines) each.second = 0;
}

}
