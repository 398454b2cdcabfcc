// Blocks of the contract as they lie in a region: a header of 64 bytes, then a record a channel (sim/contract/blocks.py).
#pragma once

#include <cstdint>
#include <cstring>

#include "scalar.h"

constexpr int64_t kBlockAlignment = 64;
constexpr int64_t kChannelBlock = 16;

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
    int64_t size() const { return std::max(std::abs(int64_t{least}), std::abs(int64_t{most})); }
};
typedef Block<TallyHeader, TallyRecord> Tally;

struct NormRecord {
    Scalar mean, rho, unit, gain, offset, top, bottom, unused;
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
    Scalar step, bound, ratio;
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
    Scalar mean, variance;
};
typedef Block<BlockName<0x41524150>, ParametersRecord> Parameters;

typedef Block<BlockName<0x54494E55>, Scalar> Units;
typedef Block<BlockName<0x4958414D>, int32_t> Maxima;

struct StepHeader : BlockName<0x50455453> {
    uint64_t seed;
    uint32_t momentum, weight_decay, weight_rate, parameter_decay, parameter_rate, unused;
    Scalar keep;
};
typedef Block<StepHeader, char> StepBlock;

static_assert(sizeof(TallyRecord) == 32 && sizeof(NormRecord) == 64 && sizeof(CoefficientsRecord) == 32);
static_assert(sizeof(ParametersRecord) == 32 && sizeof(Scalar) == 8);
