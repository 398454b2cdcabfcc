// The AXI4 rules that a master must keep, watched at the kernel's pins; the engines' proofs and bench/axi_rules.sv
// check the same of the modules inside.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>

namespace harness {

/// An address channel: what is offered stays until it is taken; at most 16 beats, inside 4 KB, on a beat's boundary.
template <unsigned BusBytes>
class AddressRules {
public:
    void check(bool valid, bool ready, std::uint64_t address, unsigned len, const char*& broken) {
        if (waits_ && (!valid || address != address_ || len != len_)) broken = "an address changed before it was taken";
        if (valid && (len >= 16 || address % BusBytes != 0 || address % 4096 + (len + 1) * BusBytes > 4096)) {
            broken = "a burst is longer than 16 beats, not aligned, or crosses 4 KB";
        }
        waits_ = valid && !ready;
        address_ = address;
        len_ = len;
    }

private:
    bool waits_ = false;
    std::uint64_t address_ = 0;
    unsigned len_ = 0;
};

/// The data channel of writes: stays until taken, does not run ahead of its address, marks the last beat and only it.
template <unsigned BusBytes>
class DataRules {
public:
    struct Beat {
        std::uint8_t bytes[BusBytes];
        std::uint64_t strobes;
        bool last;
    };

    /// `offered` and `len`: an address is on its pins in this cycle.
    void check(bool valid, bool ready, const Beat& beat, bool offered, unsigned len, const char*& broken) {
        if (waits_ && (!valid || !same(beat))) broken = "write data changed before it was taken";
        waits_ = valid && !ready;
        if (!valid) return;
        if (lengths_.empty() && (!offered || ahead_)) {
            broken = "write data came before its address";
            return;
        }
        const unsigned beats = (lengths_.empty() ? len : lengths_.front()) + 1;
        if (beat.last != (beat_ + 1 == beats)) broken = "the last beat of a write burst is not the one marked";
        kept_ = beat;
        if (!ready) return;
        beat_ = beat.last ? 0 : beat_ + 1;
        if (!beat.last) return;
        if (lengths_.empty()) ++ahead_;
        else lengths_.pop_front();
    }

    /// An address was taken.
    void expect(unsigned len) {
        if (ahead_) --ahead_;
        else lengths_.push_back(len);
    }

private:
    bool same(const Beat& beat) const {
        return beat.strobes == kept_.strobes && beat.last == kept_.last
            && std::memcmp(beat.bytes, kept_.bytes, BusBytes) == 0;
    }

    std::deque<unsigned> lengths_;   ///< of bursts whose data is not all out
    unsigned ahead_ = 0;             ///< bursts whose data was out before their address was taken
    unsigned beat_ = 0;
    bool waits_ = false;
    Beat kept_ = {};
};

}  // namespace harness
