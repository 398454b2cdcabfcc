// The forward pass of a layer on codes, or its input-error pass at stride 1: exact integers, on bytes where codes and
// processor allow, else in float32. Each image is finished while it is still near the processor.
#include <algorithm>
#include <cstdint>
#include <new>

#include <omp.h>

#include "byte_product.h"
#include "finish.h"
#include "float_product.h"
#include "status.h"

namespace {

template <class Product>
void run(Product product, const Convolution& c, const float* a, float* y, int64_t images, Finish& finish, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t n = 0; n < images; ++n) {
        float* image = y + n * finish.image_size();
        product.image(a + n * c.a_size(), image, omp_get_thread_num());
        finish.image(image, n, omp_get_thread_num());
    }
}

}  // namespace

extern "C" {

// Whether there are kernels on bytes.
int32_t cpt_has_bytes() { return kHasBytes; }

// Codes a (channels last) and weights w (out, in, kh, kw) of a layer to its float32 results y (channels last); no
// accumulator may exceed 2^24. A `lift` of 0 or more says that a + lift are unsigned bytes and w signed ones. The rest
// is as `Finish` takes it.
int32_t cpt_product(const float* a, const float* w, int32_t w_last, float* y, int64_t images, int64_t outs, int64_t ins,
                    int32_t transposed, const int64_t* geometry, const float* pixels, const float* tap_sums,
                    float a_scale, float a_offset, const float* b_scale, const float* b_offset, float zero,
                    int32_t lift, int32_t threads) try {
    threads = std::min<int64_t>(threads, images);
    const Convolution c(outs, ins, transposed, geometry);
    Finish finish(geometry, transposed, c.results(), true, pixels, c.terms(), tap_sums, a_scale, a_offset, b_scale,
                  b_offset, zero, threads);
#ifdef CPT_BYTES
    if (lift >= 0) {
        run(ByteProduct(c, w, w_last, lift, threads), c, a, y, images, finish, threads);
        return kDone;
    }
#endif
    run(FloatProduct(c, w, w_last, threads), c, a, y, images, finish, threads);
    return kDone;
} catch (const std::bad_alloc&) {
    return kNoMemory;
}
}
