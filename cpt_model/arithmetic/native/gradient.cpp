// The weight gradient of a layer on codes: exact integers, on bytes where codes and processor allow, else in float32.
// Sums of a few images fit 32 bits; those are added in float64.
#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include <omp.h>

#include "byte_gradient.h"
#include "float_gradient.h"
#include "status.h"

namespace {

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

// No sum of Kernel::kImages images may exceed 32 bits; `greatest` bounds a product.
template <class Kernel>
void run(Kernel kernel, const Layer& l, const float* x, const float* e, double* gradient, int64_t images,
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

}  // namespace

extern "C" {

// Σ x·e over images and pixels. `greatest` bounds |x·e|: it is at most 2^24, and below 2^31 for the pixels of an image
// together. Geometry is kernel, stride, padding, size and output size of rows, then of columns.
int32_t cpt_gradient(const float* x, int32_t x_last, const float* e, int32_t e_last, double* gradient, int64_t images,
                     int64_t outs, int64_t ins, const int64_t* geometry, int64_t greatest, int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    const Layer l(outs, ins, geometry, x_last, e_last);
    greatest = std::max<int64_t>(1, greatest);
    run(FloatGradient(l, greatest, threads), l, x, e, gradient, images, greatest, threads);
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}

// Σ x·(e + lift) over images and pixels, if there are kernels on bytes. x are bytes, signed or not, e + lift bytes of
// the other kind. Products of four images' pixels fit 32 bits together.
int32_t cpt_byte_gradient(const float* x, int32_t x_last, const float* e, int32_t e_last, double* gradient,
                          int64_t images, int64_t outs, int64_t ins, const int64_t* geometry, int32_t x_signed,
                          int32_t lift, int32_t threads) try {
#ifdef CPT_BYTES
    threads = std::min<int64_t>(threads, images);
    const Layer l(outs, ins, geometry, x_last, e_last);
    run(ByteGradient(l, x_signed, lift, threads), l, x, e, gradient, images, 255 * 128, threads);
#endif
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
