// UPDATE and WEIGHTS of the contract: momentum SGD on master weights, and their codes for both passes, as
// sim/reference/masters.py has them. Words lie as [input channel][block of outputs][tap][16 outputs], codes as bytes
// [output][block of inputs][tap][16 inputs], or the reverse with the kernel turned round. Of grouped layers, the other
// side's channels are those of a channel's bundle alone.
#include <cstdint>
#include <new>
#include <vector>

#include <omp.h>

#include "blocks.h"
#include "moved.h"
#include "status.h"

namespace {

constexpr int kMultiplierBits = 24;
constexpr int kWeightFraction = 27;
constexpr int kAccumulatorBits = 48;

struct LayerArguments {
    int64_t ins, outs, group_in, group_out, bundle_in, bundle_out, taps;

    int64_t row_words() const { return padded_channels(bundle_out) * taps; }  // of an input channel
    // The first output channel that an input channel has words of.
    int64_t first_output(int64_t ci) const { return std::min(ci, ins - 1) / bundle_in * bundle_out; }
};

struct UpdateArguments {
    LayerArguments layer;
    int64_t wide;  // accumulators of 64 bits
    const void* acc;
    int32_t *w, *v;
    Maxima *max_out, *max_in;
    const TensorUnit *x, *e;
    const StepBlock* step;
};

struct WeightsArguments {
    LayerArguments layer;
    int64_t bits, half, both;
    const int32_t* w;
    const Maxima *max_out, *max_in;
    int8_t *codes, *codes_in;
    Units *units, *units_in;
};

// Accumulators to gradients in the velocity's unit: acc · multiplier / 2^shift.
struct Gradient {
    int64_t multiplier, shift;

    explicit Gradient(Scalar product)
        : multiplier(product.m >> (kScalarBits - kMultiplierBits)),
          shift(product.m ? -(int64_t{product.e} + kScalarBits) : 1) {}

    // Whether 64 bits hold products of 32-bit accumulators, and their rounding.
    bool narrow() const { return 0 < shift && shift < 60; }

    template <class Integer>
    int64_t operator()(int64_t acc) const {
        const Integer product = static_cast<Integer>(acc) * multiplier;
        if (shift > 0) return shift > 120 ? 0 : limited(nearest(product, shift));
        if (product == 0 || -shift > 31) return product == 0 ? 0 : product < 0 ? INT32_MIN : INT32_MAX;
        return limited(limited(product) * (int64_t{1} << -shift));
    }

  private:
    template <class Integer>
    static int64_t limited(Integer x) {
        return static_cast<int64_t>(std::max<Integer>(INT32_MIN, std::min<Integer>(x, INT32_MAX)));
    }
};

// `Integer` holds all sums, `Acc` the accumulators.
template <class Integer, class Acc>
void update_row(const UpdateArguments& c, int64_t ci, const Rates& rates, const Gradient& gradient,
                int32_t* by_output) {
    const LayerArguments& l = c.layer;
    const Acc* acc = static_cast<const Acc*>(c.acc) + ci * l.row_words();
    int32_t *w = c.w + ci * l.row_words(), *v = c.v + ci * l.row_words(), most = 0;
    for (int64_t local = 0; local < padded_channels(l.bundle_out); local += kChannelBlock)
        for (int64_t tap = 0; tap < l.taps; ++tap, acc += kChannelBlock, w += kChannelBlock, v += kChannelBlock)
            for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
                const int64_t co = l.first_output(ci) + local + lane;
                const bool real = ci < l.ins && local + lane < l.bundle_out && co < l.outs;
                if (real && (!l.group_in || ci / l.group_in == co / l.group_out))
                    rates.move<Integer>(w[lane], v[lane],
                                        gradient.operator()<Integer>(low_bits(acc[lane], kAccumulatorBits)));
                const int32_t size = saturated(std::abs(int64_t{w[lane]}));
                if (co < padded_channels(l.outs)) by_output[co] = std::max(by_output[co], size);
                most = std::max(most, size);
            }
    c.max_in->records()[ci] = most;
}

// M and s with M = ⌊levels·2^s / most⌋ of 24 bits.
struct Multiplier {
    int64_t m, shift;
    Multiplier(int64_t most, int64_t levels)
        : shift(kMultiplierBits + bit_length(most) - bit_length(levels)) {
        if ((levels << shift) / most >> kMultiplierBits) --shift;
        m = (levels << shift) / most;
    }
};

class Coder {
  public:
    Coder(int64_t most, int64_t bits, bool half)
        : levels_(half ? (int64_t{1} << bits) - 1 : (int64_t{1} << (bits - 1)) - 1),
          half_(half),
          low_(half ? -(int64_t{1} << (bits - 1)) : -levels_),
          high_((int64_t{1} << (bits - 1)) - 1),
          by_(most, levels_),
          unit_(div(scalar(most, -kWeightFraction), scalar(levels_))) {}

    int8_t operator()(int32_t w) const {
        const int64_t product = w * by_.m;
        const int64_t code = half_ ? product >> (by_.shift + 1)
                                   : (product + (int64_t{1} << (by_.shift - 1)) - 1 + (product >> by_.shift & 1)) >>
                                         by_.shift;
        return static_cast<int8_t>(std::max(low_, std::min(code, high_)));
    }
    Scalar unit() const { return unit_; }

  private:
    int64_t levels_;
    bool half_;
    int64_t low_, high_;
    Multiplier by_;
    Scalar unit_;
};

std::vector<Coder> coders(const WeightsArguments& c, const Maxima* maxima, Units* units, int64_t channels) {
    std::vector<Coder> made;
    made.reserve(channels);
    StoredScalar* records = units->begin(channels);
    for (int64_t i = 0; i < channels; ++i) {
        made.emplace_back(std::max(maxima->records()[i], 1), c.bits, c.half);
        records[i] = made.back().unit();
    }
    return made;
}

}  // namespace

extern "C" {

int32_t cpt_step_update(const UpdateArguments* arguments, int32_t threads) try {
    const UpdateArguments& c = *arguments;
    const Gradient gradient(mul(c.x->step, c.e->step));
    const Rates rates{c.step->momentum, c.step->weight_decay, c.step->weight_rate};
    const int64_t outs = padded_channels(c.layer.outs), ins = padded_channels(c.layer.ins);
    int32_t* by_output = c.max_out->begin(outs);
    c.max_in->begin(ins);
    std::vector<int32_t> by_thread(threads * outs, 0);
    const auto update = c.wide                                     ? update_row<Wide, int64_t>
                        : rates.narrow() && gradient.narrow() ? update_row<int64_t, int32_t>
                                                                   : update_row<Wide, int32_t>;
#pragma omp parallel num_threads(threads)
    {
        int32_t* mine = &by_thread[omp_get_thread_num() * outs];
#pragma omp for schedule(static)
        for (int64_t ci = 0; ci < ins; ++ci) update(c, ci, rates, gradient, mine);
    }
    for (int t = 0; t < threads; ++t)
        for (int64_t co = 0; co < outs; ++co) by_output[co] = std::max(by_output[co], by_thread[t * outs + co]);
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}

int32_t cpt_step_weights(const WeightsArguments* arguments, int32_t threads) try {
    const WeightsArguments& c = *arguments;
    const LayerArguments& l = c.layer;
    const int64_t ins = padded_channels(l.ins), outs = padded_channels(l.outs), taps = l.taps;
    const int64_t others_in = padded_channels(l.bundle_in), others_out = padded_channels(l.bundle_out);
    const auto by_out = coders(c, c.max_out, c.units, outs);
    const auto by_in = c.both ? coders(c, c.max_in, c.units_in, ins) : std::vector<Coder>();
    if (l.bundle_in < l.ins) std::memset(c.codes, 0, outs * others_in * taps);  // the last bundle may be smaller
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t ci = 0; ci < ins; ++ci) {
        const int64_t first = l.first_output(ci), place = ci - first / l.bundle_out * l.bundle_in;
        for (int64_t block = 0; block < others_out; block += kChannelBlock)
            for (int64_t tap = 0; tap < taps; ++tap) {
                const int32_t* w = c.w + ci * l.row_words() + block * taps + tap * kChannelBlock;
                int8_t* out = c.codes + place / kChannelBlock * kChannelBlock * taps + tap * kChannelBlock +
                              place % kChannelBlock;
                for (int64_t co = first + block; co < std::min(outs, first + block + kChannelBlock); ++co)
                    out[co * others_in * taps] = by_out[co](w[co - first - block]);
                if (!c.both) continue;
                int8_t* in = c.codes_in + (ci * others_out + block) * taps + (taps - 1 - tap) * kChannelBlock;
                for (int64_t lane = 0; lane < kChannelBlock; ++lane) in[lane] = by_in[ci](w[lane]);
            }
    }
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
