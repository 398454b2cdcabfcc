// MAP of the contract: one pass over a map, 16 channels of a pixel at a time; sim/reference/vector.py says what it
// computes.
//
//     t    = x0·A + (x1·C)·2^j + B            A, C, B by channel; modulo 2^48, signed
//     out0 = saturate(round(t / 2^k))         half to even, or stochastic
//     out1 = saturate(round(out0·M / 2^s))    half to even
//     mask = t > 0
#include <cstdint>
#include <new>

#include <omp.h>

#include "lanes.h"
#include "noise.h"
#include "status.h"

namespace {

constexpr int kSpare = 64 - 48, kSpareCoefficient = 32 - 25;

enum class Mask : int64_t { kNone = 0, kOnX0 = 1, kOnResult = 2, kWrite = 3 };

struct Operand {
    char* data;
    Kind kind;
};

struct MapArguments {
    int64_t images, blocks, pixels;
    Operand x0, x1, x2, out0, out1;
    uint16_t* mask;
    Mask mask_use;
    int64_t broadcast, out0_bits, out1_bits, out_signed, stochastic;
    uint64_t seed;
    const Coefficients* coefficients;
    Tally* tally;
    const StepBlock* step;
};

struct Limits {
    int64_t low, high;
    Limits(int64_t bits, bool is_signed)
        : low(is_signed ? -(int64_t{1} << (bits - 1)) + 1 : 0),
          high((int64_t{1} << (is_signed ? bits - 1 : bits)) - 1) {}
};

// Coefficients of 16 channels.
struct Line {
    Halves a, b, c;
    explicit Line(const CoefficientsRecord* from) {
        Words as, cs;
        for (int i = 0; i < kBlock; ++i) as[i] = from[i].a, cs[i] = from[i].c;
        a = widen(as << kSpareCoefficient >> kSpareCoefficient);
        c = widen(cs << kSpareCoefficient >> kSpareCoefficient);
        for (int i = 0; i < kBlock / 2; ++i) b.low[i] = from[i].b, b.high[i] = from[i + kBlock / 2].b;
    }
};

class Mapping {
  public:
    explicit Mapping(const MapArguments& c)
        : c_(c),
          k_(c.coefficients ? c.coefficients->k : 0),
          first_(k_),
          second_(c.coefficients ? c.coefficients->scale_shift : 0),
          limits0_(std::max<int64_t>(c.out0_bits, 1), c.out_signed),
          limits1_(std::max<int64_t>(c.out1_bits, 1), c.out_signed),
          multiplier_(c.coefficients ? low_bits(c.coefficients->multiplier, 25) : 0),
          up_(c.coefficients ? std::max(0, c.coefficients->j) : 0),
          down_(c.coefficients ? std::max(0, -c.coefficients->j) : 0),
          keys_(NoiseKeys::of(c.seed + (c.stochastic ? c.step->seed : 0))) {}

    // One block of one image. What is in registers here is constant for it.
    template <bool Rounds, bool Stochastic, bool Second>
    static void tile(const Mapping& shared, int64_t number, Sums* sums) {
        const Mapping own = shared;  // what is stored cannot be a part of it
        own.run<Rounds, Stochastic, Second>(number, sums);
    }

  private:
    template <bool Rounds, bool Stochastic, bool Second>
    inline void run(int64_t number, Sums* sums) const {
        const int64_t first = number * c_.pixels, block = number % c_.blocks;
        const Line line(Rounds ? c_.coefficients->records() + block * kBlock : &kNothing[0]);
        const char* x0 = c_.x0.data + (c_.broadcast ? number : first) * kBlock * element_bytes(c_.x0.kind);
        const int64_t x0_step = c_.broadcast ? 0 : kBlock * element_bytes(c_.x0.kind);
        uint16_t* mask = c_.mask ? c_.mask + first : nullptr;
        for (int64_t begin = 0; begin < c_.pixels; begin += Gathered::kMost) {
            const int64_t end = std::min(c_.pixels, begin + Gathered::kMost);
            Gathered gathered;
            for (int64_t p = begin; p < end; ++p) {
                Words result = load_block(x0 + p * x0_step, c_.x0.kind);
                if (c_.mask_use == Mask::kOnX0) result &= spread(mask[p]);
                if constexpr (Rounds) {
                    Halves t = widen(result);
                    t.low = t.low * line.a.low + line.b.low;
                    t.high = t.high * line.a.high + line.b.high;
                    if constexpr (Second) {
                        const Halves x = widen(load_block(at(c_.x1, first + p), c_.x1.kind));
                        t.low += x.low * line.c.low << up_ >> down_;
                        t.high += x.high * line.c.high << up_ >> down_;
                    }
                    t = {t.low << kSpare >> kSpare, t.high << kSpare >> kSpare};
                    if (c_.mask_use == Mask::kWrite) mask[p] = positive(t.low, t.high);
                    result = rounded<Stochastic>(t, static_cast<uint32_t>((first + p) * kBlock));
                    if (c_.mask_use == Mask::kOnResult) result &= spread(mask[p]);
                    store_block(at(c_.out0, first + p), c_.out0.kind, result);
                    if (c_.out1_bits) store_block(at(c_.out1, first + p), c_.out1.kind, scaled(result));
                }
                if (sums) {
                    const bool has_x2 = c_.x2.kind != Kind::kNone;
                    gathered.see(result, has_x2 ? load_block(at(c_.x2, first + p), c_.x2.kind) : Words{});
                }
            }
            if (sums) sums->add(gathered);
        }
    }

    static char* at(const Operand& operand, int64_t pixel) {
        return operand.data + pixel * kBlock * element_bytes(operand.kind);
    }

    template <bool Stochastic>
    Words rounded(Halves t, uint32_t element) const {
        if constexpr (Stochastic) {
            // The top k bits, in 64-bit lanes: k may be 0, and a shift of 32 must give 0.
            const UnsignedWords drawn = keys_(element + kCount);
            const Halves bits = widen((Words)(drawn >> 1));  // k is at most 30
            t.low = (t.low + (bits.low >> (31 - k_))) >> k_;
            t.high = (t.high + (bits.high >> (31 - k_))) >> k_;
        } else {
            t = {first_(t.low), first_(t.high)};
        }
        return narrow(clamp(t.low, limits0_.low, limits0_.high), clamp(t.high, limits0_.low, limits0_.high));
    }

    Words scaled(Words result) const {
        const Halves r = widen(result);
        return narrow(clamp(second_(r.low * multiplier_), limits1_.low, limits1_.high),
                      clamp(second_(r.high * multiplier_), limits1_.low, limits1_.high));
    }

    static constexpr CoefficientsRecord kNothing[kBlock] = {};
    MapArguments c_;
    int64_t k_;
    Round<Longs, int64_t> first_, second_;
    Limits limits0_, limits1_;
    int64_t multiplier_, up_, down_;
    NoiseKeys keys_;
};

}  // namespace

extern "C" {

int32_t cpt_step_map(const MapArguments* arguments, int32_t threads) try {
    const MapArguments& c = *arguments;
    const int64_t tiles = c.images * c.blocks;
    threads = static_cast<int32_t>(std::min<int64_t>(threads, tiles));
    const Mapping mapping(c);
    SumsByThread sums(threads, c.blocks);
    const bool second = c.x1.kind != Kind::kNone;
    const auto run = !c.out0_bits   ? &Mapping::tile<false, false, false>
                     : c.stochastic ? (second ? &Mapping::tile<true, true, true> : &Mapping::tile<true, true, false>)
                     : second       ? &Mapping::tile<true, false, true>
                                    : &Mapping::tile<true, false, false>;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < tiles; ++i)
        run(mapping, i, c.tally ? &sums.at(omp_get_thread_num(), i % c.blocks) : nullptr);
    if (c.tally) sums.write(c.tally, c.images * c.pixels);
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
