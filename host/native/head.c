// The classifier between the two lists, from sums in the region to its error in the region: what
// host/compiler/step/head.py computes, bit for bit. Doubles are added and multiplied one by one in the order written.

#include <stdint.h>
#include <string.h>
#ifdef __ARM_NEON
#include <arm_neon.h>
#endif

// Pointers and numbers of a call; host/driver/native_head.py has the same. The region's are marked.
typedef struct {
  const char *sums;          // region: int32, a row of channels an image, `sums_stride` bytes apart
  char *planes;              // region: 16 planes of 16 channels, images `planes_stride` bytes apart
  char *records;             // region: the tally's, `record_bytes` apart
  int32_t *fraction;         // region: bits behind the point of the error
  const int32_t *weight;     // classes x features, 27 bits behind the point
  const int32_t *bias;       // likewise
  const int64_t *labels;
  int64_t *pooled;           // images x features
  double *logits;            // images x classes
  int64_t *differences;      // images x classes, 24 bits behind the point
  int32_t *error;            // images x features
  int64_t *rows;             // features: room for sums
  double *errors;            // images x features: room
  int32_t *bounds;           // 2 x features: room
  double logit_scale;        // 2^(-27 - bits behind the point of the sums)
  double pixels, all_pixels; // of an image, of the batch
  double loss;               // mean cross entropy
  int32_t images, features, classes, sums_stride, planes_stride, record_bytes, least_at, most_at;
} Head;

enum { MAX_CLASSES = 4096, TERMS = 12, LOG_TERMS = 12 };

static const double PER_LN2 = 0x1.71547652b82fep+0, LN2 = 0x1.62e42fee00000p-1, LN2_REST = 0x1.a39ef35793c76p-33;
static const double ROUND = 0x1.8p52, LEAST = -708.0, HALF_ROOT = 0x1.6a09e667f3bcdp-1;
static double factorials[TERMS], odds[LOG_TERMS]; // 1/13! .. 1/2!, 1/23 .. 1/1

static double nearest(double x) { return (x + ROUND) - ROUND; } // ties to even, below 2^51

static double power(int exponent) { // of two
  const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double split(double x, int *exponent) { // x > 0 as a number in [1/2, 1) times a power of two
  uint64_t bits;
  memcpy(&bits, &x, sizeof x);
  *exponent = (int)(bits >> 52 & 0x7FF) - 1022;
  bits = (bits & 0xFFFFFFFFFFFFFull) | 1022ull << 52;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void fill_terms(void) {
  double factorial = 1.0;
  for (int n = 2; n <= 13; n++) factorial *= n, factorials[13 - n] = 1.0 / factorial;
  for (int n = 1; n <= 23; n += 2) odds[(23 - n) / 2] = 1.0 / n;
}

static double exponential(double x) {
  if (x < LEAST) return 0.0;
  const double k = nearest(x * PER_LN2), r = (x - k * LN2) - k * LN2_REST;
  double value = factorials[0];
  for (int n = 1; n < TERMS; n++) value = value * r + factorials[n];
  return (1.0 + (r + r * r * value)) * power((int)k);
}

static double logarithm(double x) {
  int k;
  double m = split(x, &k);
  if (m < HALF_ROOT) m *= 2.0, k--;
  const double s = (m - 1.0) / (m + 1.0), square = s * s;
  double value = odds[0];
  for (int n = 1; n < LOG_TERMS; n++) value = value * square + odds[n];
  return k * LN2 + (2.0 * s * value + k * LN2_REST);
}

// As a conversion by one rounding, which 32-bit processors leave to a library.
static inline double real(int64_t x) { return (double)(int32_t)(x >> 32) * 0x1p32 + (double)(uint32_t)x; }

static inline int64_t size_of(int64_t x) { return x < 0 ? -x : x; }

// Whether sums of `most` times `highest` words stay below the limits of head.py's exact_product.
static int fits(int64_t most, int64_t highest) {
  return most < 1ll << 37 && (double)most * (1.0 + (double)highest) < 0x1p47;
}

static inline void exchange(uint32_t *a, uint32_t *b, int by, uint32_t mask) {
  const uint32_t change = (*a >> by ^ *b) & mask;
  *a ^= change << by, *b ^= change;
}

static void transpose(const int32_t *codes, int count, uint16_t *planes) { // 16 channels to 16 planes
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

// Sums over the classes of differences times weights, for `count` channels.
static void backwards(const int64_t *differences, const int32_t *weight, int32_t classes, int32_t count, int64_t *sums) {
  int32_t c = 0;
#ifdef __ARM_NEON
  for (; c + 4 <= count; c += 4) {
    int64x2_t low = vdupq_n_s64(0), high = low;
    for (int32_t k = 0; k < classes; k++) {
      const int32x4_t words = vld1q_s32(weight + k * count + c);
      low = vmlal_n_s32(low, vget_low_s32(words), (int32_t)differences[k]);
      high = vmlal_n_s32(high, vget_high_s32(words), (int32_t)differences[k]);
    }
    vst1q_s64(sums + c, low), vst1q_s64(sums + c + 2, high);
  }
#endif
  for (; c < count; c++) {
    sums[c] = 0;
    for (int32_t k = 0; k < classes; k++) sums[c] += (int64_t)(int32_t)differences[k] * weight[k * count + c];
  }
}

// 0, or 1 if sums may not fit: nothing was written to the region then.
int32_t cpt_head_error(Head *h) {
  const int32_t images = h->images, features = h->features, classes = h->classes;
  int64_t highest = 0, most = 0;
  if (classes > MAX_CLASSES) return 1;
  if (odds[0] == 0.0) fill_terms();
  for (int32_t i = 0; i < classes * features; i++) {
    const int64_t high = size_of(h->weight[i] >> 16);
    highest = high > highest ? high : highest;
  }
  for (int32_t n = 0; n < images; n++) {
    const int32_t *sums = (const int32_t *)(h->sums + (int64_t)n * h->sums_stride);
    int64_t *pooled = h->pooled + (int64_t)n * features, all = 0;
    for (int32_t c = 0; c < features; c++) pooled[c] = sums[c];
    for (int32_t c = 0; c < features; c++) all += sums[c] < 0 ? -(uint32_t)sums[c] : (uint32_t)sums[c];
    most = all > most ? all : most;
  }
  if (!fits(most, highest)) return 1;
  double total_loss = 0.0;
  most = 0;
  for (int32_t n = 0; n < images; n++) {
    const int32_t *sums = (const int32_t *)(h->sums + (int64_t)n * h->sums_stride);
    double *logits = h->logits + (int64_t)n * classes, powers[MAX_CLASSES], greatest = 0.0, total = 0.0;
    int64_t *differences = h->differences + (int64_t)n * classes, all = 0;
    for (int32_t k = 0; k < classes; k++) {
      const int32_t *weight = h->weight + (int64_t)k * features;
      int64_t product = 0;
      for (int32_t c = 0; c < features; c++) product += (int64_t)sums[c] * weight[c];
      logits[k] = real(product) * h->logit_scale / h->pixels + h->bias[k] * 0x1p-27;
      if (k == 0 || logits[k] > greatest) greatest = logits[k];
    }
    for (int32_t k = 0; k < classes; k++) total = total + (powers[k] = exponential(logits[k] - greatest));
    const int64_t label = h->labels[n];
    total_loss += logarithm(total) - (logits[label] - greatest);
    for (int32_t k = 0; k < classes; k++) {
      const double share = powers[k] / total - (k == label ? 1.0 : 0.0);
      differences[k] = (int64_t)(int32_t)nearest(share * 0x1p24);
      all += size_of(differences[k]);
    }
    most = all > most ? all : most;
  }
  h->loss = total_loss / images;
  if (!fits(most, highest)) return 1;
  double greatest = 0.0;
  const double all_pixels = h->all_pixels;
  int64_t *rows = h->rows;
  for (int32_t n = 0; n < images; n++) {
    const int64_t *differences = h->differences + (int64_t)n * classes;
    double *errors = h->errors + (int64_t)n * features;
    backwards(differences, h->weight, classes, features, rows);
    for (int32_t c = 0; c < features; c++) {
      const double x = errors[c] = real(rows[c]) * 0x1p-51 / all_pixels, size = __builtin_fabs(x);
      greatest = size > greatest ? size : greatest;
    }
  }
  int exponent = 15;
  if (greatest > 0.0) split(greatest, &exponent);
  const double scale = power(15 - exponent);
  *h->fraction = 15 - exponent;
  int32_t *least = h->bounds, *most_of = h->bounds + features;
  for (int32_t c = 0; c < features; c++) least[c] = INT32_MAX, most_of[c] = INT32_MIN;
  for (int32_t n = 0; n < images; n++) {
    int32_t *codes = h->error + (int64_t)n * features;
    const double *errors = h->errors + (int64_t)n * features;
    for (int32_t c = 0; c < features; c++) codes[c] = (int32_t)nearest(errors[c] * scale);
    for (int32_t c = 0; c < features; c++) {
      const int32_t cut = codes[c] > 32767 ? 32767 : codes[c], code = cut < -32767 ? -32767 : cut;
      codes[c] = code;
      least[c] = code < least[c] ? code : least[c];
      most_of[c] = code > most_of[c] ? code : most_of[c];
    }
    uint16_t *planes = (uint16_t *)(h->planes + (int64_t)n * h->planes_stride);
    for (int32_t c = 0; c < features; c += 16, planes += 16) transpose(codes + c, features - c, planes);
  }
  for (int32_t c = 0; c < features; c++) {
    char *record = h->records + (int64_t)c * h->record_bytes;
    *(int32_t *)(record + h->least_at) = least[c], *(int32_t *)(record + h->most_at) = most_of[c];
  }
  return 0;
}
