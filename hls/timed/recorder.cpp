#include "recorder.hpp"

#include "replay.hpp"

namespace cpt {
namespace timed {

static const char* const KERNEL = "kernel";   // what runs between dataflows

Recorder& Recorder::one() {
    static Recorder recorder;
    return recorder;
}

std::uint32_t Recorder::add_stream() {
    streams_.push_back(Stream{"?", 2});   // Vitis' depth where none is stated
    return std::uint32_t(streams_.size() - 1);
}

void Recorder::name_stream(std::uint32_t stream, const char* name, std::uint32_t depth) {
    if (streams_[stream].depth != depth || streams_[stream].name == "?") streams_[stream] = Stream{name, depth};
}

void Recorder::add(Kind kind, std::uint32_t value) {
    if (processes_.empty()) return;   // no list runs: constructors
    std::vector<Event>& events = processes_[current_].events;
    if (kind == ADVANCE && !events.empty() && events.back().kind == ADVANCE && events.back().value < 1u << 27) {
        events.back().value += value;
    } else {
        events.push_back(Event{kind, value});
    }
}

void Recorder::enter(const char* name, const std::vector<std::string>& arrays) {
    if (in_job_) add(END, 0);
    in_job_ = true;
    for (current_ = 0; current_ < processes_.size(); ++current_) {
        if (processes_[current_].name == name) break;
    }
    if (current_ == processes_.size()) processes_.push_back(Process{name, arrays, {}});
    add(START, 0);
}

void Recorder::replay_all() {
    std::vector<Process> recorded;
    recorded.swap(processes_);
    current_ = 0;
    replay(recorded, streams_);
}

void Recorder::begin_region() {
    replay_all();
    in_job_ = false;
}

void Recorder::end_region() {
    if (in_job_) add(END, 0);
    in_job_ = false;
    replay_all();
    processes_.push_back(Process{KERNEL, {}, {}});
}

void Recorder::begin_list() {
    report() = Report();
    in_job_ = false;
    current_ = 0;
    processes_.assign(1, Process{KERNEL, {}, {}});
}

void Recorder::end_list() {
    replay_all();
    processes_.clear();
}

}  // namespace timed
}  // namespace cpt
