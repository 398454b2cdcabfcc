// The forward or input-error pass of a layer on narrow codes, as dot products of bytes; results are finished while they
// are in registers.
//
// A code plus `lift` is an unsigned byte, the padding's 0 too: so each sum is too great by lift · Σ of the weights in
// it, the same for all pixels of a phase, and starts from minus that. Weights are signed bytes.
#include "bytes.h"
#ifdef CPT_BYTES

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include <omp.h>

#include "finish.h"
#include "maps.h"
#include "phases.h"
#include "status.h"

namespace {

constexpr int64_t kBlock = 2 * kLanes;  // result channels at a time

// Pixels of a result that are computed together, `pixels` of them wanted, and channels, from `channel` to the last.
struct Place {
    int64_t pixel, step, pixels, channel, channels;
};

// `Vectors` vectors of channels for `Pixels` pixels. `offsets` says where in the map each four terms of the first pixel
// are; the next pixel's lie beside them.
template <int Vectors, int Pixels>
void multiply(const int32_t* map, const std::vector<int64_t>& offsets, const int32_t* __restrict w,
              const int32_t* start, const PixelTerms& terms, const Place& at, float* y) {
    Lanes sums[Pixels][Vectors];
    for (int v = 0; v < Vectors; ++v)
#pragma GCC unroll 16
        for (int p = 0; p < Pixels; ++p) sums[p][v] = load(start + v * kLanes);
    for (const int64_t offset : offsets) {
        Lanes weights[Vectors];
        for (int v = 0; v < Vectors; ++v, w += kLanes) weights[v] = load(w);
#pragma GCC unroll 16
        for (int p = 0; p < Pixels; ++p) {
            const Lanes four = Lanes{} + map[offset + p];
            for (int v = 0; v < Vectors; ++v) sums[p][v] = dot(sums[p][v], four, weights[v]);
        }
    }
    const auto finish = [&](Lanes sum, int p, int v) {
        const int64_t pixel = at.pixel + p * at.step, c = at.channel + v * kLanes, kind = terms.kind[pixel] + c;
        const FloatLanes accumulator = __builtin_convertvector(sum, FloatLanes) + load(terms.from_zero + kind);
        return rounded(accumulator, terms.rounder) * load(terms.alpha + c) +
               (terms.row[pixel] * load(terms.beta + c) + load(terms.border + kind));
    };
    y += at.pixel * at.channels + at.channel;
    if (at.pixels >= Pixels && at.channel + Vectors * kLanes <= at.channels) {
#pragma GCC unroll 16
        for (int p = 0; p < Pixels; ++p, y += at.step * at.channels)
            for (int v = 0; v < Vectors; ++v)
                *reinterpret_cast<StoredFloatLanes*>(y + v * kLanes) = finish(sums[p][v], p, v);
        return;
    }
#pragma GCC unroll 16
    for (int p = 0; p < Pixels; ++p, y += at.step * at.channels) {
        if (p >= at.pixels) continue;
        for (int v = 0; v < Vectors; ++v) {
            const FloatLanes made = finish(sums[p][v], p, v);
            const int64_t there = std::min<int64_t>(kLanes, at.channels - at.channel - v * kLanes);
            if (there > 0) std::memcpy(y + v * kLanes, &made, sizeof(float) * there);
        }
    }
}

class ByteProduct {
  public:
    ByteProduct(const Window& rows, const Window& columns, bool transposed, const LayerWeights& w, int32_t lift,
                int threads)
        : rows_(rows, transposed),
          columns_(columns, transposed),
          width_(transposed ? columns.size : columns.out_size),
          terms_(w.terms),
          results_(w.results),
          lift_(lift),
          quads_((w.terms + 3) / 4),
          group_((columns_.padded + columns_.place_step - 1) / columns_.place_step),
          map_row_(quads_ * columns_.place_step * group_),
          map_size_(rows_.padded * map_row_ + kSums),  // the last pixels together read so far at most
          maps_(threads * map_size_, 0) {
        for (const Phase& row : rows_.all)
            for (const Phase& column : columns_.all) parts_.push_back(part(row, column, columns.kernel, w));
    }

    // One image of codes to results, both with channels last.
    void image(const float* a, const PixelTerms& terms, float* y, int thread) {
        int32_t* map = &maps_[thread * map_size_];
        fill(a, map);
        for (const Part& part : parts_)
            for (int64_t first = 0; first < results_; first += kBlock) {
                if (results_ - first > kLanes)
                    multiply_rows<2, kSums / 2>(part, map, first, terms, y);
                else if (part.columns.count > kSums / 2)
                    multiply_rows<1, kSums>(part, map, first, terms, y);
                else
                    multiply_rows<1, kSums / 2>(part, map, first, terms, y);
            }
    }

  private:
    // Weights by blocks of result channels: (block, ky, kx and four terms, channel of the block, term), zeros behind
    // the last term and the last channel.
    struct Part {
        const Phase &rows, &columns;
        std::vector<int64_t> offsets;
        std::vector<int32_t> start, weights;
    };

    Part part(const Phase& rows, const Phase& columns, int64_t kernel_width, const LayerWeights& w) const {
        const int64_t channels = (results_ + kLanes - 1) / kLanes * kLanes;
        const int64_t count = rows.reads.size() * columns.reads.size() * quads_;
        Part made{rows, columns, {}, std::vector<int32_t>(channels, 0), std::vector<int32_t>(channels * count, 0)};
        int8_t* bytes = reinterpret_cast<int8_t*>(made.weights.data());
        for (const auto& row : rows.reads)
            for (const auto& column : columns.reads) {
                const int64_t quad = made.offsets.size(), tap = row.tap * kernel_width + column.tap;
                for (int64_t q = 0; q < quads_; ++q)
                    made.offsets.push_back(row.place * map_row_ + place(q, column.place));
                for (int64_t r = 0; r < results_; ++r) {
                    const int64_t first = r / kBlock * kBlock, block = std::min(kBlock, channels - first);
                    int8_t* to = bytes + 4 * (first * count + quad * block + r - first);
                    for (int64_t t = 0; t < terms_; ++t) {
                        const int8_t weight = static_cast<int8_t>(w(r, tap, t));
                        to[t / 4 * block * 4 + t % 4] = weight;
                        made.start[r] -= lift_ * weight;
                    }
                }
            }
        return made;
    }

    // Where four terms of a column lie in a row of the map: the columns that one tap reads for neighbouring results are
    // neighbours.
    int64_t place(int64_t quad, int64_t column) const {
        const int64_t step = columns_.place_step;
        return (quad * step + column % step) * group_ + column / step;
    }

    template <int Vectors, int Pixels>
    void multiply_rows(const Part& part, const int32_t* map, int64_t first, const PixelTerms& terms, float* y) const {
        const int32_t* w = part.weights.data() + first * part.offsets.size();
        for (int64_t row = 0; row < part.rows.count; ++row) {
            const int64_t pixel = (part.rows.first + row * rows_.result_step) * width_ + part.columns.first;
            const int32_t* line = map + row * rows_.place_step * map_row_;
            for (int64_t x = 0; x < part.columns.count; x += Pixels)
                multiply<Vectors, Pixels>(line + x, part.offsets, w, &part.start[first], terms,
                                          {pixel + x * columns_.result_step, columns_.result_step,
                                           part.columns.count - x, first, results_},
                                          y);
        }
    }

    // The padded map, as bytes: (y, four terms, x, term).
    void fill(const float* a, int32_t* map) const {
        const int64_t begin = std::min(columns_.padded, columns_.before);
        const int64_t end = std::max(begin, std::min(columns_.padded, columns_.before + columns_.size));
        const int32_t zeros = static_cast<int32_t>(lift_ * 0x01010101u);
        for (int64_t y = 0; y < rows_.padded; ++y, map += map_row_) {
            const int64_t from_y = y - rows_.before;
            if (from_y < 0 || from_y >= rows_.size) {
                std::fill(map, map + map_row_, zeros);
                continue;
            }
            for (int64_t quad = 0; quad < quads_; ++quad) {
                for (int64_t x = 0; x < begin; ++x) map[place(quad, x)] = zeros;
                for (int64_t x = end; x < columns_.padded; ++x) map[place(quad, x)] = zeros;
            }
            for (int64_t x = begin; x < end; ++x)
                fill_pixel(a + (from_y * columns_.size + x - columns_.before) * terms_, map + place(0, x));
        }
    }

    void fill_pixel(const float* a, int32_t* to) const {
        typedef uint8_t Bytes __attribute__((vector_size(kLanes)));
        const int64_t step = columns_.place_step * group_;
        int64_t t = 0;
        for (; t + kLanes <= terms_; t += kLanes) {
            const Bytes bytes = __builtin_convertvector(__builtin_convertvector(load(a + t), Lanes) + lift_, Bytes);
            for (int quad = 0; quad < kLanes / 4; ++quad, to += step)
                std::memcpy(to, reinterpret_cast<const char*>(&bytes) + 4 * quad, 4);
        }
        for (; t < terms_; t += 4, to += step) {
            uint8_t four[4] = {};
            for (int64_t i = 0; i < std::min<int64_t>(4, terms_ - t); ++i)
                four[i] = static_cast<uint8_t>(static_cast<int32_t>(a[t + i]) + lift_);
            std::memcpy(to, four, 4);
        }
    }

    Phases rows_, columns_;
    int64_t width_, terms_, results_;
    int32_t lift_;
    int64_t quads_, group_;  // quads: fours of terms; group: columns that one tap can read
    int64_t map_row_, map_size_;
    std::vector<int32_t> maps_;
    std::vector<Part> parts_;
};

}  // namespace

extern "C" {

// As cpt_product, but a + lift are unsigned bytes, w signed ones, and any stride will do.
int32_t cpt_byte_product(const float* a, const float* w, int32_t w_last, float* y, int64_t images, int64_t outs,
                         int64_t ins, int32_t transposed, const int64_t* geometry, const float* pixels,
                         const float* tap_sums, float a_scale, float a_offset, const float* b_scale,
                         const float* b_offset, float zero, int32_t shift, int32_t lift, int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    Window rows = Window::of(geometry), columns = Window::of(geometry + 5);
    const LayerWeights weights(w, w_last, outs, ins, rows.kernel * columns.kernel, transposed);
    Finish finish(geometry, transposed, weights.results, true, pixels, weights.terms, tap_sums, a_scale, a_offset,
                  b_scale, b_offset, zero, shift, threads);
    const int64_t a_size =
        weights.terms * (transposed ? rows.out_size * columns.out_size : rows.size * columns.size);
    if (rows.reads_all_in_turn() && columns.reads_all_in_turn()) {  // one long row has fewer ends
        columns.size = columns.out_size *= rows.size;
        rows.size = rows.out_size = 1;
    }
    ByteProduct product(rows, columns, transposed, weights, lift, threads);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t n = 0; n < images; ++n) {
        const int me = omp_get_thread_num();
        product.image(a + n * a_size, finish.terms(n, me), y + n * finish.image_size(), me);
    }
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}

#endif
