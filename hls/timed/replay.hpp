// Timed C-simulation, second half: when each recorded event can happen.
//
// Each process has a clock. It advances by the stated II of each iteration; a read waits until the element was written,
// a write until there is room, with the stream's real depth; a beat waits for the memory. A dataflow in which every
// process waits for another is a deadlock: an error that names what each waits for.
#pragma once

#include "memory_model.hpp"
#include "recorder.hpp"

#include <map>

namespace cpt {
namespace timed {

/// Cycles that a process spent waiting, by what it waited for.
struct Waits {
    double empty, full, memory, neighbour;   // a stream to read or write; beats; a ping-pong memory
};

struct StageReport {
    double cycles;   // in which it was neither idle nor waiting
    Waits waits;
};

struct StreamReport {
    std::uint32_t depth, high_water;
};

/// Of a list.
struct Report {
    double now = 0;   // where the clock of the kernel stands
    std::map<std::string, StageReport> stages;
    std::map<std::string, StreamReport> streams;
};

Report& report();
MemorySettings& memory_settings();

/// Lets the processes run from `report().now` on, all at once, and adds to the report. Throws on a deadlock.
void replay(const std::vector<Process>& processes, const std::vector<Stream>& streams);

}  // namespace timed
}  // namespace cpt
