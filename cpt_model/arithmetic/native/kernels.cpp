// The element-wise work of a quantised layer, one pass over memory each: range, codes, and accumulators to float32.
// The arithmetic is the contract's (sim/CONTRACT.md, section 10): IEEE float32, one rounding each, no fused
// multiply-add (-ffp-contract=off). Sums of codes are integers: below 2^24 where float32 holds them, else float64 does.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include <omp.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

constexpr int kVector = 8;

// What the functions return. Memory is taken outside of parallel regions: no exception may leave those, nor a C call.
enum : int32_t { kDone = 0, kNotFinite = 1, kNoMemory = 2 };

uint32_t mix(uint32_t x) {
    x ^= x >> 14;
    x += x << 13;
    x ^= x >> 11;
    x += x << 5;
    x ^= x >> 16;
    return x + (x << 4);
}

struct Quantiser {
    float low, scale, levels, zero;
    uint32_t key_0, key_1;

    float nearest(float x) const { return clamp(std::rint((x - low) / scale)); }

    // Rounds up with the probability of the fraction; `element` is the number in (n, c, h, w) order.
    float stochastic(float x, uint32_t element) const {
        uint32_t u = mix(mix(element ^ key_0) + key_1);
        u ^= u >> 16;
        const float steps = (x - low) / scale;
        const float floor = std::floor(steps);
        const float drawn = static_cast<float>(static_cast<int32_t>(u >> 8)) * 0x1p-24f;
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

// One axis of a convolution: out·stride + tap − padding = in. The pass reads `in` for `out`, or transposed the reverse.
struct Axis {
    int64_t kernel, stride, padding, size, out_size;
    bool transposed;
    std::vector<std::vector<std::pair<int64_t, int64_t>>> reads;  // by index of the result: (tap, index read)

    Axis(const int64_t* numbers, bool transposed)
        : kernel(numbers[0]),
          stride(numbers[1]),
          padding(numbers[2]),
          size(numbers[3]),
          out_size(numbers[4]),
          transposed(transposed),
          reads(results()) {
        for (int64_t tap = 0; tap < kernel; ++tap)
            for (int64_t out = first(tap); out < last(tap); ++out) {
                const int64_t in = out * stride + tap - padding;
                reads[transposed ? in : out].emplace_back(tap, transposed ? out : in);
            }
    }

    int64_t results() const { return transposed ? size : out_size; }
    int64_t operands() const { return transposed ? out_size : size; }
    // Outputs whose tap falls on a stored input: first .. last − 1.
    int64_t first(int64_t tap) const { return std::max<int64_t>(0, (padding - tap + stride - 1) / stride); }
    int64_t last(int64_t tap) const {
        const int64_t room = size - 1 + padding - tap;
        return room < 0 ? 0 : std::min(out_size, room / stride + 1);
    }

    int64_t hits(int64_t tap) const { return std::max<int64_t>(0, last(tap) - first(tap)); }

    // Adds to each result what its taps read.
    void gather(const float* from, float* to) const {
        for (int64_t tap = 0; tap < kernel; ++tap) {
            const int64_t begin = first(tap), end = last(tap), shift = tap - padding;
            if (transposed)
                for (int64_t out = begin; out < end; ++out) to[out * stride + shift] += from[out];
            else if (stride == 1)
                for (int64_t out = begin; out < end; ++out) to[out] += from[out + shift];
            else
                for (int64_t out = begin; out < end; ++out) to[out] += from[out * stride + shift];
        }
    }
};

// Sums of codes summed over the batch, over the pixels that meet in a weight gradient, by tap and channel: those of the
// layer's input that a tap reads, or those of its output whose tap falls on a stored input.
std::vector<double> sums_by_tap(const Axis& rows, const Axis& columns, const float* batch_sums, int64_t channels,
                                bool channels_last, bool of_output) {
    const int64_t height = of_output ? rows.out_size : rows.size, width = of_output ? columns.out_size : columns.size;
    std::vector<double> by_column(height * channels), sums(rows.kernel * columns.kernel * channels, 0.0);
    for (int64_t kx = 0; kx < columns.kernel; ++kx) {
        std::fill(by_column.begin(), by_column.end(), 0.0);
        for (int64_t y = 0; y < height; ++y)
            for (int64_t out = columns.first(kx); out < columns.last(kx); ++out) {
                const int64_t x = of_output ? out : out * columns.stride + kx - columns.padding;
                for (int64_t c = 0; c < channels; ++c) {
                    const int64_t at = channels_last ? (y * width + x) * channels + c : (c * height + y) * width + x;
                    by_column[y * channels + c] += batch_sums[at];
                }
            }
        for (int64_t ky = 0; ky < rows.kernel; ++ky)
            for (int64_t out = rows.first(ky); out < rows.last(ky); ++out) {
                const int64_t y = of_output ? out : out * rows.stride + ky - rows.padding;
                for (int64_t c = 0; c < channels; ++c)
                    sums[(ky * columns.kernel + kx) * channels + c] += by_column[y * channels + c];
            }
    }
    return sums;
}

// Indices of the result that the same taps fall on are of one kind.
struct Kinds {
    std::vector<int64_t> of;        // the kind of each index
    std::vector<int64_t> examples;  // an index of each kind

    explicit Kinds(const Axis& axis) {
        std::map<std::vector<int64_t>, int64_t> known;
        for (const auto& read : axis.reads) {
            std::vector<int64_t> taps;
            for (const auto& [tap, index] : read) taps.push_back(tap);
            const auto [entry, is_new] = known.emplace(taps, known.size());
            if (is_new) examples.push_back(of.size());
            of.push_back(entry->second);
        }
    }
};

// Neighbouring pixels that share their terms, in channels-last order: y = (y + shift)·alpha + (row·beta + border).
void finish_pixels(float* __restrict y, int64_t pixels, int64_t channels, const float* __restrict row,
                   const float* __restrict alpha, const float* __restrict beta, const float* __restrict shift,
                   const float* __restrict border) {
    for (int64_t p = 0; p < pixels; ++p, y += channels) {
        const float sum = row[p];
#pragma omp simd
        for (int64_t c = 0; c < channels; ++c) y[c] = (y[c] + shift[c]) * alpha[c] + (sum * beta[c] + border[c]);
    }
}

}  // namespace

extern "C" {

// A training step frees and takes the same large blocks again and again. Handing their pages back to the system in
// between costs more than the arithmetic of this file, so the allocator is told to keep them. Where it refuses, steps
// only take longer.
void cpt_keep_freed_memory() {
#ifdef __GLIBC__
    if (!mallopt(M_MMAP_THRESHOLD, 1 << 30)) mallopt(M_MMAP_THRESHOLD, 32 << 20);  // older glibc takes no more
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
#endif
}

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
    const Quantiser f{low, scale, levels, zero, key_0, key_1};
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

// Weights (out, in, taps), or (out, taps, in) if channels come last, to signed codes in the same order, with a range for
// each output channel, or each input channel, of the layer. Also their sums by tap and channel of the pass, and the
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
        const Quantiser f{range.low, scale[c], levels, centre, 0, 0};
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

// A CONV pass's accumulators (of codes minus `zero`) to float32, in place:
//     y = acc·(sA·sB) + ( rowsum·(sA·mB) + mA·( colsum·sB + count·mB ) )
// geometry: kernel, stride, padding, size and output size of rows, then of columns. `pixels` are sums of A's codes over
// channels, `terms` how many channels those are, `tap_sums` sums of B's codes by tap and output channel of the pass.
int32_t cpt_finish(float* y, int64_t images, int64_t channels, int32_t channels_last, int32_t transposed,
                   const int64_t* geometry, const float* pixels, float terms, const float* tap_sums, float a_scale,
                   float a_offset, const float* b_scale, const float* b_offset, float zero, int32_t threads) try {
    const Axis rows(geometry, transposed), columns(geometry + 5, transposed);
    const int64_t kernel_w = columns.kernel, height = rows.results(), width = columns.results();
    const int64_t in_height = rows.operands(), in_width = columns.operands();
    const int64_t count = height * width, size = channels * count;
    std::vector<float> alpha(channels), beta(channels);
    for (int64_t c = 0; c < channels; ++c) {
        alpha[c] = a_scale * b_scale[c];
        beta[c] = a_scale * b_offset[c];
    }
    // Pixels that see the same taps share their terms: one entry by kind of row and kind of column.
    const Kinds row_kinds(rows), column_kinds(columns);
    const int64_t kinds = row_kinds.examples.size() * column_kinds.examples.size();
    std::vector<float> shift(kinds * channels, 0.0f), border(kinds * channels), row_shift(count);
    for (int64_t k = 0; k < kinds; ++k) {
        const auto& ys = rows.reads[row_kinds.examples[k / column_kinds.examples.size()]];
        const auto& xs = columns.reads[column_kinds.examples[k % column_kinds.examples.size()]];
        const float taps_inside = terms * static_cast<float>(ys.size() * xs.size());
        float* sums = &shift[k * channels];
        for (const auto& [ky, row] : ys)
            for (const auto& [kx, column] : xs)
                for (int64_t c = 0; c < channels; ++c) sums[c] += tap_sums[(ky * kernel_w + kx) * channels + c];
        for (int64_t c = 0; c < channels; ++c) {
            border[k * channels + c] = a_offset * (sums[c] * b_scale[c] + taps_inside * b_offset[c]);
            sums[c] *= zero;
        }
    }
    std::vector<int64_t> kind(count);
    for (int64_t p = 0; p < count; ++p) {
        const int64_t y = p / width, x = p % width;
        kind[p] = (row_kinds.of[y] * column_kinds.examples.size() + column_kinds.of[x]) * channels;
        row_shift[p] = zero * (terms * static_cast<float>(rows.reads[y].size() * columns.reads[x].size()));
    }
    std::vector<float> partials(threads * in_width), row_sums(threads * count);
#pragma omp parallel num_threads(threads)
    {
        float *partial = &partials[omp_get_thread_num() * in_width], *row = &row_sums[omp_get_thread_num() * count];
#pragma omp for schedule(static)
        for (int64_t n = 0; n < images; ++n) {
            const float* sums = pixels + n * in_height * in_width;
            std::copy(row_shift.begin(), row_shift.end(), row);
            for (int64_t h = 0; h < height; ++h) {
                std::fill(partial, partial + in_width, 0.0f);
                for (const auto& [tap, in] : rows.reads[h])
                    for (int64_t w = 0; w < in_width; ++w) partial[w] += sums[in * in_width + w];
                columns.gather(partial, row + h * width);
            }
            float* image = y + n * size;
            if (channels_last) {
                for (int64_t p = 0, end; p < count; p = end) {
                    for (end = p + 1; end < count && kind[end] == kind[p];) ++end;
                    finish_pixels(image + p * channels, end - p, channels, row + p, alpha.data(), beta.data(),
                                  &shift[kind[p]], &border[kind[p]]);
                }
            } else {
                for (int64_t c = 0; c < channels; ++c) {
                    const int64_t at = c * count;
#pragma omp simd
                    for (int64_t p = 0; p < count; ++p)
                        image[at + p] = (image[at + p] + shift[kind[p] + c]) * alpha[c]
                                        + (row[p] * beta[c] + border[kind[p] + c]);
                }
            }
        }
    }
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}

// A weight gradient's accumulators (out, in, kh, kw), of error codes minus `zero`, to float32:
//     g = acc·(sX·sE) + ( rowsum·(sX·mE) + mX·( colsum·sE + count·mE ) )
// from the sums of both operands' codes over the batch, (h, w, c) or (c, h, w).
int32_t cpt_finish_gradient(const double* acc, float* g, int64_t images, int64_t outs, int64_t ins,
                            const int64_t* geometry, const float* x_sums, int32_t x_last, const float* e_sums,
                            int32_t e_last, float x_scale, float x_offset, float e_scale, float e_offset,
                            double zero) try {
    const Axis rows(geometry, false), columns(geometry + 5, false);
    const int64_t taps = rows.kernel * columns.kernel;
    const auto row_sums = sums_by_tap(rows, columns, x_sums, ins, x_last, false);
    const auto column_sums = sums_by_tap(rows, columns, e_sums, outs, e_last, true);
    std::vector<double> counts(taps);
    for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t hits = rows.hits(tap / columns.kernel) * columns.hits(tap % columns.kernel);
        counts[tap] = static_cast<double>(images * hits);
    }
    const float alpha = x_scale * e_scale, beta = x_scale * e_offset;
    for (int64_t o = 0; o < outs; ++o)
        for (int64_t i = 0; i < ins; ++i)
            for (int64_t tap = 0; tap < taps; ++tap) {
                const double row = row_sums[tap * ins + i], column = column_sums[tap * outs + o] + zero * counts[tap];
                const int64_t at = (o * ins + i) * taps + tap;
                const float count = static_cast<float>(counts[tap]);
                const float edge = x_offset * (static_cast<float>(column) * e_scale + count * e_offset);
                g[at] = static_cast<float>(acc[at] + zero * row) * alpha + (static_cast<float>(row) * beta + edge);
            }
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
