// Exact sums of the classifier: 32-bit words in, 64-bit sums out. Two images are done at once, so that NEON, which
// has a product of four words but reads memory slowly, uses each weight twice.

#include <stdint.h>
#ifdef __ARM_NEON
#include <arm_neon.h>

static inline int64x2_t add_products(int64x2_t sum, int32x4_t x, int32x4_t y) {
  return vmlal_s32(vmlal_s32(sum, vget_low_s32(x), vget_low_s32(y)), vget_high_s32(x), vget_high_s32(y));
}

static inline int64_t both(int64x2_t sum) { return vgetq_lane_s64(sum, 0) + vgetq_lane_s64(sum, 1); }
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

// found = a·v, a·w, b·v, b·w, of `count` words each.
static inline void dots(const int32_t *a, const int32_t *b, const int32_t *v, const int32_t *w, int32_t count,
                        int64_t found[4]) {
  int64_t av = 0, aw = 0, bv = 0, bw = 0;
  int32_t c = 0;
#ifdef __ARM_NEON
  int64x2_t sums[4] = {vdupq_n_s64(0), vdupq_n_s64(0), vdupq_n_s64(0), vdupq_n_s64(0)};
  for (; c + 4 <= count; c += 4) {
    const int32x4_t x = vld1q_s32(a + c), y = vld1q_s32(b + c), left = vld1q_s32(v + c), right = vld1q_s32(w + c);
    sums[0] = add_products(sums[0], x, left), sums[1] = add_products(sums[1], x, right);
    sums[2] = add_products(sums[2], y, left), sums[3] = add_products(sums[3], y, right);
  }
  av = both(sums[0]), aw = both(sums[1]), bv = both(sums[2]), bw = both(sums[3]);
#endif
  for (; c < count; c++) {
    av += (int64_t)a[c] * v[c], aw += (int64_t)a[c] * w[c];
    bv += (int64_t)b[c] * v[c], bw += (int64_t)b[c] * w[c];
  }
  found[0] = av, found[1] = aw, found[2] = bv, found[3] = bw;
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
