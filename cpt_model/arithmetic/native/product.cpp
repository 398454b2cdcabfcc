// The forward pass of a layer on codes, or its input-error pass at stride 1: exact integers by fused multiply-adds in
// float32, whose sums the caller knows to stay below 2^24. Each image is finished while it is still near the processor.
#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include <omp.h>

#include "finish.h"
#include "maps.h"
#include "status.h"

namespace {

// Weights by blocks of result channels: (block, ky, kx and term channel, kOuts), zeros behind the last channel.
// Transposed, the kernel is turned round.
std::vector<float> pack(const LayerWeights& w, bool transposed) {
    std::vector<float> packed((w.results + kOuts - 1) / kOuts * w.taps * w.terms * kOuts, 0.0f);
    for (int64_t r = 0; r < w.results; ++r) {
        float* to = &packed[r / kOuts * w.taps * w.terms * kOuts + r % kOuts];
        for (int64_t tap = 0; tap < w.taps; ++tap)
            for (int64_t t = 0; t < w.terms; ++t, to += kOuts) *to = w(r, transposed ? w.taps - 1 - tap : tap, t);
    }
    return packed;
}

// kOuts channels of `Pixels` results: y[p] from the map's values at x[p], kernel row by kernel row.
template <int Pixels>
void multiply(const float* const* x, int64_t map_row, int64_t kernel_rows, int64_t row_values,
              const float* __restrict w, float* const* y, int64_t there) {
    Floats low[Pixels] = {}, high[Pixels] = {};
    for (int64_t ky = 0; ky < kernel_rows; ++ky)
        for (int64_t k = ky * map_row; k < ky * map_row + row_values; ++k, w += kOuts) {
            const Floats first = *reinterpret_cast<const StoredFloats*>(w);
            const Floats second = *reinterpret_cast<const StoredFloats*>(w + kVector);
#pragma GCC unroll 6
            for (int p = 0; p < Pixels; ++p) {
                low[p] += x[p][k] * first;
                high[p] += x[p][k] * second;
            }
        }
#pragma GCC unroll 6
    for (int p = 0; p < Pixels; ++p) {
        if (there == kOuts) {
            *reinterpret_cast<StoredFloats*>(y[p]) = low[p];
            *reinterpret_cast<StoredFloats*>(y[p] + kVector) = high[p];
        } else {
            for (int64_t c = 0; c < there; ++c) y[p][c] = c < kVector ? low[p][c] : high[p][c - kVector];
        }
    }
}

using Multiply = void (*)(const float* const*, int64_t, int64_t, int64_t, const float*, float* const*, int64_t);
constexpr Multiply kMultiply[kRows + 1] = {nullptr,     multiply<1>, multiply<2>, multiply<3>,
                                           multiply<4>, multiply<5>, multiply<6>};

// One image: accumulators in (y, x, c) order.
void multiply_image(const Window& rows, const Window& columns, int64_t terms, int64_t results, const float* map,
                    const std::vector<float>& weights, float* y) {
    const int64_t map_row = columns.padded() * terms, row_values = columns.kernel * terms;
    const int64_t pixels = rows.out_size * columns.out_size, block = rows.kernel * row_values * kOuts;
    for (int64_t first = 0; first < results; first += kOuts)
        for (int64_t p = 0; p < pixels; p += kRows) {
            const int64_t count = std::min<int64_t>(kRows, pixels - p);
            const float* from[kRows];
            float* to[kRows];
            for (int64_t i = 0; i < count; ++i) {
                const int64_t row = (p + i) / columns.out_size, column = (p + i) % columns.out_size;
                from[i] = map + row * rows.stride * map_row + column * columns.stride * terms;
                to[i] = y + (p + i) * results + first;
            }
            kMultiply[count](from, map_row, rows.kernel, row_values, &weights[first / kOuts * block], to,
                             std::min(kOuts, results - first));
        }
}

}  // namespace

extern "C" {

// Codes a (channels last) and weights w (out, in, kh, kw) of a layer to its float32 results y (channels last).
// Geometry is the layer's: kernel, stride, padding, size and output size of rows, then of columns; the rest is as
// `Finish` takes it.
int32_t cpt_product(const float* a, const float* w, int32_t w_last, float* y, int64_t images, int64_t outs, int64_t ins,
                    int32_t transposed, const int64_t* geometry, const float* pixels, const float* tap_sums,
                    float a_scale, float a_offset, const float* b_scale, const float* b_offset, float zero,
                    int32_t shift, int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    const auto window = [&](const int64_t* numbers) {
        const Window of = Window::of(numbers);
        return transposed ? Window{of.kernel, 1, of.kernel - 1 - of.padding, of.out_size, of.size} : of;
    };
    const Window rows = window(geometry), columns = window(geometry + 5);
    const int64_t terms = transposed ? outs : ins, results = transposed ? ins : outs;
    const Strides at(terms, rows.size, columns.size, true);
    const std::vector<float> weights =
        pack(LayerWeights(w, w_last, outs, ins, rows.kernel * columns.kernel, transposed), transposed);
    Finish finish(geometry, transposed, results, true, pixels, terms, tap_sums, a_scale, a_offset, b_scale, b_offset,
                  zero, shift, threads);
    const int64_t map_size = rows.padded() * columns.padded() * terms, a_size = terms * rows.size * columns.size;
    std::vector<float> maps(threads * map_size);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t n = 0; n < images; ++n) {
        float *map = &maps[omp_get_thread_num() * map_size], *image = y + n * finish.image_size();
        pad(rows, columns, terms, at, map, [&](int64_t from, int64_t step, int64_t count, float* to) {
            copy_values(a + n * a_size + from, step, count, to);
        });
        multiply_image(rows, columns, terms, results, map, weights, image);
        finish.image(image, n, omp_get_thread_num());
    }
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
