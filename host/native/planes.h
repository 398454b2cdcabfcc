// Codes of up to 16 channels to 16 bit planes: bit c of plane p is bit p of channel c's code.

#include <stdint.h>
#ifdef __ARM_NEON
#include <arm_neon.h>

// Of one byte of each of 16 codes: each channel's bit at its place, and then the bits of a plane are added up.
static inline void byte_to_planes(uint8x16_t bytes, uint16_t *planes) {
  const uint8x8_t eight = vcreate_u8(0x8040201008040201ull);
  const uint8x16_t places = vcombine_u8(eight, eight);
  uint8x8_t sums[8];
  for (int p = 0; p < 8; p++) {
    const uint8x16_t bits = vandq_u8(vtstq_u8(bytes, vdupq_n_u8((uint8_t)(1u << p))), places);
    sums[p] = vpadd_u8(vget_low_u8(bits), vget_high_u8(bits));
  }
  for (int p = 0; p < 8; p += 4) {
    const uint8x8_t four = vpadd_u8(vpadd_u8(sums[p], sums[p + 1]), vpadd_u8(sums[p + 2], sums[p + 3]));
    vst1_u16(planes + p, vreinterpret_u16_u8(four));
  }
}

static inline void sixteen_to_planes(const int32_t *codes, uint16_t *planes) {
  const uint8x16_t a = vreinterpretq_u8_s16(vcombine_s16(vmovn_s32(vld1q_s32(codes)), vmovn_s32(vld1q_s32(codes + 4))));
  const uint8x16_t b =
      vreinterpretq_u8_s16(vcombine_s16(vmovn_s32(vld1q_s32(codes + 8)), vmovn_s32(vld1q_s32(codes + 12))));
  const uint8x16x2_t bytes = vuzpq_u8(a, b);
  byte_to_planes(bytes.val[0], planes), byte_to_planes(bytes.val[1], planes + 8);
}
#endif

static inline void exchange(uint32_t *a, uint32_t *b, int by, uint32_t mask) {
  const uint32_t change = (*a >> by ^ *b) & mask;
  *a ^= change << by, *b ^= change;
}

static void to_planes(const int32_t *codes, int32_t count, uint16_t *planes) {
#ifdef __ARM_NEON
  if (count >= 16) {
    sixteen_to_planes(codes, planes);
    return;
  }
#endif
  uint32_t x[8]; // rows k and k + 8
  for (int k = 0; k < 8; k++) {
    const uint32_t low = k < count ? (uint16_t)codes[k] : 0, high = k + 8 < count ? (uint32_t)codes[k + 8] << 16 : 0;
    const uint32_t both = low | high, change = (both >> 8 ^ both) & 0xFF00;
    x[k] = both ^ change ^ change << 8;
  }
  for (int k = 0; k < 4; k++) exchange(x + k, x + k + 4, 4, 0x0F0F0F0F);
  for (int k = 0; k < 8; k += k & 1 ? 3 : 1) exchange(x + k, x + k + 2, 2, 0x33333333);
  for (int k = 0; k < 8; k += 2) exchange(x + k, x + k + 1, 1, 0x55555555);
  for (int k = 0; k < 8; k++) planes[k] = (uint16_t)x[k], planes[k + 8] = (uint16_t)(x[k] >> 16);
}
