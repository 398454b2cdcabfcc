// Crops, mirrors and packs images: bytes to bit planes in one pass. host/training/pixels.py has the same in NumPy.

#include <stdint.h>

// pixels: images x height x width x channels; moves: of each image, how far down, right, and whether it is mirrored;
// table: of each channel and byte, bit p of the code at bit 8p + channel; planes: images x height x 8 x width.
void cpt_pack_pixels(const uint8_t *pixels, const int32_t *moves, const uint64_t *table, uint16_t *planes,
                     int32_t images, int32_t height, int32_t width, int32_t channels) {
  for (int32_t i = 0; i < images; i++, moves += 3) {
    for (int32_t y = 0; y < height; y++) {
      const int32_t row = y + moves[0];
      uint16_t *out = planes + (int64_t)(i * height + y) * 8 * width;
      for (int32_t x = 0; x < width; x++) {
        const int32_t column = (moves[2] ? width - 1 - x : x) + moves[1];
        const int inside = row >= 0 && row < height && column >= 0 && column < width;
        const uint8_t *pixel = pixels + (((int64_t)i * height + row) * width + column) * channels;
        uint64_t bits = 0;
        for (int32_t c = 0; c < channels; c++) bits |= table[256 * c + (inside ? pixel[c] : 0)];
        for (int32_t p = 0; p < 8; p++) out[p * width + x] = (bits >> 8 * p) & 0xFF;
      }
    }
  }
}
