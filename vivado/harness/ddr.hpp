// A modelled DDR behind the kernel's three masters: one bandwidth for reads and writes, one latency, optional trouble.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>

namespace harness {

/// How the memory behaves; the layout is shared with sim/rtl_device.py.
struct DdrSettings {
    double bytes_per_cycle;     ///< of reads and writes together
    std::uint64_t latency;      ///< cycles from an address to its first beat, and from the last beat to the response
    double stall;               ///< share of cycles in which a channel is held back at random
    double read_errors;         ///< share of beats that are answered with an error
    double write_errors;        ///< share of bursts
    std::uint64_t seed;
};

/// A repeatable generator of random numbers (xorshift64*).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 2 + 0x9E3779B97F4A7C15ull) {}
    bool chance(double share) {
        if (share <= 0) return false;
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return double((state_ * 0x2545F4914F6CDD1Dull) >> 11) * 0x1p-53 < share;
    }

private:
    std::uint64_t state_;
};

/// The bytes that the masters can reach; everything else answers with an error.
struct Region {
    std::uint8_t* bytes;
    std::uint64_t size;
    std::uint64_t base;

    bool holds(std::uint64_t address, std::uint64_t length) const {
        return address >= base && address - base <= size && length <= size - (address - base);
    }
};

/// What all ports share: time, the bandwidth that is left, the dice.
struct Bus {
    DdrSettings settings;
    Region region;
    Random random;
    std::uint64_t now = 0;
    double credit = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    bool read_was_paid = false;   ///< the last beat paid for was a read's: then a write goes first

    Bus(const DdrSettings& s, const Region& r) : settings(s), region(r), random(s.seed) {}

    void tick(unsigned bus_bytes) {
        ++now;
        // A controller buffers a little: what is not used at once is kept for a few beats.
        credit = std::min(credit + settings.bytes_per_cycle, settings.bytes_per_cycle + 4.0 * bus_bytes);
    }

    bool pay(unsigned bytes, bool read) {
        if (credit < bytes) return false;
        credit -= bytes;
        read_was_paid = read;
        return true;
    }
};

constexpr std::uint8_t SLVERR = 2;

/// One master's read channels. `Pins` names them.
template <unsigned BusBytes, class Pins>
class ReadPort {
public:
    explicit ReadPort(Pins pins) : pins_(pins) {}

    /// Before the edge: drives the inputs. A beat that was offered stays until it is taken.
    void drive(Bus& bus) {
        if (!offered_ && !bursts_.empty() && bursts_.front().ready_at <= bus.now
            && !bus.random.chance(bus.settings.stall)
            && bus.pay(BusBytes, true)) {
            offer(bus);
        }
        pins_.rvalid() = offered_;
        pins_.arready() = willing_ = bursts_.size() < 64 && !bus.random.chance(bus.settings.stall);
    }

    /// After the inputs have settled, before the edge: sees what is taken.
    void sample(Bus& bus) {
        if (offered_ && pins_.rready()) {
            offered_ = false;
            bus.bytes_read += BusBytes;
            Burst& burst = bursts_.front();
            burst.address += BusBytes;
            if (burst.beats-- == 1) bursts_.pop_front();
        }
        if (willing_ && pins_.arvalid()) {
            bursts_.push_back({pins_.araddr(), pins_.arlen() + 1u, bus.now + bus.settings.latency});
        }
    }

private:
    struct Burst {
        std::uint64_t address;
        unsigned beats;
        std::uint64_t ready_at;
    };

    void offer(Bus& bus) {
        const Burst& burst = bursts_.front();
        const bool good = bus.region.holds(burst.address, BusBytes) && !bus.random.chance(bus.settings.read_errors);
        std::uint8_t beat[BusBytes];
        if (good) std::memcpy(beat, bus.region.bytes + (burst.address - bus.region.base), BusBytes);
        else std::memset(beat, 0xEE, BusBytes);
        std::memcpy(&pins_.rdata(), beat, BusBytes);
        pins_.rresp() = good ? 0 : SLVERR;
        pins_.rlast() = burst.beats == 1;
        offered_ = true;
    }

    Pins pins_;
    std::deque<Burst> bursts_;
    bool offered_ = false;
    bool willing_ = false;
};

/// One master's write channels.
template <unsigned BusBytes, class Pins>
class WritePort {
public:
    explicit WritePort(Pins pins) : pins_(pins) {}

    void drive(Bus& bus) {
        // A beat is paid for before it is known to come; the payment is kept for the next one.
        if (!paid_ && !bus.random.chance(bus.settings.stall)) paid_ = bus.pay(BusBytes, false);
        pins_.awready() = address_willing_ = bursts_.size() < 64 && !bus.random.chance(bus.settings.stall);
        pins_.wready() = data_willing_ = paid_ && !bursts_.empty();
        if (!answering_ && !answers_.empty() && answers_.front().ready_at <= bus.now
            && !bus.random.chance(bus.settings.stall)) {
            answering_ = true;
            pins_.bresp() = answers_.front().good ? 0 : SLVERR;
        }
        pins_.bvalid() = answering_;
    }

    void sample(Bus& bus) {
        if (answering_ && pins_.bready()) {
            answering_ = false;
            answers_.pop_front();
        }
        if (data_willing_ && pins_.wvalid()) take(bus);
        if (address_willing_ && pins_.awvalid()) {
            bursts_.push_back({pins_.awaddr(), !bus.random.chance(bus.settings.write_errors)});
        }
    }

private:
    struct Burst {
        std::uint64_t address;
        bool good;
    };
    struct Answer {
        std::uint64_t ready_at;
        bool good;
    };

    void take(Bus& bus) {
        paid_ = false;
        bus.bytes_written += BusBytes;
        Burst& burst = bursts_.front();
        std::uint8_t beat[BusBytes];
        std::memcpy(beat, &pins_.wdata(), BusBytes);
        const std::uint64_t strobes = pins_.wstrb();
        // Only strobed bytes must exist: the last beat may reach behind the region.
        for (unsigned i = 0; i < BusBytes; ++i) {
            if (!(strobes >> i & 1)) continue;
            if (!bus.region.holds(burst.address + i, 1)) burst.good = false;
            else if (burst.good) bus.region.bytes[burst.address + i - bus.region.base] = beat[i];
        }
        burst.address += BusBytes;
        if (pins_.wlast()) {
            answers_.push_back({bus.now + bus.settings.latency, burst.good});
            bursts_.pop_front();
        }
    }

    Pins pins_;
    std::deque<Burst> bursts_;
    std::deque<Answer> answers_;
    bool paid_ = false;
    bool address_willing_ = false;
    bool data_willing_ = false;
    bool answering_ = false;
};

}  // namespace harness
