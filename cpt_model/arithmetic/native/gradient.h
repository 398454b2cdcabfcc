// A weight gradient on codes: what kernels on floats and on bytes share.
//
// Both keep sums in 32-bit integers: (out block, ky, kx and input channel, kOuts).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <omp.h>

#include "maps.h"

constexpr int64_t kTilePixels = 128;  // of both operands, near the processor

struct Layer {
    int64_t outs, ins;
    Window rows, columns;
    Strides x_at, e_at;

    Layer(int64_t outs, int64_t ins, const int64_t* geometry, bool x_last, bool e_last)
        : outs(outs),
          ins(ins),
          rows(Window::of(geometry)),
          columns(Window::of(geometry + 5)),
          x_at(ins, rows.size, columns.size, x_last),
          e_at(outs, rows.out_size, columns.out_size, e_last) {}

    int64_t out_blocks() const { return (outs + kOuts - 1) / kOuts; }
    int64_t pixels() const { return rows.out_size * columns.out_size; }
    int64_t row_values() const { return columns.kernel * ins; }  // that meet one output pixel, side by side in memory
    int64_t map_values() const { return rows.padded() * columns.padded() * ins; }
    int64_t error_values() const { return out_blocks() * pixels() * kOuts; }
    int64_t block_sums() const { return rows.kernel * row_values() * kOuts; }
    int64_t sums() const { return out_blocks() * block_sums(); }
};

// How far apart in memory a map's values are that meet neighbouring pixels of the error.
struct Steps {
    int64_t row, column;
    explicit Steps(const Layer& l)
        : row(l.rows.stride * l.columns.padded() * l.ins), column(l.columns.stride * l.ins) {}
};

// An error by blocks of output channels: (block, y, x, kOuts), zeros behind the last channel. copy is as for `pad`.
template <class Value, class Copy>
void block(const Layer& l, Value* to, Copy copy) {
    const Strides& at = l.e_at;
    for (int64_t first = 0; first < l.outs; first += kOuts) {
        const int64_t there = std::min(kOuts, l.outs - first);
        for (int64_t y = 0; y < l.rows.out_size; ++y)
            for (int64_t x = 0; x < l.columns.out_size; ++x, to += kOuts) {
                copy(y * at.row + x * at.column + first * at.channel, at.channel, there, to);
                std::fill(to + there, to + kOuts, Value{});
            }
    }
}

// Calls add(x, e, height, width, sums) for tiles of at most `pixels` pixels, by kernel row: x is the first of the
// values of the map that meet the tile's first pixel, e that pixel's error, sums where their products go. Tiles are of
// whole rows, or of one.
template <class Value, class Add>
void each_tile(const Layer& l, int64_t pixels, int64_t first_block, const Value* map, const Value* errors,
               int32_t* sums, Add add) {
    const int64_t width = l.columns.out_size, tile_width = std::min(pixels, width);
    const int64_t tile_height = std::max<int64_t>(1, pixels / tile_width);
    errors += first_block * l.pixels() * kOuts;
    sums += first_block * l.block_sums();
    for (int64_t y = 0; y < l.rows.out_size; y += tile_height)
        for (int64_t x = 0; x < width; x += tile_width)
            for (int64_t ky = 0; ky < l.rows.kernel; ++ky)
                add(map + ((y * l.rows.stride + ky) * l.columns.padded() + x * l.columns.stride) * l.ins,
                    errors + (y * width + x) * kOuts, std::min(tile_height, l.rows.out_size - y),
                    std::min(tile_width, width - x), sums + ky * l.row_values() * kOuts);
}

// Adds a thread's sums to the gradient (out, in, ky, kx) and clears them.
inline void flush(const Layer& l, std::vector<int32_t>& sums, double* gradient) {
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

// Σ over images and pixels by kernel.add(x, e, there, thread, sums), which takes Kernel::kImages images, of which
// `there` exist. `greatest` bounds a product: sums of as many as fit 32 bits are kept there, then added in float64.
template <class Kernel>
void sum_images(Kernel kernel, const Layer& l, const float* x, const float* e, double* gradient, int64_t images,
                int64_t greatest, int threads) {
    const int64_t x_size = l.ins * l.rows.size * l.columns.size, e_size = l.outs * l.pixels();
    const int64_t between = INT32_MAX / (greatest * l.pixels() * Kernel::kImages);
    std::fill(gradient, gradient + l.outs * l.ins * l.rows.kernel * l.columns.kernel, 0.0);
    std::vector<std::vector<int32_t>> by_thread(threads, std::vector<int32_t>(l.sums(), 0));
#pragma omp parallel num_threads(threads)
    {
        const int me = omp_get_thread_num();
        int64_t done = 0;
#pragma omp for schedule(static)
        for (int64_t n = 0; n < images; n += Kernel::kImages) {
            kernel.add(x + n * x_size, e + n * e_size, std::min(Kernel::kImages, images - n), me, by_thread[me].data());
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
}
