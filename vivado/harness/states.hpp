// Which states of the kernel's machines were reached: of every register `state_q`, which states.vlt makes public.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include <verilated.h>
#include <verilated_sym_props.h>
#include <verilated_syms.h>

namespace harness {

/// The states that a machine was in, one bit each, by its path; over all kernels of the process. Entries do not move.
using Machines = std::map<std::string, std::uint64_t>;

class States {
public:
    States(VerilatedContext& context, Machines& machines) {
        for (const auto& [name, scope] : *context.scopeNameMap()) {
            const VerilatedVar* state = scope->varFind("state_q");
            if (!state) continue;
            watched_.push_back({static_cast<const std::uint8_t*>(state->datap()), &machines[name]});
        }
    }

    void sample() {
        for (const Watched& each : watched_) *each.reached |= std::uint64_t(1) << *each.state;
    }

private:
    struct Watched {
        const std::uint8_t* state;   // no machine has more than 64 states
        std::uint64_t* reached;
    };
    std::vector<Watched> watched_;
};

}  // namespace harness
