// The weight gradient of a layer on narrow codes, as dot products of bytes: each 32-bit word holds one element of four
// images.
//
// One operand must be unsigned, the other signed. Activations are mostly unsigned, and errors + `lift` signed; else
// activations are signed, and errors + `lift` unsigned. Sums are of the lifted errors.
#include "bytes.h"
#ifdef CPT_BYTES

#include <new>

#include "byte_tile.h"
#include "gradient.h"
#include "status.h"

namespace {

// Four images' codes as words: image 0 in the lowest byte. Bits outside `mask`, of images that are not there, are 0.
class Interleave {
  public:
    Interleave(const float* first, int64_t size, int64_t there, int32_t lift) : lift_(lift), mask_(0) {
        for (int64_t i = 0; i < 4; ++i) {
            images_[i] = first + (i < there ? i : 0) * size;
            mask_ |= i < there ? 0xFFu << 8 * i : 0;
        }
    }

    void operator()(int64_t from, int64_t step, int64_t count, int32_t* to) const {
        int64_t i = 0;
        if (step == 1)
            for (; i + kLanes <= count; i += kLanes) {
                Lanes words = {};
                for (int n = 0; n < 4; ++n)
                    words |= ((__builtin_convertvector(load(images_[n] + from + i), Lanes) + lift_) & 0xFF) << 8 * n;
                *reinterpret_cast<StoredLanes*>(to + i) = words & static_cast<int32_t>(mask_);
            }
        for (; i < count; ++i) {
            uint32_t word = 0;
            for (int n = 0; n < 4; ++n) {
                const int32_t code = static_cast<int32_t>(images_[n][from + i * step]) + lift_;
                word |= (static_cast<uint32_t>(code) & 0xFFu) << 8 * n;
            }
            to[i] = static_cast<int32_t>(word & mask_);
        }
    }

  private:
    const float* images_[4];
    int32_t lift_;
    uint32_t mask_;
};

class ByteGradient {
  public:
    static constexpr int64_t kImages = 4;  // that are added together

    ByteGradient(const Layer& l, bool x_signed, int32_t lift, int threads)
        : l_(l),
          x_signed_(x_signed),
          lift_(lift),
          map_size_(l.map_values() + kSums),  // the last values together read so far at most
          maps_(threads * map_size_, 0),
          errors_(threads * l.error_values()) {}

    // Of four images, the first `there` exist.
    void add(const float* x, const float* e, int64_t there, int thread, int32_t* sums) {
        int32_t *map = &maps_[thread * map_size_], *errors = &errors_[thread * l_.error_values()];
        pad(l_.rows, l_.columns, l_.ins, l_.x_at, map,
            Interleave(x, l_.ins * l_.rows.size * l_.columns.size, there, 0));
        block(l_, errors, Interleave(e, l_.outs * l_.pixels(), there, lift_));
        (x_signed_ ? add_products<true> : add_products<false>)(l_, map, errors, sums);
    }

  private:
    Layer l_;
    bool x_signed_;
    int32_t lift_;
    int64_t map_size_;
    std::vector<int32_t> maps_, errors_;
};

}  // namespace

extern "C" {

// Σ x·(e + lift) over images and pixels. x are bytes, signed or not, e + lift bytes of the other kind. Products of four
// images' pixels fit 32 bits together.
int32_t cpt_byte_gradient(const float* x, int32_t x_last, const float* e, int32_t e_last, double* gradient,
                          int64_t images, int64_t outs, int64_t ins, const int64_t* geometry, int32_t x_signed,
                          int32_t lift, int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    const Layer l(outs, ins, geometry, x_last, e_last);
    sum_images(ByteGradient(l, x_signed, lift, threads), l, x, e, gradient, images, 255 * 128, threads);
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}

#endif
