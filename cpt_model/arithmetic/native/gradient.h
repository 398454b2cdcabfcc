// A weight gradient on codes: what kernels on floats and on bytes share.
//
// Both keep sums in 32-bit integers: (out block, ky, kx and input channel, kOuts).
#pragma once

#include <algorithm>
#include <cstdint>

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

// Calls add(x, e, height, width, sums) for tiles of at most `pixels` pixels, by kernel row: x is the first of the values
// of the map that meet the tile's first pixel, e that pixel's error, sums where their products go. Tiles are of whole
// rows, or of one.
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
