// Crops, mirrors and packs images: bytes to bit planes in one pass. host/training/pixels.py has the same in NumPy.

#include <stdint.h>

// pixels: images x height x width x channels; moves: of each image, how far down, right, and whether it is mirrored;
// table: of each channel and byte, bit p of the code at bit 8p + channel; planes: images x height x 8 x width.
void cpt_pack_pixels(const uint8_t *pixels, const int32_t *moves, const uint64_t *table, uint16_t *planes,
                     int32_t images, int32_t height, int32_t width, int32_t channels) {
  uint64_t black = 0;
  for (int32_t c = 0; c < channels; c++) black |= table[256 * c];
  for (int32_t i = 0; i < images; i++, moves += 3) {
    for (int32_t y = 0; y < height; y++) {
      const int32_t row = y + moves[0], inside = row >= 0 && row < height;
      const uint8_t *line = pixels + ((int64_t)i * height + (inside ? row : 0)) * width * channels;
      uint16_t *out = planes + (int64_t)(i * height + y) * 8 * width;
      for (int32_t x = 0; x < width; x++, out++) {
        const int32_t column = (moves[2] ? width - 1 - x : x) + moves[1];
        uint64_t bits = black;
        if (inside && column >= 0 && column < width) {
          const uint8_t *pixel = line + column * channels;
          bits = table[pixel[0]];
          for (int32_t c = 1; c < channels; c++) bits |= table[256 * c + pixel[c]];
        }
        const uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> 32);
        uint16_t *plane = out;
        for (int32_t p = 0; p < 4; p++, plane += width) *plane = low >> 8 * p & 0xFF;
        for (int32_t p = 0; p < 4; p++, plane += width) *plane = high >> 8 * p & 0xFF;
      }
    }
  }
}
