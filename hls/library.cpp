// The kernel as a shared library for Python's ctypes: takes a register file and a memory region, and runs a list.
#include "region.hpp"

#ifdef CPT_TIMED
#include "timed_list.hpp"
#endif

#ifdef CPT_TIMED
static std::string& last_problem() {
    static std::string text;
    return text;
}
#endif

extern "C" {

/// Registers of the library's register file, by 32-bit words.
std::uint32_t cpt_register_words() { return sizeof(cpt::simulation::Registers) / 4; }

/// Runs a list as a write of START would: `registers` lie as on the board, byte offset / 4. `memory` backs the first
/// `size` bytes of the region at MEM_BASE.
void cpt_run(std::uint32_t* registers, std::uint8_t* memory, std::uint64_t size) {
    cpt::simulation::Registers file;
    std::memcpy(file.words, registers, sizeof file.words);
    cpt::simulation::Region region(memory, size, file.get_64(cpt::REGISTER_MEM_BASE));
#ifdef CPT_TIMED
    last_problem() = cpt::timed::run_list(region, nullptr, file);
#else
    cpt::simulation::run_list(region, nullptr, file);
#endif
    std::memcpy(registers, file.words, sizeof file.words);
}

#ifdef CPT_TIMED
/// The memory that the next lists run on.
void cpt_set_memory(double bytes_per_cycle, std::uint32_t latency) {
    cpt::timed::memory_settings() = {bytes_per_cycle, latency, cpt::BUS_BYTES};
}

/// What the last list took, as JSON, and what went wrong: a deadlock, or nothing.
const char* cpt_timing() { return cpt::timed::last_timing().c_str(); }
const char* cpt_problem() { return last_problem().c_str(); }
#endif

}  // extern "C"
