// One axis of a forward or input-error pass on a padded map. Results in phases: those of one phase read alike, each a
// fixed step further than the one before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "maps.h"

struct Phase {
    struct Read {
        int64_t tap, place;  // in the kernel, and in the padded map for the first result
    };
    int64_t first, count;
    std::vector<Read> reads;
};

// Forward, one phase reads at the layer's stride. Transposed (out·stride + tap − padding = in, results are `in`), every
// stride-th result has the same taps and reads every place in turn.
struct Phases {
    int64_t before, size, padded;     // of the map: padding, what is stored, and all of it
    int64_t result_step, place_step;  // from one result of a phase to the next
    std::vector<Phase> all;

    Phases(const Window& w, bool transposed)
        : before(w.padding), size(w.size), padded(w.padded()), result_step(1), place_step(w.stride) {
        if (!transposed) {
            Phase only{0, w.out_size, {}};
            for (int64_t tap = 0; tap < w.kernel; ++tap) only.reads.push_back({tap, tap});
            all.push_back(only);
            return;
        }
        before = 0, size = w.out_size, padded = 1, result_step = w.stride, place_step = 1;
        for (int64_t first = 0; first < std::min(w.stride, w.size); ++first) {
            Phase phase{first, (w.size - first + w.stride - 1) / w.stride, {}};
            for (int64_t tap = (first + w.padding) % w.stride; tap < w.kernel; tap += w.stride)
                phase.reads.push_back({tap, (first + w.padding - tap) / w.stride});
            for (const auto& read : phase.reads) before = std::max(before, -read.place);
            all.push_back(phase);
        }
        for (Phase& phase : all)
            for (auto& read : phase.reads) {
                read.place += before;
                padded = std::max(padded, read.place + phase.count);
            }
    }
};
