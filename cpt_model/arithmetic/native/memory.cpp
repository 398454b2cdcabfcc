// How the process handles freed memory.
#include <cstdint>

#ifdef __GLIBC__
#include <malloc.h>
#endif

extern "C" {

// A training step frees and takes the same large blocks again and again. Handing their pages back to the system in
// between costs more than the element-wise arithmetic, so the allocator is told to keep them. Where it refuses, steps
// only take longer.
void cpt_keep_freed_memory() {
#ifdef __GLIBC__
    if (!mallopt(M_MMAP_THRESHOLD, 1 << 30)) mallopt(M_MMAP_THRESHOLD, 32 << 20);  // older glibc takes no more
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
#endif
}
}
