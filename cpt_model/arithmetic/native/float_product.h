// Products of codes by fused multiply-adds in float32: exact where the caller knows all sums to stay below 2^24.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "product.h"

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

class FloatProduct {
  public:
    // Weights are packed by blocks of result channels: (block, ky, kx and term, kOuts), zeros behind the last channel.
    FloatProduct(const Convolution& c, const float* w, bool channels_last, int threads)
        : c_(c),
          map_size_(c.rows.padded() * c.columns.padded() * c.terms()),
          block_(c.taps() * c.terms() * kOuts),
          weights_((c.results() + kOuts - 1) / kOuts * block_, 0.0f),
          maps_(threads * map_size_) {
        c.each_weight(w, channels_last, [&](int64_t result, int64_t tap, int64_t term, float weight) {
            weights_[result / kOuts * block_ + (tap * c.terms() + term) * kOuts + result % kOuts] = weight;
        });
    }

    // One image of codes, channels last, to accumulators in the same order.
    void image(const float* a, float* y, int thread) {
        float* map = &maps_[thread * map_size_];
        pad(c_.rows, c_.columns, c_.terms(), Strides(c_.terms(), c_.rows.size, c_.columns.size, true), map,
            [&](int64_t from, int64_t step, int64_t count, float* to) { copy_values(a + from, step, count, to); });
        const int64_t terms = c_.terms(), results = c_.results(), width = c_.columns.out_size;
        const int64_t map_row = c_.columns.padded() * terms, pixels = c_.rows.out_size * width;
        for (int64_t first = 0; first < results; first += kOuts)
            for (int64_t p = 0; p < pixels; p += kRows) {
                const int64_t count = std::min<int64_t>(kRows, pixels - p);
                const float* from[kRows];
                float* to[kRows];
                for (int64_t i = 0; i < count; ++i) {
                    const int64_t row = (p + i) / width, column = (p + i) % width;
                    from[i] = map + row * c_.rows.stride * map_row + column * c_.columns.stride * terms;
                    to[i] = y + (p + i) * results + first;
                }
                kMultiply[count](from, map_row, c_.rows.kernel, c_.columns.kernel * terms,
                                 &weights_[first / kOuts * block_], to, std::min(kOuts, results - first));
            }
    }

  private:
    Convolution c_;
    int64_t map_size_, block_;
    std::vector<float> weights_, maps_;
};
