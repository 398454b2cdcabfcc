// What products on codes share: images with their padding, weights, and vectors of results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

constexpr int kVector = 8;
constexpr int64_t kOuts = 2 * kVector;  // result channels at a time
constexpr int kRows = 6;                // by as many pixels, or values: 2 · kRows sums and 3 operands fit 16 registers
static_assert(kRows == 6, "tables and unrolled loops are written for 6");

typedef float Floats __attribute__((vector_size(4 * kVector)));
typedef Floats StoredFloats __attribute__((aligned(4), may_alias));

// One axis of a convolution: result · stride + tap − padding = place in the map.
struct Window {
    int64_t kernel, stride, padding, size, out_size;
    // As geometry has them, for rows and then for columns.
    static Window of(const int64_t* numbers) {
        return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    }
    // What the taps of all results touch, padding included.
    int64_t padded() const { return (out_size - 1) * stride + kernel; }
    bool reads_all_in_turn() const { return kernel == 1 && stride == 1 && padding == 0; }
};

// Where element (c, y, x) of an image lies.
struct Strides {
    int64_t channel, row, column;
    Strides(int64_t channels, int64_t height, int64_t width, bool channels_last)
        : channel(channels_last ? 1 : height * width),
          row(channels_last ? width * channels : width),
          column(channels_last ? channels : 1) {}
};

// An image in (y, x, c) order with its padding, 0. copy(from, step, count, to) makes `count` values of those at `from`,
// `from + step`, ... of the image.
template <class Value, class Copy>
void pad(const Window& rows, const Window& columns, int64_t channels, const Strides& at, Value* to, Copy copy) {
    const int64_t width = columns.padded();
    const int64_t begin = std::min(width, columns.padding);
    const int64_t end = std::max(begin, std::min(width, columns.padding + columns.size));
    for (int64_t y = 0; y < rows.padded(); ++y, to += width * channels) {
        const int64_t from_y = y - rows.padding;
        if (from_y < 0 || from_y >= rows.size) {
            std::fill(to, to + width * channels, Value{});
            continue;
        }
        std::fill(to, to + begin * channels, Value{});
        std::fill(to + end * channels, to + width * channels, Value{});
        const int64_t line = from_y * at.row - columns.padding * at.column;
        if (at.channel == 1) {
            copy(line + begin * at.column, 1, (end - begin) * channels, to + begin * channels);
        } else {
            for (int64_t column = begin; column < end; ++column)
                copy(line + column * at.column, at.channel, channels, to + column * channels);
        }
    }
}

inline void copy_values(const float* from, int64_t step, int64_t count, float* to) {
    if (step == 1)
        std::copy(from, from + count, to);
    else
        for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
}

// Weights (out, in, tap), or (out, tap, in) if channels come last, as a pass reads them: its results are the layer's
// outputs, its terms the inputs; transposed the reverse.
struct LayerWeights {
    int64_t results, terms, taps;

    LayerWeights(const float* w, bool channels_last, int64_t outs, int64_t ins, int64_t taps, bool transposed)
        : results(outs), terms(ins), taps(taps), w_(w), tap_step_(channels_last ? ins : 1) {
        result_step_ = ins * taps;
        term_step_ = channels_last ? 1 : taps;
        if (transposed) {
            std::swap(results, terms);
            std::swap(result_step_, term_step_);
        }
    }

    float operator()(int64_t result, int64_t tap, int64_t term) const {
        return w_[result * result_step_ + tap * tap_step_ + term * term_step_];
    }

  private:
    const float* w_;
    int64_t tap_step_, result_step_, term_step_;
};
