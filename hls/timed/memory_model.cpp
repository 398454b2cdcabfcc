#include "memory_model.hpp"

#include <algorithm>

namespace cpt {
namespace timed {

static std::uint32_t bursts_of(std::uint32_t beats) { return (beats + BURST_BEATS - 1) / BURST_BEATS; }

bool MemoryModel::has_room(std::uint32_t port, std::uint32_t beats) const {
    if (port == STORE_PORT) return announced_.size() < WRITE_BURSTS;
    // A master that is idle takes a request of any length: it sends its bursts as room appears.
    return bursts_[port].empty() || bursts_[port].size() + bursts_of(beats) <= READ_BURSTS;
}

void MemoryModel::request(std::uint32_t port, std::uint32_t beats, double now) {
    if (port == STORE_PORT) {
        announced_.push_back(beats);
        return;
    }
    for (std::uint32_t left = beats; left > 0; left -= std::min(left, BURST_BEATS)) {
        bursts_[port].push_back(Burst{std::min(left, BURST_BEATS)});
    }
    asked_[port].insert(asked_[port].end(), beats, now + settings_.latency);
}

bool MemoryModel::take(std::uint32_t port, double& when) {
    if (arrived_[port].empty()) return false;
    when = arrived_[port].front();
    arrived_[port].pop_front();
    if (--bursts_[port].front().left == 0) bursts_[port].pop_front();
    return true;
}

void MemoryModel::give(double now) { writes_.push_back(now); }

bool MemoryModel::take_answer(double& when) {
    if (answers_.empty()) return false;
    when = answers_.front();
    answers_.pop_front();
    return true;
}

double MemoryModel::next_read(std::uint32_t& port) const {
    double first = -1;
    for (std::uint32_t each = 0; each < PORTS; ++each) {
        if (!asked_[each].empty() && (first < 0 || asked_[each].front() < first)) {
            first = asked_[each].front();
            port = each;
        }
    }
    return first;
}

double MemoryModel::next() const {
    std::uint32_t port = 0;
    const double read = next_read(port);
    const double write = writes_.empty() ? -1 : writes_.front();
    if (read < 0 && write < 0) return -1;
    return std::max(free_at_, read < 0 ? write : write < 0 ? read : std::min(read, write));
}

void MemoryModel::serve() {
    const double now = next();
    std::uint32_t port = 0;
    const double read = next_read(port);
    const bool can_read = read >= 0 && read <= now;
    const bool can_write = !writes_.empty() && writes_.front() <= now;
    read_was_last_ = can_read && !(can_write && read_was_last_);
    free_at_ = now + std::max(1.0, settings_.bus_bytes / settings_.bytes_per_cycle);
    if (read_was_last_) {
        arrived_[port].push_back(now);
        asked_[port].pop_front();
        return;
    }
    writes_.pop_front();
    if (--announced_.front() == 0) {
        announced_.pop_front();
        answers_.push_back(now + settings_.latency);
    }
}

}  // namespace timed
}  // namespace cpt
