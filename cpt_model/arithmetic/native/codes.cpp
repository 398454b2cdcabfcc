// Tensors to codes, one pass over memory each: their range, their codes and the sums of these.
// The arithmetic is the contract's (sim/contract/CONTRACT.md, section 10): IEEE float32, one rounding each, no fused
// multiply-add (-ffp-contract=off). Sums of codes are integers: below 2^24 where float32 holds them, else float64 does.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include <omp.h>

#include "maps.h"
#include "noise.h"
#include "status.h"

namespace {

struct Quantiser {
    float low, scale, levels, zero;
    NoiseKeys noise;

    float nearest(float x) const { return clamp(std::rint((x - low) / scale)); }

    // Rounds up with the probability of the fraction; `element` is the number in (n, c, h, w) order.
    float stochastic(float x, uint32_t element) const {
        const float steps = (x - low) / scale;
        const float floor = std::floor(steps);
        const float drawn = static_cast<float>(static_cast<int32_t>(noise(element) >> 8)) * 0x1p-24f;
        return clamp(floor + (drawn < steps - floor ? 1.0f : 0.0f));
    }

    float clamp(float q) const {
        q = q > 0.0f ? q : 0.0f;
        return (q < levels ? q : levels) - zero;
    }
};

struct Range {
    float low, high;
    bool finite;
};

Range range_of(const float* x, int64_t count) {
    float low = x[0], high = x[0];
    uint32_t bad = 0;
#pragma omp simd reduction(min : low) reduction(max : high) reduction(| : bad)
    for (int64_t i = 0; i < count; ++i) {
        uint32_t pattern;
        std::memcpy(&pattern, x + i, sizeof pattern);
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        bad |= (pattern & 0x7F800000u) == 0x7F800000u;
    }
    return {low, high, !bad};
}

// One image in (h, w, c) order: pixel by pixel, kVector channels at a time.
template <bool Stochastic>
void codes_channels_last(const Quantiser& f, const float* __restrict x, float* __restrict q, int64_t image,
                         int64_t channels, int64_t pixels, float* __restrict pixel_sums,
                         float* __restrict batch_sums) {
    const uint32_t step = static_cast<uint32_t>(pixels), first = static_cast<uint32_t>(image * channels * pixels);
    const int64_t whole = channels / kVector * kVector;
    for (int64_t p = 0; p < pixels; ++p, x += channels, q += channels, batch_sums += channels) {
        uint32_t element = first + static_cast<uint32_t>(p);
        float sums[kVector] = {};
        for (int64_t c = 0; c < whole; c += kVector, element += kVector * step) {
#pragma omp simd
            for (int k = 0; k < kVector; ++k) {
                const float code = Stochastic ? f.stochastic(x[c + k], element + k * step) : f.nearest(x[c + k]);
                q[c + k] = code;
                batch_sums[c + k] += code;
                sums[k] += code;
            }
        }
        for (int64_t c = whole; c < channels; ++c, element += step) {
            q[c] = Stochastic ? f.stochastic(x[c], element) : f.nearest(x[c]);
            batch_sums[c] += q[c];
            sums[0] += q[c];
        }
        for (int half = kVector / 2; half > 0; half /= 2)
            for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
        pixel_sums[p] = sums[0];
    }
}

// One image in (c, h, w) order: the inner loop runs over pixels.
template <bool Stochastic>
void codes_channels_first(const Quantiser& f, const float* x, float* q, int64_t image, int64_t channels, int64_t pixels,
                          float* pixel_sums, float* batch_sums) {
    std::memset(pixel_sums, 0, sizeof(float) * pixels);
    for (int64_t c = 0; c < channels; ++c) {
        const int64_t row = c * pixels;
        const uint32_t first = static_cast<uint32_t>((image * channels + c) * pixels);
#pragma omp simd
        for (int64_t p = 0; p < pixels; ++p) {
            const float value = x[row + p];
            const float code = Stochastic ? f.stochastic(value, first + static_cast<uint32_t>(p)) : f.nearest(value);
            q[row + p] = code;
            pixel_sums[p] += code;
            batch_sums[row + p] += code;
        }
    }
}

}  // namespace

extern "C" {

// Least and greatest value.
int32_t cpt_range(const float* x, int64_t count, int32_t threads, float* low, float* high) {
    float least = x[0], greatest = x[0];
    bool finite = true;
    const int64_t part = (count + threads - 1) / threads;
#pragma omp parallel for num_threads(threads) reduction(min : least) reduction(max : greatest) reduction(&& : finite)
    for (int64_t first = 0; first < count; first += part) {
        const Range range = range_of(x + first, std::min(part, count - first));
        least = std::min(least, range.low);
        greatest = std::max(greatest, range.high);
        finite = finite && range.finite;
    }
    *low = least;
    *high = greatest;
    return finite ? kDone : kNotFinite;
}

// Codes minus `zero`, and their sums: by pixel over channels, and by element over the batch.
int32_t cpt_codes(const float* x, float* q, int64_t images, int64_t channels, int64_t pixels, int32_t channels_last,
                  float low, float scale, float levels, float zero, int32_t stochastic, uint32_t key_0, uint32_t key_1,
                  float* pixel_sums, float* batch_sums, int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    const Quantiser f{low, scale, levels, zero, {key_0, key_1}};
    const int64_t size = channels * pixels;
    const auto run = channels_last ? (stochastic ? codes_channels_last<true> : codes_channels_last<false>)
                                   : (stochastic ? codes_channels_first<true> : codes_channels_first<false>);
    std::memset(batch_sums, 0, sizeof(float) * size);
    std::vector<float> by_thread(threads * size, 0.0f);
#pragma omp parallel num_threads(threads)
    {
        float* mine = &by_thread[omp_get_thread_num() * size];
#pragma omp for schedule(static)
        for (int64_t n = 0; n < images; ++n)
            run(f, x + n * size, q + n * size, n, channels, pixels, pixel_sums + n * pixels, mine);
#pragma omp critical
        for (int64_t i = 0; i < size; ++i) batch_sums[i] += mine[i];
    }
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}

// Weights (out, in, taps), or (out, taps, in) if channels come last, to signed codes in the same order, with a range
// for each output channel, or each input channel, of the layer. Also their sums by tap and channel of the pass, and the
// greatest sum of magnitudes: wide codes exceed float32's 2^24.
int32_t cpt_weights(const float* w, float* q, int64_t outs, int64_t ins, int64_t taps, int32_t channels_last,
                    int32_t by_input, float levels, float centre, float* scale, float* offset, double* tap_sums,
                    double* greatest, int32_t threads) try {
    const int64_t out_step = ins * taps, in_step = channels_last ? 1 : taps, tap_step = channels_last ? ins : 1;
    const int64_t channels = by_input ? ins : outs, others = by_input ? outs : ins, count = others * taps;
    const int64_t start = by_input ? in_step : out_step, step = by_input ? out_step : in_step;
    std::vector<float> by_thread(threads * count);
    double most = 0;
    int32_t bad = 0;
#pragma omp parallel for num_threads(threads) reduction(max : most) reduction(| : bad)
    for (int64_t c = 0; c < channels; ++c) {
        float* own = &by_thread[omp_get_thread_num() * count];  // a channel's weights tap by tap, then their codes
        for (int64_t t = 0; t < taps; ++t)
            for (int64_t k = 0; k < others; ++k) own[t * others + k] = w[c * start + t * tap_step + k * step];
        const Range range = range_of(own, count);
        scale[c] = std::fmax((range.high - range.low) / levels, 0x1p-126f);
        offset[c] = range.low + centre * scale[c];
        bad |= !range.finite || !std::isfinite(scale[c]);
        const Quantiser f{range.low, scale[c], levels, centre, {0, 0}};
        double magnitude = 0;
        for (int64_t t = 0; t < taps; ++t) {
            double sum = 0;
#pragma omp simd reduction(+ : magnitude, sum)
            for (int64_t k = 0; k < others; ++k) {
                const float code = f.nearest(own[t * others + k]);
                own[t * others + k] = code;
                sum += code;
                magnitude += std::fabs(code);
            }
            tap_sums[t * channels + c] = sum;
            for (int64_t k = 0; k < others; ++k) q[c * start + t * tap_step + k * step] = own[t * others + k];
        }
        most = magnitude > most ? magnitude : most;
    }
    *greatest = most;
    return bad ? kNotFinite : kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
