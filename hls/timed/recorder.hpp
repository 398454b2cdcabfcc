// Timed C-simulation, first half: what each process of the kernel does, in order, is written down while it runs.
//
// A C-simulation runs the processes of a dataflow one after the other, with streams of any length; what they do does
// not depend on time. So their events are recorded here, and `replay.hpp` finds out afterwards when each could happen.
// `sim/synthesis/hls_instrument.py` puts these calls in place of the pragmas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cpt {
namespace timed {

/// Assumed, as no tool was asked: what csynth's report says of these numbers is better.
constexpr std::uint32_t PIPELINE_DEPTH = 10;      // cycles of an iteration, paid on entering a loop
constexpr std::uint32_t SEQUENTIAL_CYCLES = 2;    // of an iteration of a loop that is neither pipelined nor unrolled
constexpr std::uint32_t START_CYCLES = 10;        // of a process before the first loop of a job: counters, addresses

enum Kind : std::uint32_t {
    ADVANCE,         // cycles
    READ, WRITE,     // a stream
    START, END,      // of a job
    REQUEST,         // a port and beats: of reads, or of writes
    READ_BEAT, WRITE_BEAT, AWAIT_WRITE,   // a port
};

struct Event {
    std::uint32_t kind : 4;
    std::uint32_t value : 28;
};

struct Process {
    std::string name;
    std::vector<std::string> arrays;   // ping-pong memories that it shares with others: the first named one fills them
    std::vector<Event> events;
};

struct Stream {
    std::string name;
    std::uint32_t depth;
};

/// A burst's port and beats in one value.
constexpr std::uint32_t burst_value(std::uint32_t port, std::uint32_t beats) { return port << 24 | beats; }

class Recorder {
public:
    static Recorder& one();

    std::uint32_t add_stream();
    void name_stream(std::uint32_t stream, const char* name, std::uint32_t depth);
    void add(Kind kind, std::uint32_t value);
    void enter(const char* name, const std::vector<std::string>& arrays);
    void begin_region();
    void end_region();
    /// Of a list: forgets what was recorded and measured before; at its end, replays what is left.
    void begin_list();
    void end_list();

private:
    void replay_all();
    std::vector<Stream> streams_;
    std::vector<Process> processes_;
    std::size_t current_ = 0;
    bool in_job_ = false;
};

/// A dataflow: from its first iteration to its last.
struct Region {
    Region() { Recorder::one().begin_region(); }
    ~Region() noexcept(false) { Recorder::one().end_region(); }
};

inline void advance(std::uint32_t cycles) { Recorder::one().add(ADVANCE, cycles); }
inline void enter_pipeline() { advance(PIPELINE_DEPTH); }
inline void process(const char* name, const std::vector<std::string>& arrays) { Recorder::one().enter(name, arrays); }

template <typename Element>
void depth(Element& stream, std::uint32_t elements, const char* name) { stream.declare(name, elements); }
template <typename Element, std::size_t COUNT>
void depth(Element (&streams)[COUNT], std::uint32_t elements, const char* name) {
    for (Element& stream : streams) stream.declare(name, elements);
}

}  // namespace timed
}  // namespace cpt
