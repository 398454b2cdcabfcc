// The element-wise work of a quantised layer, one pass over memory each: range, codes, and accumulators to float32.
// The arithmetic is the contract's (sim/CONTRACT.md, section 10): IEEE float32, one rounding each, no fused
// multiply-add (-ffp-contract=off). Sums of codes are integers: below 2^24 where float32 holds them, else float64 does.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace {

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

// One image in channels-last order: the inner loop runs over channels.
template <bool Stochastic>
void codes_channels_last(const Quantiser& f, const float* x, float* q, int64_t image, int64_t channels, int64_t pixels,
                         float* pixel_sums, float* map, float* squares) {
    for (int64_t p = 0; p < pixels; ++p) {
        const float* in = x + p * channels;
        float* out = q + p * channels;
        const uint32_t first = static_cast<uint32_t>(image * channels * pixels + p);
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t c = 0; c < channels; ++c) {
            const uint32_t element = first + static_cast<uint32_t>(c) * static_cast<uint32_t>(pixels);
            const float code = Stochastic ? f.stochastic(in[c], element) : f.nearest(in[c]);
            out[c] = code;
            sum += code;
            map[p * channels + c] += code;
            squares[c] += code * code;
        }
        pixel_sums[p] = sum;
    }
}

// One image in (c, h, w) order: the inner loop runs over pixels.
template <bool Stochastic>
void codes_channels_first(const Quantiser& f, const float* x, float* q, int64_t image, int64_t channels, int64_t pixels,
                          float* pixel_sums, float* map, float* squares) {
    std::memset(pixel_sums, 0, sizeof(float) * pixels);
    for (int64_t c = 0; c < channels; ++c) {
        const int64_t row = c * pixels;
        const uint32_t first = static_cast<uint32_t>((image * channels + c) * pixels);
        float square = 0;
#pragma omp simd reduction(+ : square)
        for (int64_t p = 0; p < pixels; ++p) {
            const float code = Stochastic ? f.stochastic(x[row + p], first + static_cast<uint32_t>(p)) : f.nearest(x[row + p]);
            q[row + p] = code;
            pixel_sums[p] += code;
            map[row + p] += code;
            square += code * code;
        }
        squares[c] += square;
    }
}

// One axis of a convolution: for each index of the pass's result, the taps that fall on a stored index, and which.
struct Axis {
    std::vector<std::vector<std::pair<int64_t, int64_t>>> reads;

    Axis(int64_t kernel, int64_t stride, int64_t padding, int64_t size, int64_t out_size, bool transposed)
        : reads(transposed ? size : out_size) {
        for (int64_t out = 0; out < out_size; ++out)
            for (int64_t tap = 0; tap < kernel; ++tap) {
                const int64_t in = out * stride + tap - padding;
                if (in < 0 || in >= size) continue;
                if (transposed)
                    reads[in].emplace_back(tap, out);
                else
                    reads[out].emplace_back(tap, in);
            }
    }
};

}  // namespace

extern "C" {

// Least and greatest value; returns 0 when every value is finite.
int32_t cpt_range(const float* x, int64_t count, int32_t threads, float* low, float* high) {
    float least = x[0], greatest = x[0];
    uint32_t bad = 0;
#pragma omp parallel for simd num_threads(threads) reduction(min : least) reduction(max : greatest) reduction(| : bad)
    for (int64_t i = 0; i < count; ++i) {
        uint32_t pattern;
        std::memcpy(&pattern, x + i, sizeof pattern);
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
        bad |= (pattern & 0x7F800000u) == 0x7F800000u;
    }
    *low = least;
    *high = greatest;
    return static_cast<int32_t>(bad);
}

// Codes minus `zero`, and their sums: by pixel over channels, by element over the batch, squares by image and channel.
void cpt_codes(const float* x, float* q, int64_t images, int64_t channels, int64_t pixels, int32_t channels_last,
               float low, float scale, float levels, float zero, int32_t stochastic, uint32_t key_0, uint32_t key_1,
               float* pixel_sums, float* map, float* squares, int32_t threads) {
    const Quantiser f{low, scale, levels, zero, key_0, key_1};
    const int64_t size = channels * pixels;
    const auto run = channels_last ? (stochastic ? codes_channels_last<true> : codes_channels_last<false>)
                                   : (stochastic ? codes_channels_first<true> : codes_channels_first<false>);
    std::memset(map, 0, sizeof(float) * size);
    std::memset(squares, 0, sizeof(float) * images * channels);
#pragma omp parallel num_threads(threads)
    {
        std::vector<float> mine(size, 0.0f);
#pragma omp for schedule(static)
        for (int64_t n = 0; n < images; ++n) {
            run(f, x + n * size, q + n * size, n, channels, pixels, pixel_sums + n * pixels, mine.data(), squares + n * channels);
        }
#pragma omp critical
        for (int64_t i = 0; i < size; ++i) map[i] += mine[i];
    }
}

// Weights (out, in, taps) to signed codes with a range for each output channel, or each input channel, of the layer.
// Also their sums by tap and channel of the pass, and the greatest sum of magnitudes: wide codes exceed float32's 2^24.
// Returns 0, or 1 if a range is not finite.
int32_t cpt_weights(const float* w, float* q, int64_t outs, int64_t ins, int64_t taps, int32_t by_input, float levels,
                    float centre, float* scale, float* offset, double* tap_sums, double* greatest) {
    const int64_t channels = by_input ? ins : outs, others = by_input ? outs : ins;
    const int64_t step = (by_input ? ins : 1) * taps, start = (by_input ? 1 : ins) * taps;
    *greatest = 0;
    for (int64_t c = 0; c < channels; ++c) {
        const float* from = w + c * start;
        float low = from[0], high = from[0];
        bool finite = true;
        for (int64_t k = 0; k < others; ++k)
            for (int64_t t = 0; t < taps; ++t) {
                const float value = from[k * step + t];
                low = value < low ? value : low;
                high = value > high ? value : high;
                finite &= std::isfinite(value);
            }
        scale[c] = std::fmax((high - low) / levels, 0x1p-126f);
        offset[c] = low + centre * scale[c];
        if (!finite || !std::isfinite(scale[c])) return 1;
        const Quantiser f{low, scale[c], levels, centre, 0, 0};
        for (int64_t t = 0; t < taps; ++t) tap_sums[t * channels + c] = 0;
        double magnitude = 0;
        for (int64_t k = 0; k < others; ++k)
            for (int64_t t = 0; t < taps; ++t) {
                const float code = f.nearest(from[k * step + t]);
                q[c * start + k * step + t] = code;
                tap_sums[t * channels + c] += code;
                magnitude += std::fabs(code);
            }
        *greatest = magnitude > *greatest ? magnitude : *greatest;
    }
    return 0;
}

// A CONV pass's accumulators (of codes minus `zero`) to float32, in place:
//     y = acc·(sA·sB) + ( rowsum·(sA·mB) + mA·( colsum·sB + count·mB ) )
// geometry: kernel, stride, padding, size and output size of rows, then of columns. `pixels` are sums of A's codes over
// channels, `terms` how many channels those are, `tap_sums` sums of B's codes by tap and output channel of the pass.
void cpt_finish(float* y, int64_t images, int64_t channels, int32_t channels_last, int32_t transposed,
                const int64_t* geometry, const float* pixels, float terms, const float* tap_sums, float a_scale,
                float a_offset, const float* b_scale, const float* b_offset, float zero, int32_t threads) {
    const int64_t* g = geometry;
    const Axis rows(g[0], g[1], g[2], g[3], g[4], transposed), columns(g[5], g[6], g[7], g[8], g[9], transposed);
    const int64_t kernel_w = g[5], height = rows.reads.size(), width = columns.reads.size();
    const int64_t in_height = transposed ? g[4] : g[3], in_width = transposed ? g[9] : g[8];
    const int64_t count = height * width, size = channels * count;
    std::vector<float> alpha(channels), beta(channels), shift(size), border(size), row_shift(count);
    for (int64_t c = 0; c < channels; ++c) {
        alpha[c] = a_scale * b_scale[c];
        beta[c] = a_scale * b_offset[c];
    }
    std::vector<float> column_sums(channels);
    for (int64_t p = 0; p < count; ++p) {
        const auto& ys = rows.reads[p / width];
        const auto& xs = columns.reads[p % width];
        const float taps_inside = terms * static_cast<float>(ys.size() * xs.size());
        std::fill(column_sums.begin(), column_sums.end(), 0.0f);
        for (const auto& [ky, row] : ys)
            for (const auto& [kx, column] : xs)
                for (int64_t c = 0; c < channels; ++c) column_sums[c] += tap_sums[(ky * kernel_w + kx) * channels + c];
        row_shift[p] = zero * taps_inside;
        for (int64_t c = 0; c < channels; ++c) {
            const int64_t at = channels_last ? p * channels + c : c * count + p;
            shift[at] = zero * column_sums[c];
            border[at] = a_offset * (column_sums[c] * b_scale[c] + taps_inside * b_offset[c]);
        }
    }
#pragma omp parallel num_threads(threads)
    {
        std::vector<float> partial(in_width), row(count);
#pragma omp for schedule(static)
        for (int64_t n = 0; n < images; ++n) {
            const float* sums = pixels + n * in_height * in_width;
            for (int64_t h = 0; h < height; ++h) {
                std::fill(partial.begin(), partial.end(), 0.0f);
                for (const auto& [tap, in] : rows.reads[h])
                    for (int64_t w = 0; w < in_width; ++w) partial[w] += sums[in * in_width + w];
                for (int64_t w = 0; w < width; ++w) {
                    float sum = row_shift[h * width + w];
                    for (const auto& [tap, in] : columns.reads[w]) sum += partial[in];
                    row[h * width + w] = sum;
                }
            }
            float* image = y + n * size;
            if (channels_last) {
                for (int64_t p = 0; p < count; ++p) {
                    const int64_t at = p * channels;
#pragma omp simd
                    for (int64_t c = 0; c < channels; ++c)
                        image[at + c] = (image[at + c] + shift[at + c]) * alpha[c] + (row[p] * beta[c] + border[at + c]);
                }
            } else {
                for (int64_t c = 0; c < channels; ++c) {
                    const int64_t at = c * count;
#pragma omp simd
                    for (int64_t p = 0; p < count; ++p)
                        image[at + p] = (image[at + p] + shift[at + p]) * alpha[c] + (row[p] * beta[c] + border[at + p]);
                }
            }
        }
    }
}
}
