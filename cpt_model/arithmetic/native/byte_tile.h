// The inner loops of weight gradients on bytes: each 32-bit word holds one element of four images.
#pragma once

#include "bytes.h"
#ifdef CPT_BYTES

#include "gradient.h"

// Adds, for `Rows` neighbouring values of the input, of which `rows` are wanted, their products with `Blocks` blocks of
// the error's channels over a tile. The next block's errors and sums lie e_block and sums_block away.
template <int Blocks, int Rows, bool Signed>
void add_tile(const int32_t* __restrict x, const Steps& step, const int32_t* __restrict e, int64_t e_block,
              int64_t height, int64_t width, int32_t* __restrict sums, int64_t sums_block, int64_t rows) {
    constexpr int kVectors = kOuts / kLanes;
    Lanes added[Rows][Blocks * kVectors] = {};
    for (int64_t y = 0; y < height; ++y) {
        const int32_t* value = x + y * step.row;
        for (int64_t p = 0; p < width; ++p, value += step.column, e += kOuts) {
            Lanes errors[Blocks * kVectors];
            for (int v = 0; v < Blocks * kVectors; ++v)
                errors[v] = load(e + v / kVectors * e_block + v % kVectors * kLanes);
#pragma GCC unroll 16
            for (int r = 0; r < Rows; ++r) {
                const Lanes four = Lanes{} + value[r];
                for (int v = 0; v < Blocks * kVectors; ++v)
                    added[r][v] = Signed ? dot(added[r][v], errors[v], four) : dot(added[r][v], four, errors[v]);
            }
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
        if (r == rows) break;
        for (int v = 0; v < Blocks * kVectors; ++v)
            *reinterpret_cast<StoredLanes*>(sums + v / kVectors * sums_block + r * kOuts + v % kVectors * kLanes) +=
                added[r][v];
    }
}

template <int Blocks, bool Signed>
void add_blocks(const Layer& l, int64_t first, const int32_t* map, const int32_t* errors, int32_t* sums) {
    constexpr int kValues = std::max<int>(1, kSums * kLanes / (Blocks * kOuts));
    const Steps step(l);
    const int64_t values = l.row_values();
    each_tile(l, kTilePixels, first, map, errors, sums,
              [&](const int32_t* x, const int32_t* e, int64_t height, int64_t width, int32_t* to) {
                  for (int64_t r = 0; r < values; r += kValues)
                      add_tile<Blocks, kValues, Signed>(x + r, step, e, l.pixels() * kOuts, height, width,
                                                        to + r * kOuts, l.block_sums(), values - r);
              });
}

// Adds the products of a map, signed or not, with all errors, of the other kind.
template <bool Signed>
void add_products(const Layer& l, const int32_t* map, const int32_t* errors, int32_t* sums) {
    int64_t b = 0;
    for (; b + 2 <= l.out_blocks(); b += 2) add_blocks<2, Signed>(l, b, map, errors, sums);
    if (b < l.out_blocks()) add_blocks<1, Signed>(l, b, map, errors, sums);
}

#endif
