// A forward pass, or an input-error pass at stride 1, as one convolution: what kernels on floats and on bytes share.
#pragma once

#include <cstdint>

#include "maps.h"

// Results are the layer's outputs, terms its inputs; transposed the reverse, and the kernel is turned round.
struct Convolution {
    int64_t outs, ins;
    bool transposed;
    Window rows, columns;

    // Geometry is the layer's: kernel, stride, padding, size and output size of rows, then of columns.
    Convolution(int64_t outs, int64_t ins, bool transposed, const int64_t* geometry)
        : outs(outs),
          ins(ins),
          transposed(transposed),
          rows(window(Window::of(geometry))),
          columns(window(Window::of(geometry + 5))) {}

    int64_t terms() const { return transposed ? outs : ins; }
    int64_t results() const { return transposed ? ins : outs; }
    int64_t taps() const { return rows.kernel * columns.kernel; }
    int64_t a_size() const { return terms() * rows.size * columns.size; }

    // Calls see(result, tap, term, weight) for every weight of a layer (out, in, kh, kw).
    template <class See>
    void each_weight(const float* w, bool channels_last, See see) const {
        const int64_t in_step = channels_last ? 1 : taps(), tap_step = channels_last ? ins : 1;
        const int64_t out_step = ins * taps();
        const int64_t result_step = transposed ? in_step : out_step, term_step = transposed ? out_step : in_step;
        for (int64_t r = 0; r < results(); ++r)
            for (int64_t tap = 0; tap < taps(); ++tap) {
                const float* from = w + r * result_step + (transposed ? taps() - 1 - tap : tap) * tap_step;
                for (int64_t t = 0; t < terms(); ++t) see(r, tap, t, from[t * term_step]);
            }
    }

  private:
    Window window(const Window& of) const {
        return transposed ? Window{of.kernel, 1, of.kernel - 1 - of.padding, of.out_size, of.size} : of;
    }
};
