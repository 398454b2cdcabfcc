// What makes float32 results of accumulators. IEEE float32, one rounding each, no fused multiply-add, as the contract's
// section 10 has it (sim/contract/CONTRACT.md).
#include "finish.h"

#include <cmath>
#include <map>
#include <new>

#include <omp.h>

#include "status.h"

namespace {

// Indices of the result that the same taps fall on are of one kind.
struct Kinds {
    std::vector<int64_t> of;        // the kind of each index
    std::vector<int64_t> examples;  // an index of each kind

    explicit Kinds(const Axis& axis) {
        std::map<std::vector<int64_t>, int64_t> known;
        for (const auto& read : axis.reads) {
            std::vector<int64_t> taps;
            for (const auto& [tap, index] : read) taps.push_back(tap);
            const auto [entry, is_new] = known.emplace(taps, known.size());
            if (is_new) examples.push_back(of.size());
            of.push_back(entry->second);
        }
    }
};

// Added to a float32 of at most 2^(22 + shift), it leaves a sum whose last bit is worth 2^shift.
float rounder_of(int32_t shift) { return shift ? std::ldexp(1.5f, 23 + shift) : 0.0f; }

// Neighbouring pixels that share their terms, in channels-last order:
// y = rounded(y + from_zero)·alpha + (row·beta + border).
void finish_pixels(float* __restrict y, int64_t pixels, int64_t channels, const float* __restrict row,
                   const float* __restrict alpha, const float* __restrict beta, const float* __restrict from_zero,
                   const float* __restrict border, float rounder) {
    for (int64_t p = 0; p < pixels; ++p, y += channels) {
        const float sum = row[p];
#pragma omp simd
        for (int64_t c = 0; c < channels; ++c)
            y[c] = rounded(y[c] + from_zero[c], rounder) * alpha[c] + (sum * beta[c] + border[c]);
    }
}

// Sums of codes summed over the batch, over the pixels that meet in a weight gradient, by tap and channel: those of the
// layer's input that a tap reads, or those of its output whose tap falls on a stored input.
std::vector<double> sums_by_tap(const Axis& rows, const Axis& columns, const float* batch_sums, int64_t channels,
                                bool channels_last, bool of_output) {
    const int64_t height = of_output ? rows.out_size : rows.size, width = of_output ? columns.out_size : columns.size;
    std::vector<double> by_column(height * channels), sums(rows.kernel * columns.kernel * channels, 0.0);
    for (int64_t kx = 0; kx < columns.kernel; ++kx) {
        std::fill(by_column.begin(), by_column.end(), 0.0);
        for (int64_t y = 0; y < height; ++y)
            for (int64_t out = columns.first(kx); out < columns.last(kx); ++out) {
                const int64_t x = of_output ? out : out * columns.stride + kx - columns.padding;
                for (int64_t c = 0; c < channels; ++c) {
                    const int64_t at = channels_last ? (y * width + x) * channels + c : (c * height + y) * width + x;
                    by_column[y * channels + c] += batch_sums[at];
                }
            }
        for (int64_t ky = 0; ky < rows.kernel; ++ky)
            for (int64_t out = rows.first(ky); out < rows.last(ky); ++out) {
                const int64_t y = of_output ? out : out * rows.stride + ky - rows.padding;
                for (int64_t c = 0; c < channels; ++c)
                    sums[(ky * columns.kernel + kx) * channels + c] += by_column[y * channels + c];
            }
    }
    return sums;
}

}  // namespace

Finish::Finish(const int64_t* geometry, bool transposed, int64_t channels, bool channels_last, const float* pixels,
               float terms, const float* tap_sums, float a_scale, float a_offset, const float* b_scale,
               const float* b_offset, float zero, int32_t shift, int threads)
    : rows_(geometry, transposed),
      columns_(geometry + 5, transposed),
      channels_(channels),
      count_(rows_.results() * columns_.results()),
      rounder_(rounder_of(shift)),
      channels_last_(channels_last),
      pixels_(pixels),
      alpha_(channels + kOuts),
      beta_(channels + kOuts),
      kind_(count_),
      row_from_zero_(count_),
      partials_(threads * columns_.operands()),
      row_sums_(threads * count_) {
    for (int64_t c = 0; c < channels; ++c) {
        alpha_[c] = a_scale * b_scale[c];
        beta_[c] = a_scale * b_offset[c];
    }
    // Pixels that see the same taps share their terms: one entry by kind of row and kind of column.
    const Kinds row_kinds(rows_), column_kinds(columns_);
    const int64_t kinds = row_kinds.examples.size() * column_kinds.examples.size();
    from_zero_.assign(kinds * channels + kOuts, 0.0f);
    border_.resize(kinds * channels + kOuts);
    for (int64_t k = 0; k < kinds; ++k) {
        const auto& ys = rows_.reads[row_kinds.examples[k / column_kinds.examples.size()]];
        const auto& xs = columns_.reads[column_kinds.examples[k % column_kinds.examples.size()]];
        const float taps_inside = terms * static_cast<float>(ys.size() * xs.size());
        float* sums = &from_zero_[k * channels];
        for (const auto& [ky, row] : ys)
            for (const auto& [kx, column] : xs)
                for (int64_t c = 0; c < channels; ++c) sums[c] += tap_sums[(ky * columns_.kernel + kx) * channels + c];
        for (int64_t c = 0; c < channels; ++c) {
            border_[k * channels + c] = a_offset * (sums[c] * b_scale[c] + taps_inside * b_offset[c]);
            sums[c] *= zero;
        }
    }
    const int64_t width = columns_.results();
    for (int64_t p = 0; p < count_; ++p) {
        const int64_t y = p / width, x = p % width;
        kind_[p] = (row_kinds.of[y] * column_kinds.examples.size() + column_kinds.of[x]) * channels;
        row_from_zero_[p] = zero * (terms * static_cast<float>(rows_.reads[y].size() * columns_.reads[x].size()));
    }
}

PixelTerms Finish::terms(int64_t n, int thread) {
    const int64_t in_width = columns_.operands(), width = columns_.results();
    const float* sums = pixels_ + n * rows_.operands() * in_width;
    float *partial = &partials_[thread * in_width], *row = &row_sums_[thread * count_];
    std::copy(row_from_zero_.begin(), row_from_zero_.end(), row);
    for (int64_t h = 0; h < rows_.results(); ++h) {
        std::fill(partial, partial + in_width, 0.0f);
        for (const auto& [tap, in] : rows_.reads[h])
            for (int64_t w = 0; w < in_width; ++w) partial[w] += sums[in * in_width + w];
        columns_.gather(partial, row + h * width);
    }
    return {row, alpha_.data(), beta_.data(), from_zero_.data(), border_.data(), kind_.data(), rounder_};
}

void Finish::image(float* y, int64_t n, int thread) {
    const float* row = terms(n, thread).row;
    if (channels_last_) {
        for (int64_t p = 0, end; p < count_; p = end) {
            for (end = p + 1; end < count_ && kind_[end] == kind_[p];) ++end;
            finish_pixels(y + p * channels_, end - p, channels_, row + p, alpha_.data(), beta_.data(),
                          &from_zero_[kind_[p]], &border_[kind_[p]], rounder_);
        }
        return;
    }
    for (int64_t c = 0; c < channels_; ++c, y += count_) {
#pragma omp simd
        for (int64_t p = 0; p < count_; ++p)
            y[p] = rounded(y[p] + from_zero_[kind_[p] + c], rounder_) * alpha_[c] +
                   (row[p] * beta_[c] + border_[kind_[p] + c]);
    }
}

extern "C" {

int32_t cpt_finish(float* y, int64_t images, int64_t channels, int32_t channels_last, int32_t transposed,
                   const int64_t* geometry, const float* pixels, float terms, const float* tap_sums, float a_scale,
                   float a_offset, const float* b_scale, const float* b_offset, float zero, int32_t shift,
                   int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    Finish finish(geometry, transposed, channels, channels_last, pixels, terms, tap_sums, a_scale, a_offset, b_scale,
                  b_offset, zero, shift, threads);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t n = 0; n < images; ++n) finish.image(y + n * finish.image_size(), n, omp_get_thread_num());
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}

// A weight gradient's accumulators (out, in, kh, kw), of error codes minus `lacking`, to float32:
//     g = acc·(sX·sE) + ( rowsum·(sX·mE) + mX·( colsum·sE + count·mE ) )
// from the sums of both operands' codes over the batch, (h, w, c) or (c, h, w); the errors' there are minus `zero`.
int32_t cpt_finish_gradient(const double* acc, float* g, int64_t images, int64_t outs, int64_t ins,
                            const int64_t* geometry, const float* x_sums, int32_t x_last, const float* e_sums,
                            int32_t e_last, float x_scale, float x_offset, float e_scale, float e_offset,
                            double zero, double lacking) try {
    const Axis rows(geometry, false), columns(geometry + 5, false);
    const int64_t taps = rows.kernel * columns.kernel;
    const auto row_sums = sums_by_tap(rows, columns, x_sums, ins, x_last, false);
    const auto column_sums = sums_by_tap(rows, columns, e_sums, outs, e_last, true);
    std::vector<double> counts(taps);
    for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t hits = rows.hits(tap / columns.kernel) * columns.hits(tap % columns.kernel);
        counts[tap] = static_cast<double>(images * hits);
    }
    const float alpha = x_scale * e_scale, beta = x_scale * e_offset;
    for (int64_t o = 0; o < outs; ++o)
        for (int64_t i = 0; i < ins; ++i)
            for (int64_t tap = 0; tap < taps; ++tap) {
                const double row = row_sums[tap * ins + i], column = column_sums[tap * outs + o] + zero * counts[tap];
                const int64_t at = (o * ins + i) * taps + tap;
                const float count = static_cast<float>(counts[tap]);
                const float edge = x_offset * (static_cast<float>(column) * e_scale + count * e_offset);
                g[at] = static_cast<float>(acc[at] + lacking * row) * alpha + (static_cast<float>(row) * beta + edge);
            }
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
