// Blocks of the contract as they lie in a region: a header of 64 bytes, then a record a channel
// (sim/contract/blocks.py).
#pragma once

#include <cstdint>
#include <cstring>

#include "scalar.h"

constexpr int64_t kBlockAlignment = 64;
constexpr int64_t kChannelBlock = 16;

// A scalar as it lies in a block: whatever a host wrote there is read as a legal one.
struct StoredScalar {
    int32_t m, e;
    StoredScalar() = default;
    StoredScalar(Scalar value) : m(value.m), e(value.e) {}
    operator Scalar() const { return scalar(m, e); }
};

// The low bits of a word, as a signed number.
inline int64_t low_bits(int64_t value, int bits) {
    return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
}

inline int64_t padded_channels(int64_t channels) {
    return (channels + kChannelBlock - 1) / kChannelBlock * kChannelBlock;
}

template <class Header, class Record>
struct Block : Header {
    Record* records() { return reinterpret_cast<Record*>(reinterpret_cast<char*>(this) + kBlockAlignment); }
    const Record* records() const { return const_cast<Block*>(this)->records(); }

    // Clears the block and names it; `channels` with those that fill the last 16.
    Record* begin(int64_t channels) {
        static_assert(sizeof(Header) <= kBlockAlignment);
        const int64_t bytes = (channels * static_cast<int64_t>(sizeof(Record)) + kBlockAlignment - 1);
        std::memset(static_cast<void*>(this), 0, kBlockAlignment + bytes / kBlockAlignment * kBlockAlignment);
        this->kind = Header::kKind;
        this->channels = static_cast<uint32_t>(channels);
        return records();
    }
};

template <uint32_t Kind>
struct BlockName {
    static constexpr uint32_t kKind = Kind;
    uint32_t kind, channels;
};

struct TallyHeader : BlockName<0x594C4C41> {
    uint32_t count;
};
struct TallyRecord {
    int64_t sum, second;
    int32_t least, most;
    int64_t unused;
    // What readers take of a tally, which a host may have written.
    int64_t first_sum() const { return low_bits(sum, 37); }
    int64_t second_sum() const { return low_bits(second, 53); }
    int64_t low_end() const { return low_bits(least, 17); }
    int64_t high_end() const { return low_bits(most, 17); }
    int64_t size() const { return std::max(std::abs(low_end()), std::abs(high_end())); }
};
typedef Block<TallyHeader, TallyRecord> Tally;

struct NormRecord {
    StoredScalar mean, rho, unit, gain, offset, top, bottom, unused;
};
typedef Block<BlockName<0x4D524F4E>, NormRecord> Norm;

struct CoefficientsHeader : BlockName<0x46454F43> {
    int32_t k, j, multiplier, scale_shift;
};
struct CoefficientsRecord {
    int32_t a, c;
    int64_t b;
    int64_t unused[2];
};
typedef Block<CoefficientsHeader, CoefficientsRecord> Coefficients;

struct TensorHeader : BlockName<0x534E4554> {
    StoredScalar step, bound, ratio;
    int32_t fraction;
};
struct TensorUnit : Block<TensorHeader, char> {
    void write(Scalar of_step, Scalar of_bound, Scalar of_ratio, int64_t bits) {
        begin(0);
        step = of_step, bound = of_bound, ratio = of_ratio, fraction = static_cast<int32_t>(bits);
    }
};

struct ParametersRecord {
    int32_t gamma, beta, gamma_velocity, beta_velocity;
    StoredScalar mean, variance;
};
typedef Block<BlockName<0x41524150>, ParametersRecord> Parameters;

typedef Block<BlockName<0x54494E55>, StoredScalar> Units;
typedef Block<BlockName<0x4958414D>, int32_t> Maxima;

struct StepHeader : BlockName<0x50455453> {
    uint64_t seed;
    uint32_t momentum, weight_decay, weight_rate, parameter_decay, parameter_rate, unused;
    StoredScalar keep;
};
typedef Block<StepHeader, char> StepBlock;

static_assert(sizeof(TallyRecord) == 32 && sizeof(NormRecord) == 64 && sizeof(CoefficientsRecord) == 32);
static_assert(sizeof(ParametersRecord) == 32 && sizeof(StoredScalar) == 8);
