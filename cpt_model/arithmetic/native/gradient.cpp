// The weight gradient of a layer on codes: exact integers, computed in float32 by fused multiply-adds.
//
// float32 holds whole numbers up to 2^24, so products are summed in float32 over a tile of so few pixels that no sum
// can exceed that, whatever the codes; tiles are added in 32-bit integers over so few images that none overflows, and
// those in float64. Exact sums are the same in any order, so this file may be compiled with fused operations.
#include "gradient.h"

#include <new>

#include "status.h"

namespace {

// Adds, for `Rows` neighbouring values of the input, their products with kOuts channels of the error over a tile.
template <int Rows>
void add_tile(const float* __restrict x, const Steps& step, const float* __restrict e, int64_t height, int64_t width,
              int32_t* __restrict sums) {
    typedef int32_t Words __attribute__((vector_size(4 * kVector)));
    typedef Words StoredWords __attribute__((aligned(4), may_alias));
    Floats low[Rows] = {}, high[Rows] = {};
    for (int64_t y = 0; y < height; ++y) {
        const float* value = x + y * step.row;
        for (int64_t p = 0; p < width; ++p, value += step.column, e += kOuts) {
            const Floats first = *reinterpret_cast<const StoredFloats*>(e);
            const Floats second = *reinterpret_cast<const StoredFloats*>(e + kVector);
#pragma GCC unroll 6
            for (int r = 0; r < Rows; ++r) {
                low[r] += value[r] * first;
                high[r] += value[r] * second;
            }
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) {
        StoredWords* to = reinterpret_cast<StoredWords*>(sums + r * kOuts);
        to[0] += __builtin_convertvector(low[r], Words);
        to[1] += __builtin_convertvector(high[r], Words);
    }
}

using AddTile = void (*)(const float*, const Steps&, const float*, int64_t, int64_t, int32_t*);
constexpr AddTile kAddTile[kRows + 1] = {nullptr,     add_tile<1>, add_tile<2>, add_tile<3>,
                                         add_tile<4>, add_tile<5>, add_tile<6>};

class FloatGradient {
  public:
    static constexpr int64_t kImages = 1;  // that are added together

    // `greatest` bounds the product of two codes; it is at most 2^24.
    FloatGradient(const Layer& l, int64_t greatest, int threads)
        : l_(l),
          tile_(std::min((int64_t{1} << 24) / greatest, kTilePixels)),
          maps_(threads * l.map_values()),
          errors_(threads * l.error_values()) {}

    void add(const float* x, const float* e, int64_t, int thread, int32_t* sums) {
        float *map = &maps_[thread * l_.map_values()], *errors = &errors_[thread * l_.error_values()];
        const auto copy = [](const float* image) {
            return [image](int64_t from, int64_t step, int64_t count, float* to) {
                copy_values(image + from, step, count, to);
            };
        };
        pad(l_.rows, l_.columns, l_.ins, l_.x_at, map, copy(x));
        block(l_, errors, copy(e));
        const Steps step(l_);
        for (int64_t b = 0; b < l_.out_blocks(); ++b)
            each_tile(l_, tile_, b, map, errors, sums,
                      [&](const float* values, const float* tile, int64_t height, int64_t width, int32_t* to) {
                          for (int64_t r = 0; r < l_.row_values(); r += kRows)
                              kAddTile[std::min<int64_t>(kRows, l_.row_values() - r)](values + r, step, tile, height,
                                                                                      width, to + r * kOuts);
                      });
    }

  private:
    Layer l_;
    int64_t tile_;  // pixels
    std::vector<float> maps_, errors_;
};

}  // namespace

extern "C" {

// Σ x·e over images and pixels. `greatest` bounds |x·e|: it is at most 2^24, and below 2^31 for the pixels of an image
// together. Geometry is kernel, stride, padding, size and output size of rows, then of columns.
int32_t cpt_gradient(const float* x, int32_t x_last, const float* e, int32_t e_last, double* gradient, int64_t images,
                     int64_t outs, int64_t ins, const int64_t* geometry, int64_t greatest, int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    const Layer l(outs, ins, geometry, x_last, e_last);
    greatest = std::max<int64_t>(1, greatest);
    sum_images(FloatGradient(l, greatest, threads), l, x, e, gradient, images, greatest, threads);
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
