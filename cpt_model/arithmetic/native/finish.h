// Accumulators of a forward or input-error pass to float32 results, image by image.
// Files with and without fused multiply-adds include this: nothing here multiplies floats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "maps.h"

// One axis of a convolution: out·stride + tap − padding = in. The pass reads `in` for `out`, or transposed the reverse.
struct Axis : Window {
    bool transposed;
    std::vector<std::vector<std::pair<int64_t, int64_t>>> reads;  // by index of the result: (tap, index read)

    Axis(const int64_t* numbers, bool transposed)
        : Window(Window::of(numbers)), transposed(transposed), reads(results()) {
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

// Half to even, to a multiple of what the last bit of an accumulator plus `rounder` is worth; 0 leaves it as it is.
template <class FloatOrVector>
FloatOrVector rounded(FloatOrVector accumulator, float rounder) {
    return rounder ? (accumulator + rounder) - rounder : accumulator;
}

// What finishes the pixels of an image: y = rounded(acc + from_zero)·alpha + (row·beta + border). row is by pixel, the
// others by channel; a pixel's from_zero and border begin at its kind. kOuts channels can be read wherever one begins.
struct PixelTerms {
    const float *row, *alpha, *beta, *from_zero, *border;
    const int64_t* kind;
    float rounder;
};

// y = acc·(sA·sB) + ( rowsum·(sA·mB) + mA·( colsum·sB + count·mB ) ), from accumulators and sums of codes minus `zero`
class Finish {
  public:
    // geometry: kernel, stride, padding, size and output size of rows, then of columns. `pixels` are sums of A's codes
    // over channels, `terms` how many channels those are, `tap_sums` sums of B's codes by tap and output channel of the
    // pass, scale and offset of B by such channel. Accumulators, with `zero` put back, are rounded to multiples of
    // 2^shift; if there is a shift, to less than 2^15 of them.
    Finish(const int64_t* geometry, bool transposed, int64_t channels, bool channels_last, const float* pixels,
           float terms, const float* tap_sums, float a_scale, float a_offset, const float* b_scale,
           const float* b_offset, float zero, int32_t shift, int threads);

    // In place; n is the image's number in the batch.
    void image(float* y, int64_t n, int thread);

    // The same for those who do it themselves; valid until the thread asks for another image.
    PixelTerms terms(int64_t n, int thread);

    int64_t image_size() const { return channels_ * count_; }

  private:
    Axis rows_, columns_;
    int64_t channels_, count_;  // count: pixels of a result
    float rounder_;
    bool channels_last_;
    const float* pixels_;
    std::vector<float> alpha_, beta_;              // by channel
    std::vector<float> from_zero_, border_;        // by kind of pixel and channel
    std::vector<int64_t> kind_;                    // where a pixel's terms begin
    std::vector<float> row_from_zero_;             // by pixel
    std::vector<float> partials_, row_sums_;       // scratch, by thread
};
