// The kernel as a shared library for Python's ctypes: takes a register file and a memory region, and runs a list.
#include "region.hpp"

extern "C" {

/// Registers of the library's register file, by 32-bit words.
std::uint32_t cpt_register_words() { return sizeof(cpt::simulation::Registers) / 4; }

/// Runs a list as a write of START would: `registers` lie as on the board, byte offset / 4. `memory` backs the first
/// `size` bytes of the region at MEM_BASE.
void cpt_run(std::uint32_t* registers, std::uint8_t* memory, std::uint64_t size) {
    cpt::simulation::Registers file;
    std::memcpy(file.words, registers, sizeof file.words);
    cpt::simulation::Region region(memory, size, file.get_64(cpt::REGISTER_MEM_BASE));
    cpt::simulation::run_list(region, nullptr, file);
    std::memcpy(registers, file.words, sizeof file.words);
}

}  // extern "C"
