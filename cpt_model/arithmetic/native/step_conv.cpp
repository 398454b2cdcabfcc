// CONV of the contract on narrow codes, as dot products of bytes: sums of 32 bits are exact; results are rounded,
// saturated and tallied while they are in registers.
//
// A code of A plus `lift` is an unsigned byte, the padding's 0 too: so each sum is too great by lift · Σ of the weights
// in it, the same for all pixels of a phase, and starts from minus that. Weights are signed bytes; with HALF they stand
// for 2q + 1, and a window's own sum is added to twice the products.
#include "byte_lanes.h"
#ifdef CPT_BYTES

#include <new>
#include <numeric>

#include <omp.h>

#include "status.h"

namespace {

struct AxisArguments {
    int64_t size, results, kernel, stride, up, before;
};

struct ConvArguments {
    int64_t images, a_blocks, y_blocks;
    AxisArguments rows, columns;
    const uint8_t* a;
    int64_t a_image, a_block;  // how far apart, in elements
    const int8_t* b;
    int64_t b_image, b_block;
    char* out;
    int64_t out_image, out_block;
    Kind out_kind;
    int64_t lift, half, shift, low, high;
    Tally* tally;
};

// One axis: results in phases. Those of one phase meet the same taps, each result `step` places of the stored map
// further than the one before; taps that fall on inserted zeros are left out.
struct PhasedAxis {
    struct Read {
        int64_t tap, place;  // in the padded map, for the phase's first result
    };
    struct Phase {
        int64_t first, count;
        std::vector<Read> reads;
    };
    int64_t before = 0, size, padded = 1, period, step;
    std::vector<Phase> phases;

    explicit PhasedAxis(const AxisArguments& a) : size(a.size), period(a.up / std::gcd(a.up, a.stride)) {
        step = a.stride * period / a.up;
        for (int64_t first = 0; first < std::min(period, a.results); ++first) {
            Phase phase{first, (a.results - first + period - 1) / period, {}};
            for (int64_t tap = 0; tap < a.kernel; ++tap) {
                const int64_t place = first * a.stride + tap - a.before;
                if (place % a.up == 0) phase.reads.push_back({tap, place / a.up});
            }
            for (const Read& read : phase.reads) before = std::max(before, -read.place);
            phases.push_back(phase);
        }
        for (Phase& phase : phases)
            for (Read& read : phase.reads) {
                read.place += before;
                padded = std::max(padded, read.place + (phase.count - 1) * step + 1);
            }
    }
};

// From a sum to what is stored: twice the products and the window's sum, rounded half to even, saturated.
struct Finish {
    int32_t half, low, high;
    Round<Words, int32_t> round;
    Kind kind;

    explicit Finish(const ConvArguments& c)
        : half(static_cast<int32_t>(c.half)),
          low(static_cast<int32_t>(c.low)),
          high(static_cast<int32_t>(c.high)),
          round(c.shift),
          kind(c.out_kind) {}

    Words operator()(Words sum, int32_t row) const { return clamp(round((sum << half) + row), low, high); }
};

// Pixels of a result row that are computed together, `wanted` of them.
struct Place {
    const uint8_t* map;    // where the first pixel's window begins
    const int32_t* row;    // what HALF adds, by pixel
    char* out;             // the first pixel, first block
    int64_t out_step, wanted;
};

class ByteConv {
  public:
    ByteConv(const ConvArguments& c, int threads)
        : c_(c),
          rows_(c.rows),
          columns_(c.columns),
          group_((columns_.padded + columns_.step - 1) / columns_.step),
          line_(group_ * columns_.step * kBlock),
          map_size_(c.a_blocks * rows_.padded * line_ + kTogether * kBlock),  // the last pixels read so far at most
          pixels_(c.rows.results * c.columns.results),
          finish_(c),
          maps_(threads * map_size_, 0),
          sums_(threads * rows_.padded * columns_.step * group_),
          window_(threads * (pixels_ + columns_.step * group_ + kTogether)),
          by_thread_(threads, c.y_blocks) {
        for (int64_t x = 0; x < columns_.padded; ++x)
            places_.push_back(x % columns_.step * group_ + x / columns_.step);
        for (const auto& row : rows_.phases)
            for (const auto& column : columns_.phases) parts_.push_back(part(row, column));
    }

    void image(int64_t n, int thread) {
        uint8_t* map = &maps_[thread * map_size_];
        fill(c_.a + n * c_.a_image, map, thread);
        char* out = c_.out + n * c_.out_image * element_bytes(c_.out_kind);
        for (const Part& part : parts_) {
            const int32_t* windows = window_sums(part, thread);
            int64_t block = 0;
            for (; block + 2 <= c_.y_blocks; block += 2)
                multiply_rows<2, kTogether / 2>(part, map, block, windows, out, thread);
            if (block < c_.y_blocks) multiply_rows<1, kTogether>(part, map, block, windows, out, thread);
        }
    }

    void write_tally() const { by_thread_.write(c_.tally, c_.images * pixels_); }

  private:
    typedef PhasedAxis::Phase Phase;

    // Weights by one or two blocks of results: (blocks, four terms, channel, term).
    struct Part {
        const Phase &rows, &columns;
        std::vector<int64_t> offsets;          // of each four terms in the map
        std::vector<int32_t> start, weights;
    };

    int64_t place(int64_t column) const { return places_[column]; }

    Part part(const Phase& rows, const Phase& columns) const {
        Part made{rows, columns, {}, std::vector<int32_t>(c_.y_blocks * kBlock, 0), {}};
        std::vector<int64_t> taken;  // where a four's weights lie in B, for the first result
        for (const auto& row : rows.reads)
            for (const auto& column : columns.reads)
                for (int64_t block = 0; block < c_.a_blocks; ++block)
                    for (int64_t quad = 0; quad < kBlock / 4; ++quad) {
                        const int64_t tap = row.tap * c_.columns.kernel + column.tap;
                        const int64_t from = block * c_.b_block + tap * kBlock + 4 * quad;
                        if (all_zero(from)) continue;  // channels that only fill a block
                        taken.push_back(from);
                        made.offsets.push_back((block * rows_.padded + row.place) * line_ +
                                               place(column.place) * kBlock + 4 * quad);
                    }
        made.weights.resize(c_.y_blocks * kBlock * taken.size());
        int32_t* to = made.weights.data();
        for (int64_t first = 0; first < c_.y_blocks; first += 2) {
            const int64_t channels = kBlock * std::min<int64_t>(2, c_.y_blocks - first);
            for (const int64_t from : taken)
                for (int64_t k = 0; k < channels; ++k, ++to) {
                    const int64_t channel = first * kBlock + k;
                    const int8_t* bytes = c_.b + channel * c_.b_image + from;
                    std::memcpy(to, bytes, 4);
                    made.start[channel] -= static_cast<int32_t>(c_.lift) * (bytes[0] + bytes[1] + bytes[2] + bytes[3]);
                }
        }
        return made;
    }

    bool all_zero(int64_t from) const {
        for (int64_t channel = 0; channel < c_.y_blocks * kBlock; ++channel) {
            int32_t word;
            std::memcpy(&word, c_.b + channel * c_.b_image + from, 4);
            if (word) return false;
        }
        return true;
    }

    // The padded map, block by block, its columns so that neighbouring results read neighbours; and sums by pixel.
    void fill(const uint8_t* a, uint8_t* map, int thread) {
        const int64_t width = columns_.step * group_;
        int32_t* sums = &sums_[thread * rows_.padded * width];
        std::fill(sums, sums + rows_.padded * width, 0);
        const uint8_t lift = static_cast<uint8_t>(c_.lift);
        const int64_t begin = std::min(columns_.padded, columns_.before);
        const int64_t end = std::max(begin, std::min(columns_.padded, columns_.before + columns_.size));
        for (int64_t block = 0; block < c_.a_blocks; ++block, a += c_.a_block)
            for (int64_t y = 0; y < rows_.padded; ++y, map += line_) {
                const int64_t from_y = y - rows_.before;
                if (from_y < 0 || from_y >= rows_.size) {
                    std::memset(map, lift, line_);
                    continue;
                }
                for (int64_t x = 0; x < begin; ++x) std::memset(map + place(x) * kBlock, lift, kBlock);
                for (int64_t x = end; x < columns_.padded; ++x) std::memset(map + place(x) * kBlock, lift, kBlock);
                const uint8_t* from = a + (from_y * columns_.size - columns_.before) * kBlock;
                const int64_t* places = places_.data();
                for (int64_t x = begin; x < end; ++x) {
                    const UnsignedBytes codes = load_as<UnsignedBytes>(from + x * kBlock) + lift;
                    store_as(map + places[x] * kBlock, codes);
                    sums[y * width + places[x]] += sum(codes) - kBlock * lift;
                }
            }
    }

    static int32_t sum(UnsignedBytes codes) {
        const __m128i halves = _mm_sad_epu8((__m128i)codes, _mm_setzero_si128());
        return _mm_cvtsi128_si32(halves) + _mm_extract_epi16(halves, 4);
    }

    // Sums of A's codes in each window of a phase.
    const int32_t* window_sums(const Part& part, int thread) {
        const int64_t width = columns_.step * group_, count = part.columns.count;
        int32_t *made = &window_[thread * (pixels_ + width + kTogether)], *column = made + pixels_ + kTogether;
        if (!c_.half) return made;  // zeros
        const int32_t* sums = &sums_[thread * rows_.padded * width];
        for (int64_t y = 0; y < part.rows.count; ++y) {
            std::fill(column, column + width, 0);
            for (const auto& read : part.rows.reads)
                for (int64_t x = 0; x < width; ++x) column[x] += sums[(read.place + y * rows_.step) * width + x];
            int32_t* to = made + y * count;
            std::fill(to, to + count, 0);
            for (const auto& read : part.columns.reads)
                for (int64_t x = 0; x < count; ++x) to[x] += column[place(read.place) + x];
        }
        return made;
    }

    template <int Blocks, int Pixels>
    void multiply_rows(const Part& part, const uint8_t* map, int64_t block, const int32_t* windows, char* out,
                       int thread) {
        const int64_t bytes = element_bytes(c_.out_kind) * kBlock, count = part.columns.count;
        out += block * c_.out_block * element_bytes(c_.out_kind);
        for (int64_t row = 0; row < part.rows.count; ++row) {
            const int64_t pixel = (part.rows.first + row * rows_.period) * c_.columns.results + part.columns.first;
            const uint8_t* line = map + row * rows_.step * line_;
            for (int64_t x = 0; x < count; x += Pixels) {
                char* to = out + (pixel + x * columns_.period) * bytes;
                multiply<Blocks, Pixels>(part, block,
                                         {line + x * kBlock, windows + row * count + x, to, columns_.period * bytes,
                                          count - x},
                                         &by_thread_.at(thread, block));
            }
        }
    }

    template <int Blocks, int Pixels>
    void multiply(const Part& part, int64_t block, const Place& at, Sums* tally) const {
        const int32_t* w = part.weights.data() + block * kBlock * part.offsets.size();
        Words sums[Pixels][Blocks];
        for (int b = 0; b < Blocks; ++b)
#pragma GCC unroll 16
            for (int p = 0; p < Pixels; ++p) sums[p][b] = load_as<Words>(&part.start[(block + b) * kBlock]);
        for (const int64_t offset : part.offsets) {
            Words weights[Blocks];
            for (int b = 0; b < Blocks; ++b, w += kBlock) weights[b] = load_as<Words>(w);
#pragma GCC unroll 16
            for (int p = 0; p < Pixels; ++p) {
                const Words codes = four(at.map + offset + p * kBlock);
                for (int b = 0; b < Blocks; ++b) sums[p][b] = dot(sums[p][b], codes, weights[b]);
            }
        }
        const Finish finish = finish_;  // what is stored cannot be a part of it
        for (int b = 0; b < Blocks; ++b) {
            char* out = at.out + b * c_.out_block * element_bytes(finish.kind);
            Gathered gathered;
            const auto store = [&](int p) {
                const Words v = finish(sums[p][b], at.row[p]);
                store_block(out + p * at.out_step, finish.kind, v);
                gathered.see(v, v);
            };
            if (at.wanted >= Pixels) {
#pragma GCC unroll 16
                for (int p = 0; p < Pixels; ++p) store(p);
            } else {
#pragma GCC unroll 16
                for (int p = 0; p < Pixels; ++p)
                    if (p < at.wanted) store(p);
            }
            tally[b].add(gathered);
        }
    }

    const ConvArguments& c_;
    PhasedAxis rows_, columns_;
    int64_t group_, line_, map_size_;  // group: columns that one tap can read; line: bytes of a row of a block
    std::vector<int64_t> places_;      // of columns in a row
    int64_t pixels_;
    Finish finish_;
    std::vector<uint8_t> maps_;
    std::vector<int32_t> sums_, window_;
    SumsByThread by_thread_;
    std::vector<Part> parts_;
};

}  // namespace

extern "C" {

// Sums fit 32 bits, with HALF too; bytes of A plus lift are unsigned.
int32_t cpt_step_conv(const ConvArguments* arguments, int32_t threads) try {
    threads = static_cast<int32_t>(std::min<int64_t>(threads, arguments->images));
    ByteConv conv(*arguments, threads);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t n = 0; n < arguments->images; ++n) conv.image(n, omp_get_thread_num());
    if (arguments->tally) conv.write_tally();
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}

#endif
