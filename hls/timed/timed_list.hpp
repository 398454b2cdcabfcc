// Timed C-simulation: a list run with recording, its counters from the replay, and the report as text.
#pragma once

#include "run_list.hpp"
#include "recording_bus.hpp"
#include "replay.hpp"

#include <sstream>
#include <stdexcept>

namespace cpt {
namespace timed {

inline std::string& last_timing() {
    static std::string text;
    return text;
}

inline std::string as_json(const Report& all) {
    std::ostringstream text;
    const char* comma = "";
    text << "{\"cycles\": " << std::uint64_t(all.now) << ", \"stages\": {";
    for (const auto& each : all.stages) {
        const StageReport& stage = each.second;
        text << comma << '"' << each.first << "\": {\"active\": " << std::uint64_t(stage.cycles)
             << ", \"empty\": " << std::uint64_t(stage.waits.empty) << ", \"full\": " << std::uint64_t(stage.waits.full)
             << ", \"memory\": " << std::uint64_t(stage.waits.memory)
             << ", \"neighbour\": " << std::uint64_t(stage.waits.neighbour) << '}';
        comma = ", ";
    }
    text << "}, \"streams\": {";
    comma = "";
    for (const auto& each : all.streams) {
        text << comma << '"' << each.first << "\": {\"depth\": " << each.second.depth
             << ", \"high_water\": " << each.second.high_water << '}';
        comma = ", ";
    }
    text << "}}";
    return text.str();
}

/// As simulation::run_list; the counters then hold cycles. Returns what went wrong with time, a deadlock, or nothing.
inline std::string run_list(simulation::Bus& memory, beat_t* port, simulation::Registers& registers) {
    RecordingBus bus(memory);
    memory_settings().bus_bytes = BUS_BYTES;
    Recorder::one().begin_list();
    try {
        simulation::run_list(bus, port, registers);
        Recorder::one().end_list();
    } catch (const std::runtime_error& problem) {
        last_timing() = "";
        return problem.what();
    }
    const Report& all = report();
    const auto array = all.stages.find("array");
    const Waits waits = array == all.stages.end() ? Waits{} : array->second.waits;
    registers.set_64(REGISTER_CYCLES_TOTAL, std::uint64_t(all.now));
    registers.set_64(REGISTER_CYCLES_LOAD_STALL, std::uint64_t(waits.empty));
    registers.set_64(REGISTER_CYCLES_STORE_STALL, std::uint64_t(waits.full));
    last_timing() = as_json(all);
    return "";
}

}  // namespace timed
}  // namespace cpt
