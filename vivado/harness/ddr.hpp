// A modelled DDR behind the kernel's three masters: one bandwidth for reads and writes, one latency; rows that must be
// opened, and the time to turn from reading to writing and back; optional faults.
#pragma once

#include "rules.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>

namespace harness {

enum Port : unsigned { COMMANDS, LOADS, STORES, PORTS };

/// How the memory behaves; the layout is shared with sim/devices/rtl_pins.py.
struct DdrSettings {
    double bytes_per_cycle;     ///< of reads and writes together
    std::uint64_t latency;      ///< cycles from an address to its first beat, and from the last beat to the response
    std::uint64_t jitter;       ///< at most this many more, at random
    double stall;               ///< share of cycles in which a channel is held back at random
    double read_errors;         ///< share of beats that are answered with an error
    double write_errors;        ///< share of bursts
    std::uint64_t fail[PORTS];  ///< the beat (stores: the response) of a port that is an error; from 1, 0: none
    std::uint64_t seed;
    double row_miss;            ///< cycles lost when a beat lies in a row that is not open
    double turnaround;          ///< cycles lost between a read and a write
};

/// A repeatable generator of random numbers (xorshift64*). Impossible events draw no number.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 2 + 0x9E3779B97F4A7C15ull) {}
    bool chance(double share) { return share > 0 && double(next() >> 11) * 0x1p-53 < share; }
    std::uint64_t up_to(std::uint64_t most) { return most ? next() % (most + 1) : 0; }

private:
    std::uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545F4914F6CDD1Dull;
    }
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

/// The rows that are open in a DDR3 SODIMM of 64 data bits: eight banks, rows of 8 KB, row above bank above column.
class OpenRows {
public:
    /// Whether the row of an address has to be opened; it is afterwards.
    bool miss(std::uint64_t address) {
        std::uint64_t& open = rows_[address / kRowBytes % kBanks];
        const std::uint64_t row = address / kRowBytes / kBanks + 1;   // 0: none is open
        const bool missed = open != row;
        open = row;
        return missed;
    }

private:
    static constexpr std::uint64_t kRowBytes = 8192, kBanks = 8;
    std::uint64_t rows_[kBanks] = {};
};

/// What all ports share: time, the bandwidth that is left, the random numbers.
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

    bool pay(unsigned bytes, bool read, std::uint64_t address) {
        wanted_at_[read] = now;
        if (credit < bytes || (read != read_was_paid && !may_turn())) return false;
        const double lost = (rows_.miss(address) ? settings.row_miss : 0)
            + (read != read_was_paid ? settings.turnaround : 0);
        credit -= bytes + lost * settings.bytes_per_cycle;
        run_ = read == read_was_paid ? run_ + 1 : 1;
        read_was_paid = read;
        return true;
    }
    bool has_rows() const { return settings.row_miss > 0 || settings.turnaround > 0; }

    bool held_back() { return random.chance(settings.stall); }
    std::uint64_t answer_time() { return now + settings.latency + random.up_to(settings.jitter); }
    std::uint8_t error() { return 2 + random.up_to(1); }   // SLVERR or DECERR

private:
    // A controller that loses time in turning gathers beats: it turns after this many, or when none comes for a while.
    static constexpr unsigned kGathered = 32, kPatience = 4;
    bool may_turn() const {
        return settings.turnaround == 0 || run_ >= kGathered || now - wanted_at_[read_was_paid] > kPatience;
    }

    OpenRows rows_;
    std::uint64_t wanted_at_[2] = {};   ///< when a write, a read last asked
    unsigned run_ = 0;                  ///< beats since the last turn
};

/// One master's read channels. `Pins` names them.
template <unsigned BusBytes, Port Which, class Pins>
class ReadPort {
public:
    explicit ReadPort(Pins pins) : pins_(pins) {}

    /// Before the edge: drives the inputs. A beat that was offered stays until it is taken.
    void drive(Bus& bus) {
        if (!offered_ && !bursts_.empty() && bursts_.front().ready_at <= bus.now && !bus.held_back()
            && bus.pay(BusBytes, true, bursts_.front().address)) {
            offer(bus);
        }
        pins_.rvalid() = offered_;
        pins_.arready() = willing_ = bursts_.size() < 64 && !bus.held_back();
    }

    /// After the inputs have settled, before the edge: sees what is taken.
    void sample(Bus& bus, const char*& broken) {
        if (offered_ && pins_.rready()) {
            offered_ = false;
            bus.bytes_read += BusBytes;
            Burst& burst = bursts_.front();
            burst.address += BusBytes;
            if (burst.beats-- == 1) bursts_.pop_front();
        }
        addresses_.check(pins_.arvalid(), willing_, pins_.araddr(), pins_.arlen(), broken);
        if (willing_ && pins_.arvalid()) {
            bursts_.push_back({pins_.araddr(), pins_.arlen() + 1u, bus.answer_time()});
        }
    }

    void count_from_here() { beats_ = 0; }   ///< for `fail`

private:
    struct Burst {
        std::uint64_t address;
        unsigned beats;
        std::uint64_t ready_at;
    };

    void offer(Bus& bus) {
        const Burst& burst = bursts_.front();
        const bool good = ++beats_ != bus.settings.fail[Which] && bus.region.holds(burst.address, BusBytes)
            && !bus.random.chance(bus.settings.read_errors);
        std::uint8_t beat[BusBytes];
        if (good) std::memcpy(beat, bus.region.bytes + (burst.address - bus.region.base), BusBytes);
        else std::memset(beat, 0xEE, BusBytes);
        std::memcpy(&pins_.rdata(), beat, BusBytes);
        pins_.rresp() = good ? 0 : bus.error();
        pins_.rlast() = burst.beats == 1;
        offered_ = true;
    }

    Pins pins_;
    AddressRules<BusBytes> addresses_;
    std::deque<Burst> bursts_;
    std::uint64_t beats_ = 0;
    bool offered_ = false;
    bool willing_ = false;
};

/// One master's write channels. A memory that holds back channels may take data before its address.
template <unsigned BusBytes, Port Which, class Pins>
class WritePort {
public:
    explicit WritePort(Pins pins) : pins_(pins) {}

    void drive(Bus& bus) {
        // A beat is paid for before it is known to come; the payment is kept for the next one. Where its row matters,
        // the beat must be there.
        const bool due = !bus.has_rows() || (pins_.wvalid() && !bursts_.empty());
        const std::uint64_t address = bursts_.empty() ? 0 : bursts_.front().address;
        if (!paid_ && due && !bus.held_back()) paid_ = bus.pay(BusBytes, false, address);
        pins_.awready() = address_willing_ = bursts_.size() < 64 && !bus.held_back();
        const bool wanted = !bursts_.empty() || (bus.settings.stall > 0 && early_.size() < 16);
        pins_.wready() = data_willing_ = paid_ && wanted && !bus.held_back();
        if (!answering_ && !answers_.empty() && answers_.front().ready_at <= bus.now && !bus.held_back()) {
            answering_ = true;
            const bool good = ++responses_ != bus.settings.fail[Which] && answers_.front().good;
            pins_.bresp() = good ? 0 : bus.error();
        }
        pins_.bvalid() = answering_;
    }

    void sample(Bus& bus, const char*& broken) {
        if (answering_ && pins_.bready()) {
            answering_ = false;
            answers_.pop_front();
        }
        Beat beat;
        if (pins_.wvalid()) {
            std::memcpy(beat.bytes, &pins_.wdata(), BusBytes);
            beat.strobes = pins_.wstrb();
            beat.last = pins_.wlast();
        }
        addresses_.check(pins_.awvalid(), address_willing_, pins_.awaddr(), pins_.awlen(), broken);
        data_.check(pins_.wvalid(), data_willing_, beat, pins_.awvalid(), pins_.awlen(), broken);
        if (address_willing_ && pins_.awvalid()) {
            bursts_.push_back({pins_.awaddr(), !bus.random.chance(bus.settings.write_errors)});
            data_.expect(pins_.awlen());
        }
        if (data_willing_ && pins_.wvalid()) {
            paid_ = false;
            early_.push_back(beat);
        }
        while (!early_.empty() && !bursts_.empty()) {
            put(bus, early_.front());
            early_.pop_front();
        }
    }

    void count_from_here() { responses_ = 0; }

private:
    using Beat = typename DataRules<BusBytes>::Beat;
    struct Burst {
        std::uint64_t address;
        bool good;
    };
    struct Answer {
        std::uint64_t ready_at;
        bool good;
    };

    void put(Bus& bus, const Beat& beat) {
        bus.bytes_written += BusBytes;
        Burst& burst = bursts_.front();
        // Only strobed bytes must exist: the last beat may reach past the region.
        for (unsigned i = 0; i < BusBytes; ++i) {
            if (!(beat.strobes >> i & 1)) continue;
            if (!bus.region.holds(burst.address + i, 1)) burst.good = false;
            else if (burst.good) bus.region.bytes[burst.address + i - bus.region.base] = beat.bytes[i];
        }
        burst.address += BusBytes;
        if (beat.last) {
            answers_.push_back({bus.answer_time(), burst.good});
            bursts_.pop_front();
        }
    }

    Pins pins_;
    AddressRules<BusBytes> addresses_;
    DataRules<BusBytes> data_;
    std::deque<Burst> bursts_;
    std::deque<Beat> early_;
    std::deque<Answer> answers_;
    std::uint64_t responses_ = 0;
    bool paid_ = false;
    bool address_willing_ = false;
    bool data_willing_ = false;
    bool answering_ = false;
};

}  // namespace harness
