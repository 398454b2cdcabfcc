// The weight gradient of a layer on codes: exact integers, computed in float32 by fused multiply-adds.
//
// float32 holds whole numbers up to 2^24, so products are summed in float32 over a tile of so few pixels that no sum
// can exceed that, whatever the codes; tiles are added in 32-bit integers over so few images that none overflows, and
// those in float64. Sums of exact integers are the same in any order, so this file may be compiled with fused operations.
#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include <omp.h>

#include "maps.h"
#include "status.h"

namespace {

constexpr int64_t kTilePixels = 128;  // of both operands, near the processor

typedef int32_t Words __attribute__((vector_size(4 * kVector)));
typedef Words StoredWords __attribute__((aligned(4), may_alias));

struct Layer {
    int64_t outs, ins;
    Window rows, columns;
    int64_t out_blocks() const { return (outs + kOuts - 1) / kOuts; }
    int64_t pixels() const { return rows.out_size * columns.out_size; }
    int64_t row_values() const { return columns.kernel * ins; }  // that meet one output pixel, side by side in memory
    int64_t map_values() const { return rows.padded() * columns.padded() * ins; }
    int64_t sums() const { return out_blocks() * rows.kernel * row_values() * kOuts; }
};

// An image of the error, by blocks of output channels: (block, y, x, kOuts), zeros behind the last channel.
void block(const Layer& l, const float* e, const Strides& at, float* to) {
    for (int64_t first = 0; first < l.outs; first += kOuts) {
        const int64_t there = std::min(kOuts, l.outs - first);
        for (int64_t y = 0; y < l.rows.out_size; ++y)
            for (int64_t x = 0; x < l.columns.out_size; ++x, to += kOuts) {
                const float* from = e + y * at.row + x * at.column + first * at.channel;
                if (at.channel == 1 && there == kOuts) {
                    std::memcpy(to, from, sizeof(float) * kOuts);
                } else {
                    for (int64_t c = 0; c < there; ++c) to[c] = from[c * at.channel];
                    std::fill(to + there, to + kOuts, 0.0f);
                }
            }
    }
}

// Adds, for `Rows` neighbouring values of the input, their products with kOuts channels of the error over a tile.
template <int Rows>
void add_tile(const float* __restrict x, int64_t x_row, int64_t x_step, const float* __restrict e, int64_t height,
              int64_t width, int32_t* __restrict sums) {
    Floats low[Rows] = {}, high[Rows] = {};
    for (int64_t y = 0; y < height; ++y) {
        const float* value = x + y * x_row;
        for (int64_t p = 0; p < width; ++p, value += x_step, e += kOuts) {
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

using AddTile = void (*)(const float*, int64_t, int64_t, const float*, int64_t, int64_t, int32_t*);
constexpr AddTile kAddTile[kRows + 1] = {nullptr,     add_tile<1>, add_tile<2>, add_tile<3>,
                                         add_tile<4>, add_tile<5>, add_tile<6>};

// One image: sums (out block, ky, kx and input channel, kOuts).
void add_image(const Layer& l, const float* x, const float* e, int64_t tile_height, int64_t tile_width, int32_t* sums) {
    const int64_t values = l.row_values(), map_row = l.columns.padded() * l.ins, width = l.columns.out_size;
    for (int64_t b = 0; b < l.out_blocks(); ++b)
        for (int64_t y = 0; y < l.rows.out_size; y += tile_height)
            for (int64_t column = 0; column < width; column += tile_width) {
                const int64_t height = std::min(tile_height, l.rows.out_size - y);
                const int64_t across = std::min(tile_width, width - column);
                const float* errors = e + ((b * l.rows.out_size + y) * width + column) * kOuts;
                for (int64_t ky = 0; ky < l.rows.kernel; ++ky) {
                    const float* map = x + (y * l.rows.stride + ky) * map_row + column * l.columns.stride * l.ins;
                    int32_t* to = sums + (b * l.rows.kernel + ky) * values * kOuts;
                    for (int64_t r = 0; r < values; r += kRows)
                        kAddTile[std::min<int64_t>(kRows, values - r)](map + r, l.rows.stride * map_row,
                                                                       l.columns.stride * l.ins, errors, height, across,
                                                                       to + r * kOuts);
                }
            }
}

// Adds a thread's sums to the gradient (out, in, ky, kx) and clears them.
void flush(const Layer& l, std::vector<int32_t>& sums, double* gradient) {
    const int64_t kw = l.columns.kernel, taps = l.rows.kernel * kw;
    for (int64_t o = 0; o < l.outs; ++o)
        for (int64_t ky = 0; ky < l.rows.kernel; ++ky) {
            const int32_t* from = &sums[((o / kOuts * l.rows.kernel + ky) * l.row_values()) * kOuts + o % kOuts];
            for (int64_t kx = 0; kx < kw; ++kx)
                for (int64_t i = 0; i < l.ins; ++i)
                    gradient[(o * l.ins + i) * taps + ky * kw + kx] += from[(kx * l.ins + i) * kOuts];
        }
    std::fill(sums.begin(), sums.end(), 0);
}

}  // namespace

extern "C" {

// Σ x·e over images and pixels. `greatest` bounds |x·e|: it is at most 2^24, and below 2^31 for the pixels of an image
// together. Geometry is kernel, stride, padding, size and output size of rows, then of columns.
int32_t cpt_gradient(const float* x, int32_t x_last, const float* e, int32_t e_last, double* gradient, int64_t images,
                     int64_t outs, int64_t ins, const int64_t* geometry, int64_t greatest, int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    const Layer l{outs, ins, Window::of(geometry), Window::of(geometry + 5)};
    const Strides x_at(ins, l.rows.size, l.columns.size, x_last);
    const Strides e_at(outs, l.rows.out_size, l.columns.out_size, e_last);
    const int64_t most = std::max<int64_t>(1, greatest), exact = std::min((int64_t{1} << 24) / most, kTilePixels);
    const int64_t tile_width = std::min(exact, l.columns.out_size);
    const int64_t tile_height = std::max<int64_t>(1, exact / tile_width);
    const int64_t between = INT32_MAX / (most * l.pixels());  // images
    std::fill(gradient, gradient + outs * ins * l.rows.kernel * l.columns.kernel, 0.0);
    const int64_t x_size = l.map_values(), e_size = l.out_blocks() * l.pixels() * kOuts;
    std::vector<float> maps(threads * x_size), errors(threads * e_size);
    std::vector<std::vector<int32_t>> by_thread(threads, std::vector<int32_t>(l.sums(), 0));
#pragma omp parallel num_threads(threads)
    {
        const int me = omp_get_thread_num();
        float *map = &maps[me * x_size], *error = &errors[me * e_size];
        int64_t done = 0;
#pragma omp for schedule(static)
        for (int64_t n = 0; n < images; ++n) {
            pad(l.rows, l.columns, ins, x + n * ins * l.rows.size * l.columns.size, x_at, map);
            block(l, e + n * outs * l.pixels(), e_at, error);
            add_image(l, map, error, tile_height, tile_width, by_thread[me].data());
            if (++done % between == 0) {
#pragma omp critical
                flush(l, by_thread[me], gradient);
            }
        }
        if (done % between) {
#pragma omp critical
            flush(l, by_thread[me], gradient);
        }
    }
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
