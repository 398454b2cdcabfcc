#include "replay.hpp"

#include <algorithm>
#include <stdexcept>

namespace cpt {
namespace timed {

Report& report() {
    static Report one;
    return one;
}

MemorySettings& memory_settings() {
    static MemorySettings one = {50.0, 60, 64};   // the SODIMM of a ZC706, as in the contract's board
    return one;
}

namespace {

/// Elements by when they were written, and slots by when they were freed.
struct Channel {
    std::deque<double> written;
    std::deque<double> freed;
    std::uint32_t high_water = 0;
};

struct Runner {
    const Process* process;
    double clock;
    std::size_t at;
    bool blocked;
    std::vector<double> ends;   // of its jobs
    std::size_t starts;
    StageReport seen;
};

class Replay {
public:
    Replay(const std::vector<Process>& processes, const std::vector<Stream>& streams)
        : streams_(streams), channels_(streams.size()), memory_(memory_settings()) {
        for (const Process& process : processes)
            runners_.push_back(Runner{&process, report().now, 0, false, {}, 0, {}});
        for (std::size_t i = 0; i < streams.size(); ++i) channels_[i].freed.assign(streams[i].depth, 0);
    }

    void run() {
        while (Runner* const runner = earliest()) {
            const double memory = memory_.next();
            if (memory >= 0 && (runner->blocked || memory <= runner->clock)) {
                memory_.serve();
                wake();
            } else if (runner->blocked) {
                throw std::runtime_error("deadlock: " + who_waits());
            } else if (step(*runner)) {
                wake();
            } else {
                runner->blocked = true;
            }
        }
        add_to_report();
    }

private:
    /// Of those that can go on the one whose clock is behind; else one that cannot, or none when all have ended.
    Runner* earliest() {
        Runner* found = nullptr;
        for (Runner& runner : runners_) {
            if (runner.at == runner.process->events.size()) continue;
            if (!found || (found->blocked && !runner.blocked)
                || (found->blocked == runner.blocked && runner.clock < found->clock)) found = &runner;
        }
        return found;
    }

    void wake() {
        for (Runner& runner : runners_) runner.blocked = false;
    }

    /// The next event; false when it has to wait.
    bool step(Runner& runner) {
        const bool done = happens(runner, runner.process->events[runner.at]);
        runner.at += done;
        return done;
    }

    bool happens(Runner& runner, const Event& event) {
        switch (event.kind) {
            case ADVANCE:
                runner.clock += event.value;
                runner.seen.cycles += event.value;
                return true;
            case READ: return read(runner, channels_[event.value]);
            case WRITE: return write(runner, event.value);
            case START: return start(runner);
            case END:
                runner.ends.push_back(runner.clock);
                return true;
            case REQUEST:
                if (!memory_.has_room(event.value >> 24, event.value & 0xFFFFFF)) return false;
                memory_.request(event.value >> 24, event.value & 0xFFFFFF, runner.clock);
                return true;
            case WRITE_BEAT:
                if (!memory_.has_write_room()) return false;
                memory_.give(runner.clock);
                return true;
            default: {
                double when = 0;
                if (!(event.kind == READ_BEAT ? memory_.take(event.value, when) : memory_.take_answer(when)))
                    return false;
                wait(runner, when, runner.seen.waits.memory);
                return true;
            }
        }
    }

    static void wait(Runner& runner, double until, double& waited) {
        if (until <= runner.clock) return;
        waited += until - runner.clock;
        runner.clock = until;
    }

    bool read(Runner& runner, Channel& channel) {
        if (channel.written.empty()) return false;
        wait(runner, channel.written.front() + 1, runner.seen.waits.empty);
        channel.written.pop_front();
        channel.freed.push_back(runner.clock + 1);
        return true;
    }

    bool write(Runner& runner, std::uint32_t number) {
        Channel& channel = channels_[number];
        if (channel.freed.empty()) return false;
        wait(runner, channel.freed.front(), runner.seen.waits.full);
        channel.freed.pop_front();
        channel.written.push_back(runner.clock);
        const auto free = std::upper_bound(channel.freed.begin(), channel.freed.end(), runner.clock);
        const std::uint32_t held = streams_[number].depth - std::uint32_t(free - channel.freed.begin());
        channel.high_water = std::max(channel.high_water, held);
        return true;
    }

    /// A memory in two halves: job n may fill its half when job n - 2 was taken out, and take out what job n filled.
    bool start(Runner& runner) {
        const std::size_t job = runner.starts;
        double when = runner.clock;
        for (const std::string& array : runner.process->arrays) {
            const Runner* producer = nullptr;
            for (const Runner& other : runners_) {
                const auto& names = other.process->arrays;
                if (std::find(names.begin(), names.end(), array) == names.end()) continue;
                if (!producer) {
                    producer = &other;
                    if (producer != &runner) {
                        if (producer->ends.size() <= job) return false;
                        when = std::max(when, producer->ends[job]);
                        break;
                    }
                } else if (job >= 2) {
                    if (other.ends.size() <= job - 2) return false;
                    when = std::max(when, other.ends[job - 2]);
                }
            }
        }
        wait(runner, when, runner.seen.waits.neighbour);
        ++runner.starts;
        runner.clock += START_CYCLES;
        runner.seen.cycles += START_CYCLES;
        return true;
    }

    std::string who_waits() const {
        std::string text;
        for (const Runner& runner : runners_) {
            if (runner.at == runner.process->events.size()) continue;
            const Event event = runner.process->events[runner.at];
            text += text.empty() ? "" : "; ";
            text += runner.process->name + " waits ";
            if (event.kind == READ) text += "to read '" + streams_[event.value].name + "'";
            else if (event.kind == WRITE) {
                const Stream& stream = streams_[event.value];
                text += "to write '" + stream.name + "', which is full with " + std::to_string(stream.depth);
            } else if (event.kind == START) text += "for a ping-pong memory";
            else if (event.kind == REQUEST) text += "for room for a burst, which only its own reads would make";
            else text += "for the memory, of which nothing was asked";
        }
        return text;
    }

    void add_to_report() const {
        Report& all = report();
        for (const Runner& runner : runners_) {
            all.now = std::max(all.now, runner.clock);
            StageReport& stage = all.stages[runner.process->name];
            stage.cycles += runner.seen.cycles;
            stage.waits.empty += runner.seen.waits.empty;
            stage.waits.full += runner.seen.waits.full;
            stage.waits.memory += runner.seen.waits.memory;
            stage.waits.neighbour += runner.seen.waits.neighbour;
        }
        for (std::size_t i = 0; i < channels_.size(); ++i) {
            if (channels_[i].high_water == 0) continue;
            StreamReport& stream = all.streams[streams_[i].name];
            stream.depth = streams_[i].depth;
            stream.high_water = std::max(stream.high_water, channels_[i].high_water);
        }
    }

    const std::vector<Stream>& streams_;
    std::vector<Channel> channels_;
    MemoryModel memory_;
    std::vector<Runner> runners_;
};

}  // namespace

void replay(const std::vector<Process>& processes, const std::vector<Stream>& streams) {
    Replay(processes, streams).run();
}

}  // namespace timed
}  // namespace cpt
