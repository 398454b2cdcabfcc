#pragma once

#include <cstdint>

// What the functions return. Memory is taken outside of parallel regions: no exception may leave those, nor a C call.
enum : int32_t { kDone = 0, kNotFinite = 1, kNoMemory = 2 };
