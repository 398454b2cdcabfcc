// WGRAD of the contract on narrow codes, as dot products of bytes: each 32-bit word holds one element of four images.
//
// Errors are signed. Activations plus `lift` are unsigned bytes, the padding's 0 too; sums are then too great by lift ·
// Σ of the errors, which is taken off at the end.
#include "byte_lanes.h"
#ifdef CPT_BYTES

#include <new>

#include "byte_tile.h"
#include "gradient.h"
#include "status.h"

namespace {

struct GradientArguments {
    int64_t images, a_blocks, y_blocks;
    int64_t geometry[10];  // kernel, stride, padding, size and output size of rows, then of columns
    const uint8_t* a;
    int64_t a_image, a_block;  // how far apart, in elements
    const uint8_t* b;
    int64_t b_image, b_block;
    void* out;  // [input channel][block of outputs][tap][16]
    int64_t out_image, out_block, wide;
    int64_t lift;
};

// Codes of four images, of which `there` exist, as words: image 0 in the lowest byte.
inline Words interleave(const uint8_t* first, int64_t image, int64_t there, uint8_t lift) {
    Words words = {};
    for (int64_t n = 0; n < there; ++n)
        words |= to_words(load_as<UnsignedBytes>(first + n * image) + lift) << 8 * n;
    return words;
}

class ByteGradient {
  public:
    static constexpr int64_t kImages = 4;

    ByteGradient(const GradientArguments& c, int threads)
        : c_(c),
          l_(c.y_blocks * kBlock, c.a_blocks * kBlock, c.geometry, true, true),
          map_size_(l_.map_values() + kSums),  // the last values together read so far at most
          between_(INT32_MAX / (255 * 128 * l_.pixels() * kImages)),
          done_(threads, 0),
          maps_(threads * map_size_, 0),
          errors_(threads * l_.error_values()),
          sums_(threads, std::vector<int32_t>(l_.sums(), 0)),
          error_sums_(threads * l_.outs, 0),
          total_(l_.sums(), 0) {}

    void add(int64_t n, int thread) {
        const int64_t there = std::min(kImages, c_.images - n);
        int32_t *map = &maps_[thread * map_size_], *errors = &errors_[thread * l_.error_values()];
        fill(c_.a + n * c_.a_image, there, map);
        fill_errors(c_.b + n * c_.b_image, there, errors, &error_sums_[thread * l_.outs]);
        add_products<false>(l_, map, errors, sums_[thread].data());
        if (++done_[thread] % between_ == 0) flush(thread);
    }

    void write() {
        for (size_t t = 0; t < done_.size(); ++t) flush(static_cast<int>(t));
        const int64_t kernel = l_.columns.kernel, taps = l_.rows.kernel * kernel;
        for (int64_t ci = 0; ci < l_.ins; ++ci)
            for (int64_t block = 0; block < c_.y_blocks; ++block)
                for (int64_t tap = 0; tap < taps; ++tap) {
                    const int64_t ky = tap / kernel, value = tap % kernel * l_.ins + ci;
                    const int64_t* from = &total_[((block * l_.rows.kernel + ky) * l_.row_values() + value) * kOuts];
                    const int64_t to = ci * c_.out_image + block * c_.out_block + tap * kBlock;
                    for (int64_t k = 0; k < kBlock; ++k) {
                        const int64_t sum = from[k] - c_.lift * error_sum(block * kBlock + k);
                        if (c_.wide)
                            static_cast<int64_t*>(c_.out)[to + k] = sum;
                        else
                            static_cast<int32_t*>(c_.out)[to + k] = static_cast<int32_t>(sum);
                    }
                }
    }

  private:
    // (y, x, channel) with its padding.
    void fill(const uint8_t* a, int64_t there, int32_t* to) const {
        const Window &rows = l_.rows, &columns = l_.columns;
        const uint8_t lift = static_cast<uint8_t>(c_.lift);
        const int32_t zeros = static_cast<int32_t>(lift * 0x01010101u);
        for (int64_t y = -rows.padding; y < rows.padded() - rows.padding; ++y)
            for (int64_t x = -columns.padding; x < columns.padded() - columns.padding; ++x, to += l_.ins) {
                if (y < 0 || y >= rows.size || x < 0 || x >= columns.size) {
                    std::fill(to, to + l_.ins, zeros);
                    continue;
                }
                for (int64_t block = 0; block < c_.a_blocks; ++block) {
                    const uint8_t* from = a + block * c_.a_block + (y * columns.size + x) * kBlock;
                    store_as(to + block * kBlock, interleave(from, c_.a_image, there, lift));
                }
            }
    }

    // (block, pixel, channel), and sums by channel.
    void fill_errors(const uint8_t* e, int64_t there, int32_t* to, int64_t* by_channel) const {
        for (int64_t block = 0; block < c_.y_blocks; ++block) {
            Words sum = {};
            for (int64_t p = 0; p < l_.pixels(); ++p, to += kBlock) {
                const Words words = interleave(e + block * c_.b_block + p * kBlock, c_.b_image, there, 0);
                store_as(to, words);
                if (c_.lift) sum = dot(sum, 0x01010101 - Words{}, words);
            }
            for (int k = 0; k < kBlock; ++k) by_channel[block * kBlock + k] += sum[k];
        }
    }

    void flush(int thread) {
#pragma omp critical
        for (size_t i = 0; i < total_.size(); ++i) total_[i] += sums_[thread][i];
        std::fill(sums_[thread].begin(), sums_[thread].end(), 0);
    }

    int64_t error_sum(int64_t channel) const {
        int64_t sum = 0;
        for (size_t i = channel; i < error_sums_.size(); i += l_.outs) sum += error_sums_[i];
        return sum;
    }

    const GradientArguments& c_;
    Layer l_;
    int64_t map_size_, between_;  // between: how many times four images' products fit 32 bits
    std::vector<int64_t> done_;
    std::vector<int32_t> maps_, errors_;
    std::vector<std::vector<int32_t>> sums_;
    std::vector<int64_t> error_sums_, total_;
};

}  // namespace

extern "C" {

// Products of four images' pixels fit 32 bits together.
int32_t cpt_step_gradient(const GradientArguments* arguments, int32_t threads) try {
    const int64_t fours = (arguments->images + ByteGradient::kImages - 1) / ByteGradient::kImages;
    threads = static_cast<int32_t>(std::min<int64_t>(threads, fours));
    ByteGradient gradient(*arguments, threads);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < fours; ++i) gradient.add(i * ByteGradient::kImages, omp_get_thread_num());
    gradient.write();
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}

#endif
