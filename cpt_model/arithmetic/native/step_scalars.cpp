// NORM, SCALE, JOIN and ERROR of the contract, all channels at once: sim/reference/normalise.py and backward.py say
// what they compute, in the same order.
#include <new>
#include <vector>

#include "blocks.h"
#include "moved.h"
#include "status.h"

namespace {

constexpr int kFraction = 24;  // bits behind the point of γ, β and their velocities
constexpr int kCoefficientBits = 25;
constexpr int kOffsetBits = 47;
constexpr int kMaxMapShift = 30;
constexpr int kMaxScaleShift = 47;
constexpr int kMaxSecondShift = 47;
constexpr int kStreamBits = 45;  // of what is added to a residual output

// What a scalar command has; pointers it does not use are null.
struct ScalarArguments {
    int64_t bits, wide_bits, shift, shift1, channels, count;
    int64_t evaluate, relu, node, stream, branch, power;
    Tally *tally, *tally1;
    Norm *norm, *norm1;
    Parameters* parameters;
    Units *units, *units1;
    TensorUnit *in, *in1, *out;
    Coefficients* coefficients;
    StepBlock* step;

    int64_t padded() const { return padded_channels(channels); }
};

void follow(StoredScalar& old, Scalar seen, Scalar keep) { old = add(old, mul(sub(seen, old), keep)); }

// How far a channel's normalised values reach: upwards behind a ReLU, else to either side.
Scalar reach(const NormRecord& norm, bool relu) {
    return relu ? greatest(kZero, norm.top) : greatest(magnitude(norm.top), magnitude(norm.bottom));
}

// The value of code 1 when the greatest code is the bound; 1 if that is 0.
Scalar code_step(Scalar bound, int64_t bits, bool is_signed) {
    const Scalar step = div(bound, scalar((int64_t{1} << (bits - is_signed)) - 1));
    return step.m ? step : kOne;
}

// The greatest f with bound·(1 + 2^-20) < 2^(bits − f); 0 if the bound is 0.
int64_t fraction_for(Scalar bound, int64_t bits) {
    const Scalar wider = add(bound, scaled(bound, -20));
    return wider.m ? bits - (int64_t{wider.e} + 31) : 0;
}

// j of a MAP that adds integers of 2^-fraction1; where the limits cut, they are all 0 or too small to count.
int32_t second_shift(int64_t k, int64_t fraction, int64_t fraction1) {
    const int64_t j = k + fraction - fraction1;
    return static_cast<int32_t>(std::max<int64_t>(-kMaxSecondShift, std::min<int64_t>(j, kMaxSecondShift)));
}

// By how much z stayed below its bound the last time; 1 without a last time.
Scalar ratio_before(const ScalarArguments& c) {
    const auto is = [](const auto* block, int64_t channels) {
        return block->kind == block->kKind && block->channels == channels;
    };
    if (!is(c.tally, c.padded()) || !is(c.out, 0)) return kOne;
    int64_t most = 0;
    for (int64_t i = 0; i < c.padded(); ++i) most = std::max(most, c.tally->records()[i].size());
    const Scalar ratio = div(scalar(most, -int64_t{c.out->fraction}), c.out->bound);
    return ratio.m ? ratio : kOne;
}

// The value of 1 in a channel of the first operand.
Scalar unit_of(const ScalarArguments& c, int64_t i) {
    if (c.power) return scaled(kOne, -int64_t{c.in->fraction});
    return scaled(mul(c.in->step, c.units->records()[i]), c.shift);
}

void scale_codes(const ScalarArguments& c) {
    const NormRecord* norms = c.norm->records();
    Scalar bound = kZero;
    for (int64_t i = 0; i < c.channels; ++i) bound = greatest(bound, reach(norms[i], c.relu));
    const Scalar step = code_step(bound, c.bits, !c.relu);
    Room room(kMaxMapShift, kCoefficientBits);
    for (int64_t i = 0; i < c.channels; ++i) room.see(div(norms[i].gain, step));
    CoefficientsRecord* records = c.coefficients->begin(c.padded());
    for (int64_t i = 0; i < c.channels; ++i) {
        records[i].a = static_cast<int32_t>(whole(div(norms[i].gain, step), room.power(), kCoefficientBits));
        records[i].b = whole(div(norms[i].offset, step), room.power(), kOffsetBits);
    }
    c.coefficients->k = static_cast<int32_t>(room.power());
    c.out->write(step, bound, kZero, 0);
}

void scale_node(const ScalarArguments& c) {
    const NormRecord *norms = c.norm->records(), *branch = c.branch ? c.norm1->records() : nullptr;
    const int64_t fraction1 = c.stream ? c.in1->fraction : 0;
    Scalar bound = kZero;
    for (int64_t i = 0; i < c.channels; ++i) {
        Scalar reaches = reach(norms[i], c.relu);
        if (branch) reaches = add(reaches, reach(branch[i], c.relu));
        if (c.stream) reaches = add(reaches, scalar(c.tally1->records()[i].size(), -fraction1));
        bound = greatest(bound, reaches);
    }
    const int64_t width = c.wide_bits - !c.relu, fraction = fraction_for(bound, width);
    Room room(std::min<int64_t>(kMaxMapShift, kStreamBits - width), kCoefficientBits);
    for (int64_t i = 0; i < c.channels; ++i) {
        room.see(scaled(norms[i].gain, fraction));
        if (branch) room.see(scaled(branch[i].gain, fraction));
    }
    const int64_t k = room.power();
    const Scalar ratio = ratio_before(c), step = code_step(mul(bound, ratio), c.bits, !c.relu);
    const Scalar multiplier = div(scalar(1, -fraction), step);
    Room scale_room(kMaxScaleShift, kCoefficientBits);
    scale_room.see(multiplier);
    CoefficientsRecord* records = c.coefficients->begin(c.padded());
    for (int64_t i = 0; i < c.channels; ++i) {
        Scalar offset = scaled(norms[i].offset, fraction);
        records[i].a = static_cast<int32_t>(whole(scaled(norms[i].gain, fraction), k, kCoefficientBits));
        if (branch) {
            records[i].c = static_cast<int32_t>(whole(scaled(branch[i].gain, fraction), k, kCoefficientBits));
            offset = add(offset, scaled(branch[i].offset, fraction));
        } else if (c.stream) {
            records[i].c = 1;
        }
        records[i].b = whole(offset, k, kOffsetBits);
    }
    c.coefficients->k = static_cast<int32_t>(k);
    c.coefficients->scale_shift = static_cast<int32_t>(scale_room.power());
    c.coefficients->j = c.stream ? second_shift(k, fraction, fraction1) : 0;
    c.coefficients->multiplier = static_cast<int32_t>(whole(multiplier, scale_room.power(), kCoefficientBits));
    c.out->write(step, bound, ratio, fraction);
}

}  // namespace

extern "C" {

// Each takes the number of threads too, as all commands do, and runs in one.
int32_t cpt_step_norm(const ScalarArguments* arguments, int32_t) {
    const ScalarArguments& c = *arguments;
    const Scalar keep = c.evaluate ? kZero : Scalar(c.step->keep), count = scalar(c.count);
    NormRecord* norms = c.norm->begin(c.padded());
    for (int64_t i = 0; i < c.channels; ++i) {
        const TallyRecord& row = c.tally->records()[i];
        ParametersRecord& own = c.parameters->records()[i];
        const Scalar unit = scaled(mul(c.in->step, c.units->records()[i]), c.shift), square = mul(unit, unit);
        Scalar mean, variance;
        if (c.evaluate) {
            mean = div(own.mean, unit);
            variance = div(own.variance, square);
        } else {
            const Wide total = row.first_sum();
            mean = div(scalar(total), count);
            variance = div(scalar(static_cast<Wide>(c.count) * row.second_sum() - total * total),
                           scalar(static_cast<Wide>(c.count) * c.count));
            follow(own.mean, mul(mean, unit), keep);
            follow(own.variance, div(mul(mul(variance, square), count), scalar(c.count - 1)), keep);
        }
        const Scalar rho = div(kOne, root(add(variance, kQuarter)));
        const Scalar gain = mul(scalar(own.gamma, -kFraction), rho);
        const Scalar offset = sub(scalar(own.beta, -kFraction), mul(mean, gain));
        Scalar top = add(mul(gain, scalar(row.high_end())), offset);
        Scalar bottom = add(mul(gain, scalar(row.low_end())), offset);
        if (greater(bottom, top)) std::swap(top, bottom);
        norms[i] = {mean, rho, unit, gain, offset, top, bottom, kZero};
    }
    return kDone;
}

int32_t cpt_step_scale(const ScalarArguments* arguments, int32_t) {
    arguments->node ? scale_node(*arguments) : scale_codes(*arguments);
    return kDone;
}

int32_t cpt_step_join(const ScalarArguments* arguments, int32_t) try {
    const ScalarArguments& c = *arguments;
    const int64_t fraction1 = c.stream ? c.in1->fraction : 0;
    std::vector<Scalar> first(c.channels), second(c.channels);
    Scalar bound = kZero;
    for (int64_t i = 0; i < c.channels; ++i) {
        first[i] = unit_of(c, i);
        Scalar reaches = mul(first[i], scalar(c.tally->records()[i].size()));
        if (c.stream || c.branch) {
            second[i] = c.stream ? scalar(1, -fraction1) : scaled(mul(c.in1->step, c.units1->records()[i]), c.shift1);
            reaches = add(reaches, mul(second[i], scalar(c.tally1->records()[i].size())));
        }
        bound = greatest(bound, reaches);
    }
    const int64_t fraction = fraction_for(bound, c.wide_bits - 1);
    Room room(kMaxMapShift, kCoefficientBits);
    for (int64_t i = 0; i < c.channels; ++i) {
        room.see(scaled(first[i], fraction));
        if (c.branch) room.see(scaled(second[i], fraction));
    }
    CoefficientsRecord* records = c.coefficients->begin(c.padded());
    for (int64_t i = 0; i < c.channels; ++i) {
        records[i].a = static_cast<int32_t>(whole(scaled(first[i], fraction), room.power(), kCoefficientBits));
        if (c.branch)
            records[i].c = static_cast<int32_t>(whole(scaled(second[i], fraction), room.power(), kCoefficientBits));
        else if (c.stream)
            records[i].c = 1;
    }
    c.coefficients->k = static_cast<int32_t>(room.power());
    c.coefficients->j = c.stream ? second_shift(room.power(), fraction, fraction1) : 0;
    c.out->write(kZero, bound, kZero, fraction);
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}

int32_t cpt_step_error(const ScalarArguments* arguments, int32_t) try {
    const ScalarArguments& c = *arguments;
    const Scalar count = scalar(c.count), squared = scalar(static_cast<Wide>(c.count) * c.count);
    struct Line {
        Scalar base, slope, offset;
    };
    std::vector<Line> lines(c.channels);
    Scalar bound = kZero;
    for (int64_t i = 0; i < c.channels; ++i) {
        const NormRecord& norm = c.norm->records()[i];
        const TallyRecord& sums = c.tally->records()[i];
        ParametersRecord& own = c.parameters->records()[i];
        const Scalar unit = unit_of(c, i), total = scalar(sums.first_sum());
        const Scalar spread = scalar(static_cast<Wide>(c.count) * sums.second_sum() -
                                     static_cast<Wide>(sums.first_sum()) * c.tally1->records()[i].first_sum());
        const Scalar base = mul(mul(scalar(own.gamma, -kFraction), div(norm.rho, norm.unit)), unit);
        const Scalar slope = -mul(mul(base, mul(norm.rho, norm.rho)), div(spread, squared));
        const Scalar even = add(div(mul(base, total), count), mul(slope, norm.mean));
        lines[i] = {base, slope, -even};
        bound = greatest(bound, mul(magnitude(base), scalar(sums.size())));
        const Scalar of_gamma = div(mul(mul(unit, norm.rho), spread), count), of_beta = mul(unit, total);
        const Rates rates{c.step->momentum, c.step->parameter_decay, c.step->parameter_rate};
        rates.move<Wide>(own.gamma, own.gamma_velocity, whole(of_gamma, kFraction, 32));
        rates.move<Wide>(own.beta, own.beta_velocity, whole(of_beta, kFraction, 32));
    }
    const Scalar step = code_step(bound, c.bits, true);
    Room room(kMaxMapShift, kCoefficientBits);
    for (Line& line : lines) {
        line = {div(line.base, step), div(line.slope, step), div(line.offset, step)};
        room.see(line.base);
        room.see(line.slope);
    }
    CoefficientsRecord* records = c.coefficients->begin(c.padded());
    c.coefficients->k = static_cast<int32_t>(room.power());
    for (int64_t i = 0; i < c.channels; ++i) {
        records[i].a = static_cast<int32_t>(whole(lines[i].base, room.power(), kCoefficientBits));
        records[i].c = static_cast<int32_t>(whole(lines[i].slope, room.power(), kCoefficientBits));
        records[i].b = whole(lines[i].offset, room.power(), kOffsetBits);
    }
    c.out->write(step, bound, kZero, 0);
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
