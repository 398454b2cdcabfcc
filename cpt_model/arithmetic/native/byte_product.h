// Products of codes as dot products of bytes.
//
// A code plus `lift` is an unsigned byte, the padding's 0 too: so each result is too great by lift · Σ weights of its
// channel, the same everywhere, and its sum starts from minus that. Weights are signed bytes.
#pragma once

#include "bytes.h"
#ifdef CPT_BYTES

#include <algorithm>
#include <cstdint>
#include <vector>

#include "product.h"

// `Vectors` vectors of result channels for `Pixels` neighbouring pixels, of which `pixels` and of whose channels
// `channels` are wanted. `offsets` says where in the map each four terms of the first pixel are; the next pixel's lie
// beside them.
template <int Vectors, int Pixels>
void multiply_bytes(const int32_t* map, const std::vector<int64_t>& offsets, const int32_t* __restrict w,
                    const int32_t* start, float* y, int64_t pixels, int64_t channels, int64_t results) {
    Lanes sums[Pixels][Vectors];
    for (int v = 0; v < Vectors; ++v)
#pragma GCC unroll 16
        for (int p = 0; p < Pixels; ++p) sums[p][v] = load(start + v * kLanes);
    for (const int64_t offset : offsets) {
        const int32_t* x = map + offset;
        Lanes weights[Vectors];
        for (int v = 0; v < Vectors; ++v, w += kLanes) weights[v] = load(w);
#pragma GCC unroll 16
        for (int p = 0; p < Pixels; ++p) {
            const Lanes four = Lanes{} + x[p];
            for (int v = 0; v < Vectors; ++v) sums[p][v] = dot(sums[p][v], four, weights[v]);
        }
    }
    for (int p = 0; p < Pixels; ++p) {
        if (p == pixels) break;
        for (int v = 0; v < Vectors; ++v) {
            const FloatLanes made = __builtin_convertvector(sums[p][v], FloatLanes);
            float* to = y + p * results + v * kLanes;
            if (channels >= (v + 1) * kLanes)
                *reinterpret_cast<StoredFloatLanes*>(to) = made;
            else
                for (int64_t c = 0; c < channels - v * kLanes; ++c) to[c] = made[c];
        }
    }
}

class ByteProduct {
  public:
    // Weights are packed by blocks of result channels: (block, ky, kx and four terms, channel of the block, term), zeros
    // behind the last term and the last channel.
    ByteProduct(const Convolution& c, const float* w, bool channels_last, int32_t lift, int threads)
        : c_(c),
          lift_(lift),
          quads_((c.terms() + 3) / 4),
          phase_((c.columns.padded() + c.columns.stride - 1) / c.columns.stride),
          map_row_(quads_ * phase_ * c.columns.stride),
          map_size_(c.rows.padded() * map_row_ + kSums),  // the last pixels together read so far at most
          start_((c.results() + kBlock - 1) / kBlock * kBlock, 0),
          weights_(start_.size() * c.taps() * quads_, 0),
          maps_(threads * map_size_, 0) {
        for (int64_t tap = 0; tap < c.taps(); ++tap)
            for (int64_t quad = 0; quad < quads_; ++quad)
                offsets_.push_back(tap / c.columns.kernel * map_row_ + place(quad, tap % c.columns.kernel));
        int8_t* packed = reinterpret_cast<int8_t*>(weights_.data());
        c.each_weight(w, channels_last, [&](int64_t result, int64_t tap, int64_t term, float weight) {
            const int64_t block = result / kBlock, width = std::min<int64_t>(kBlock, lanes_from(block * kBlock));
            const int64_t at = block * kBlock * c.taps() * quads_ + (tap * quads_ + term / 4) * width + result % kBlock;
            packed[at * 4 + term % 4] = static_cast<int8_t>(weight);
            start_[result] -= lift * static_cast<int32_t>(weight);
        });
    }

    // One image of codes, channels last, to accumulators in the same order.
    void image(const float* a, float* y, int thread) {
        int32_t* map = &maps_[thread * map_size_];
        fill(a, map);
        for (int64_t first = 0; first < c_.results(); first += kBlock) {
            if (lanes_from(first) < kBlock)
                c_.columns.out_size > kSums / 2 ? rows<1, kSums>(map, first, y) : rows<1, kSums / 2>(map, first, y);
            else
                rows<2, kSums / 2>(map, first, y);
        }
    }

  private:
    static constexpr int64_t kBlock = 2 * kLanes;

    // Channels from `first` on, whole vectors.
    int64_t lanes_from(int64_t first) const { return (c_.results() - first + kLanes - 1) / kLanes * kLanes; }

    // Where four terms of a column lie in a row of the map. Columns that one tap reads for neighbouring pixels are
    // neighbours, whatever the stride.
    int64_t place(int64_t quad, int64_t column) const {
        const int64_t stride = c_.columns.stride;
        return (quad * stride + column % stride) * phase_ + column / stride;
    }

    template <int Vectors, int Pixels>
    void rows(const int32_t* map, int64_t first, float* y) const {
        const int64_t results = c_.results(), width = c_.columns.out_size;
        const int32_t* w = &weights_[first * c_.taps() * quads_];
        for (int64_t row = 0; row < c_.rows.out_size; ++row)
            for (int64_t x = 0; x < width; x += Pixels)
                multiply_bytes<Vectors, Pixels>(map + row * c_.rows.stride * map_row_ + x, offsets_, w, &start_[first],
                                                y + (row * width + x) * results + first, width - x, results - first,
                                                results);
    }

    // The padded map, as bytes: (y, four terms, x, term).
    void fill(const float* a, int32_t* map) const {
        const int64_t terms = c_.terms(), padding = c_.columns.padding;
        const int64_t begin = std::min(c_.columns.padded(), padding);
        const int64_t end = std::max(begin, std::min(c_.columns.padded(), padding + c_.columns.size));
        const int32_t zeros = lift_ * 0x01010101;
        for (int64_t y = 0; y < c_.rows.padded(); ++y, map += map_row_) {
            const int64_t from_y = y - c_.rows.padding;
            if (from_y < 0 || from_y >= c_.rows.size) {
                std::fill(map, map + map_row_, zeros);
                continue;
            }
            for (int64_t quad = 0; quad < quads_; ++quad) {
                for (int64_t x = 0; x < begin; ++x) map[place(quad, x)] = zeros;
                for (int64_t x = end; x < c_.columns.padded(); ++x) map[place(quad, x)] = zeros;
            }
            for (int64_t x = begin; x < end; ++x)
                fill_pixel(a + (from_y * c_.columns.size + x - padding) * terms, map + place(0, x));
        }
    }

    void fill_pixel(const float* a, int32_t* to) const {
        typedef uint8_t Bytes __attribute__((vector_size(kLanes)));
        const int64_t terms = c_.terms(), step = phase_ * c_.columns.stride;
        int64_t t = 0;
        for (; t + kLanes <= terms; t += kLanes) {
            const FloatLanes codes = *reinterpret_cast<const StoredFloatLanes*>(a + t);
            const Bytes bytes = __builtin_convertvector(__builtin_convertvector(codes, Lanes) + lift_, Bytes);
            for (int quad = 0; quad < kLanes / 4; ++quad, to += step)
                std::memcpy(to, reinterpret_cast<const char*>(&bytes) + 4 * quad, 4);
        }
        for (; t < terms; t += 4, to += step) {
            uint8_t four[4] = {};
            for (int64_t i = 0; i < std::min<int64_t>(4, terms - t); ++i) four[i] = static_cast<int32_t>(a[t + i]) + lift_;
            std::memcpy(to, four, 4);
        }
    }

    Convolution c_;
    int32_t lift_;
    int64_t quads_, phase_, map_row_, map_size_;  // phase: columns that one tap can read
    std::vector<int32_t> start_, weights_, maps_;
    std::vector<int64_t> offsets_;
};

#endif
