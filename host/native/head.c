// The classifier between the two lists, from sums in the region to its error in the region: what
// host/compiler/step/head.py computes, bit for bit. Doubles are added and multiplied one by one in the order written.

#include <stdint.h>
#include <string.h>

#include "planes.h"
#include "products.h"

typedef union {
  double real;
  uint32_t words[2]; // the low one first
} Number;

// Pointers and numbers of a call; host/driver/native_head.py has the same. The region's are marked.
typedef struct {
  const char *sums;          // region: int32, a row of channels an image, `sums_stride` bytes apart
  char *planes;              // region: 16 planes of 16 channels, images `planes_stride` bytes apart
  char *step, *tally;        // region: the blocks of the error; first they become `blank_step` and `blank_tally`
  const char *blank_step, *blank_tally;
  const int32_t *weight;     // classes x features, 27 bits behind the point
  const int32_t *bias;       // likewise
  const int64_t *labels;
  int32_t *pooled;           // images x features: the sums
  double *logits;            // images x classes
  int32_t *differences;      // images x classes, 24 bits behind the point
  int32_t *error;            // images x features
  int64_t *rows;             // 2 x features: room for sums
  Number *errors;            // images x features: room
  int32_t *bounds;           // 2 x features: room
  double logit_scale;        // 2^(-27 - bits behind the point of the sums)
  double pixels, all_pixels; // of an image, of the batch
  double loss;               // mean cross entropy
  int32_t images, features, classes, sums_stride, planes_stride, step_bytes, tally_bytes, fraction_at;
  int32_t records_at, record_bytes, least_at, most_at; // of the tally
  int32_t fraction;          // bits behind the point of the error
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

// Whether sums of `most` times `highest` words stay below the limits of head.py's exact_product.
static int fits(int64_t most, int64_t highest) {
  return most < 1ll << 37 && (double)most * (1.0 + (double)highest) < 0x1p47;
}

static int64_t highest_word(const int32_t *weight, int32_t count) {
  int32_t highest = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t high = weight[i] >> 16, size = high < 0 ? -high : high;
    highest = size > highest ? size : highest;
  }
  return highest;
}

// Copies the sums; the greatest total of magnitudes of an image.
static int64_t take_sums(const Head *h) {
  int64_t most = 0;
  for (int32_t n = 0; n < h->images; n++) {
    int32_t *row = h->pooled + n * h->features;
    memcpy(row, h->sums + (int64_t)n * h->sums_stride, 4 * (uint32_t)h->features);
    const int64_t all = (int64_t)magnitudes(row, h->features);
    most = all > most ? all : most;
  }
  return most;
}

// Four images and two classes at a time; the last ones more than once where there are fewer.
static void take_logits(const Head *h) {
  const int32_t features = h->features, classes = h->classes;
  for (int32_t n = 0; n < h->images; n += 4) {
    const int32_t *rows[4];
    double *logits[4];
    for (int32_t i = 0; i < 4; i++) {
      const int32_t image = n + i < h->images ? n + i : h->images - 1;
      rows[i] = h->pooled + image * features, logits[i] = h->logits + image * classes;
    }
    for (int32_t k = 0; k < classes; k += 2) {
      const int32_t pair[2] = {k, k + 1 < classes ? k + 1 : k};
      int64_t found[8];
      dots(rows, h->weight + k * features, h->weight + pair[1] * features, features, found);
      for (int32_t i = 0; i < 8; i++) {
        const double mean = real(found[i]) * h->logit_scale / h->pixels;
        logits[i / 2][pair[i % 2]] = mean + h->bias[pair[i % 2]] * 0x1p-27;
      }
    }
  }
}

// The loss of one image; its differences, and the total of their magnitudes.
static double softmax(const double *logits, int32_t classes, int32_t label, int32_t *differences, uint32_t *all) {
  double powers[MAX_CLASSES], greatest = logits[0], total = 0.0;
  for (int32_t k = 1; k < classes; k++) greatest = logits[k] > greatest ? logits[k] : greatest;
  for (int32_t k = 0; k < classes; k++) total = total + (powers[k] = exponential(logits[k] - greatest));
  for (int32_t k = 0; k < classes; k++) {
    const double share = powers[k] / total - (k == label ? 1.0 : 0.0);
    const int32_t difference = (int32_t)nearest(share * 0x1p24);
    differences[k] = difference;
    *all += (uint32_t)(difference < 0 ? -difference : difference);
  }
  return logarithm(total) - (logits[label] - greatest);
}

// Errors as numbers; the exponent of the greatest: it is in [2^(exponent - 1), 2^exponent).
static int take_errors(const Head *h) {
  const int32_t features = h->features;
  int exponent, exact = split(h->all_pixels, &exponent) == 0.5; // to divide by a power of two is to multiply
  const double factor = 0x1p-51 / h->all_pixels;
  uint32_t most = 0; // high words of numbers are in the numbers' order
  for (int32_t n = 0; n < h->images; n += 2) {
    const int32_t second = n + 1 < h->images ? n + 1 : n, count = (second - n + 1) * features;
    Number *errors = h->errors + n * features;
    transposed_dots(h->differences + n * h->classes, h->differences + second * h->classes, h->weight, h->classes,
                    features, h->rows, h->rows + features);
    if (exact) {
      for (int32_t i = 0; i < count; i++) errors[i].real = real(h->rows[i]) * factor;
    } else {
      for (int32_t i = 0; i < count; i++) errors[i].real = real(h->rows[i]) * 0x1p-51 / h->all_pixels;
    }
    for (int32_t i = 0; i < count; i++) {
      const uint32_t size = errors[i].words[1] & 0x7FFFFFFF;
      most = size > most ? size : most;
    }
  }
  return most ? (int)(most >> 20) - 1022 : 15;
}

// Codes of the errors into the region, and their bounds by channel.
static void write_codes(const Head *h, double scale) {
  const int32_t features = h->features;
  int32_t *least = h->bounds, *most = h->bounds + features;
  for (int32_t c = 0; c < features; c++) least[c] = INT32_MAX, most[c] = INT32_MIN;
  for (int32_t n = 0; n < h->images; n++) {
    int32_t *codes = h->error + n * features;
    Number *errors = h->errors + n * features;
    for (int32_t c = 0; c < features; c++) errors[c].real = errors[c].real * scale + ROUND; // the integer is below
    for (int32_t c = 0; c < features; c++) {
      const int32_t rounded = (int32_t)errors[c].words[0];
      const int32_t cut = rounded > 32767 ? 32767 : rounded, code = cut < -32767 ? -32767 : cut;
      codes[c] = code;
      least[c] = code < least[c] ? code : least[c];
      most[c] = code > most[c] ? code : most[c];
    }
    uint16_t *planes = (uint16_t *)(h->planes + (int64_t)n * h->planes_stride);
    for (int32_t c = 0; c < features; c += 16, planes += 16) to_planes(codes + c, features - c, planes);
  }
  for (int32_t c = 0; c < features; c++) {
    char *record = h->tally + h->records_at + c * h->record_bytes;
    memcpy(record + h->least_at, least + c, 4), memcpy(record + h->most_at, most + c, 4);
  }
}

// 0, or 1 if sums may not fit: nothing was written to the region then.
int32_t cpt_head_error(Head *h) {
  const int64_t highest = highest_word(h->weight, h->classes * h->features);
  if (h->classes > MAX_CLASSES) return 1;
  if (odds[0] == 0.0) fill_terms();
  if (!fits(take_sums(h), highest)) return 1;
  take_logits(h);
  uint32_t most = 0;
  double loss = 0.0;
  for (int32_t n = 0; n < h->images; n++) {
    const int32_t first = n * h->classes;
    uint32_t all = 0;
    loss += softmax(h->logits + first, h->classes, (int32_t)h->labels[n], h->differences + first, &all);
    most = all > most ? all : most;
  }
  if (!fits(most, highest)) return 1;
  h->loss = loss / h->images;
  const int exponent = take_errors(h);
  h->fraction = 15 - exponent;
  memcpy(h->step, h->blank_step, (uint32_t)h->step_bytes), memcpy(h->tally, h->blank_tally, (uint32_t)h->tally_bytes);
  memcpy(h->step + h->fraction_at, &h->fraction, 4);
  write_codes(h, power(15 - exponent));
  return 0;
}
