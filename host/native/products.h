// Exact sums of the classifier: 32-bit words in, 64-bit sums out. Two or four images are done at once, so that
// NEON uses a weight that it has loaded more than once.

#include <stdint.h>
#ifdef __ARM_NEON
#include <arm_neon.h>

static inline int64x2_t add_products(int64x2_t sum, int32x4_t x, int32x4_t y) {
  return vmlal_s32(vmlal_s32(sum, vget_low_s32(x), vget_low_s32(y)), vget_high_s32(x), vget_high_s32(y));
}
#endif

// The total of the magnitudes of `count` words.
static inline uint64_t magnitudes(const int32_t *x, int32_t count) {
  uint64_t total = 0;
  int32_t c = 0;
#ifdef __ARM_NEON
  uint64x2_t sum = vdupq_n_u64(0);
  for (; c + 4 <= count; c += 4) sum = vpadalq_u32(sum, vreinterpretq_u32_s32(vabsq_s32(vld1q_s32(x + c))));
  total = vgetq_lane_u64(sum, 0) + vgetq_lane_u64(sum, 1);
#endif
  for (; c < count; c++) total += x[c] < 0 ? -(uint32_t)x[c] : (uint32_t)x[c];
  return total;
}

// found[2i], found[2i + 1] = x[i]·v, x[i]·w, of `count` words each.
static inline void dots(const int32_t *const x[4], const int32_t *v, const int32_t *w, int32_t count,
                        int64_t found[8]) {
  int32_t c = 0;
#ifdef __ARM_NEON
  int64x2_t sums[8];
  for (int i = 0; i < 8; i++) sums[i] = vdupq_n_s64(0);
  for (; c + 4 <= count; c += 4) {
    const int32x4_t left = vld1q_s32(v + c), right = vld1q_s32(w + c);
    for (int i = 0; i < 4; i++) {
      const int32x4_t words = vld1q_s32(x[i] + c);
      sums[2 * i] = add_products(sums[2 * i], words, left);
      sums[2 * i + 1] = add_products(sums[2 * i + 1], words, right);
    }
  }
  for (int i = 0; i < 8; i++) found[i] = vgetq_lane_s64(sums[i], 0) + vgetq_lane_s64(sums[i], 1);
#else
  for (int i = 0; i < 8; i++) found[i] = 0;
#endif
  for (; c < count; c++) {
    for (int i = 0; i < 4; i++) found[2 * i] += (int64_t)x[i][c] * v[c], found[2 * i + 1] += (int64_t)x[i][c] * w[c];
  }
}

// Of each channel c: from_a[c] = sum of a[k] times weight[k][c] over the classes k, and likewise from_b.
static inline void transposed_dots(const int32_t *a, const int32_t *b, const int32_t *weight, int32_t classes,
                                   int32_t count, int64_t *from_a, int64_t *from_b) {
  int32_t c = 0;
#ifdef __ARM_NEON
  for (; c + 8 <= count; c += 8) {
    int64x2_t x[4], y[4];
    for (int32_t i = 0; i < 4; i++) x[i] = y[i] = vdupq_n_s64(0);
    const int32_t *words = weight + c;
    for (int32_t k = 0; k < classes; k++, words += count) {
      const int32x2_t p = vld1_dup_s32(a + k), q = vld1_dup_s32(b + k);
      const int32x4_t low = vld1q_s32(words), high = vld1q_s32(words + 4);
      x[0] = vmlal_s32(x[0], vget_low_s32(low), p), x[1] = vmlal_s32(x[1], vget_high_s32(low), p);
      x[2] = vmlal_s32(x[2], vget_low_s32(high), p), x[3] = vmlal_s32(x[3], vget_high_s32(high), p);
      y[0] = vmlal_s32(y[0], vget_low_s32(low), q), y[1] = vmlal_s32(y[1], vget_high_s32(low), q);
      y[2] = vmlal_s32(y[2], vget_low_s32(high), q), y[3] = vmlal_s32(y[3], vget_high_s32(high), q);
    }
    for (int32_t i = 0; i < 4; i++) vst1q_s64(from_a + c + 2 * i, x[i]), vst1q_s64(from_b + c + 2 * i, y[i]);
  }
#endif
  for (; c < count; c++) {
    from_a[c] = from_b[c] = 0;
    for (int32_t k = 0; k < classes; k++) {
      from_a[c] += (int64_t)a[k] * weight[k * count + c], from_b[c] += (int64_t)b[k] * weight[k * count + c];
    }
  }
}
