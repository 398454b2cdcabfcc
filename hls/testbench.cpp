// Test bench: replays vector files (contract, section 17), given as files or folders. Vitis HLS runs it as well.
//
//     testbench [--fast] FILE-OR-FOLDER...      --fast leaves out the vectors that are marked slow
#include "check.hpp"
#include "region.hpp"
#ifdef CPT_TIMED
#include "timed_list.hpp"
#endif

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace cpt;

namespace {

constexpr std::size_t HEADER_BYTES = 64;

struct Vector {
    std::string name;
    std::uint32_t mem_bytes, image_bytes, list_offset, list_bytes, status, error_index, commands_done, slow, mem_base,
        features;
    std::vector<std::uint8_t> before, after;
};

std::uint32_t word_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
    return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | std::uint32_t(bytes[at + 3]) << 24;
}

bool read_vector(const std::string& path, Vector& vector) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (bytes.size() < HEADER_BYTES || !std::equal(bytes.begin(), bytes.begin() + 8, "CPTVEC01")) return false;
    std::uint32_t* const fields[] = {&vector.mem_bytes, &vector.image_bytes, &vector.list_offset, &vector.list_bytes,
                                     &vector.status, &vector.error_index, &vector.commands_done, &vector.slow,
                                     &vector.mem_base, &vector.features};
    for (std::size_t i = 0; i < 10; ++i) *fields[i] = word_at(bytes, 8 + 4 * i);
    if (bytes.size() != HEADER_BYTES + 2 * std::size_t(vector.image_bytes)) return false;
    const auto images = bytes.begin() + HEADER_BYTES;
    vector.before.assign(images, images + vector.image_bytes);
    vector.after.assign(images + vector.image_bytes, bytes.end());
    const std::size_t slash = path.find_last_of('/');
    vector.name = path.substr(slash == std::string::npos ? 0 : slash + 1);
    return true;
}

/// The files that an argument names: itself, or every .vec file of a folder, in order.
std::vector<std::string> files_of(const std::string& argument) {
    DIR* const folder = opendir(argument.c_str());
    if (folder == nullptr) return {argument};
    std::vector<std::string> paths;
    while (const dirent* const entry = readdir(folder)) {
        const std::string name = entry->d_name;
        if (name.size() > 4 && name.compare(name.size() - 4, 4, ".vec") == 0) paths.push_back(argument + "/" + name);
    }
    closedir(folder);
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// The legal command of the list whose result or row sums the byte belongs to, in words.
std::string owner_of(const Vector& vector, std::uint32_t address) {
    const Extent list = {vector.list_offset, std::uint64_t(vector.list_offset) + vector.list_bytes};
    for (std::uint32_t at = 0; at + COMMAND_BYTES <= vector.list_bytes; at += COMMAND_BYTES) {
        if (std::uint64_t(vector.list_offset) + at + COMMAND_BYTES > vector.before.size()) break;
        std::uint32_t words[COMMAND_WORDS];
        for (std::uint32_t i = 0; i < COMMAND_WORDS; ++i) {
            words[i] = word_at(vector.before, vector.list_offset + at + 4 * i);
        }
        const Command command = decode(words);
        if (check_command(words, command, vector.mem_bytes, list) != ERROR_OK) continue;
        const Extents extents = extents_of(command);
        const Extent byte = {address, std::uint64_t(address) + 1};
        if (byte.overlaps(extents.out)) return "result of command " + std::to_string(at / COMMAND_BYTES);
        if (byte.overlaps(extents.sums)) return "row sums of command " + std::to_string(at / COMMAND_BYTES);
    }
    return "no command's result";
}

bool register_agrees(const Vector& vector, const char* name, std::uint32_t expected, std::uint32_t found) {
    if (expected == found) return true;
    std::printf("FAIL %s: %s expected 0x%X, found 0x%X\n", vector.name.c_str(), name, expected, found);
    return false;
}

bool memory_agrees(const Vector& vector, const std::uint8_t* found) {
    const auto differ = std::mismatch(vector.after.begin(), vector.after.end(), found);
    if (differ.first == vector.after.end()) return true;
    const std::uint32_t address = std::uint32_t(differ.first - vector.after.begin());
    std::printf("FAIL %s: %s, address 0x%X: expected 0x%02X, found 0x%02X\n", vector.name.c_str(),
                owner_of(vector, address).c_str(), address, *differ.first, *differ.second);
    return false;
}

/// Runs the vector's list. Co-simulation sees the memory behind the masters' pointers, from bus address 0 on; a region
/// beyond it can only be replayed through `simulation::Bus`.
bool replay(const Vector& vector) {
    static std::vector<beat_t> memory(COSIM_BEATS);
    std::vector<std::uint8_t> elsewhere;
    const bool in_reach = std::uint64_t(vector.mem_base) + vector.before.size() <= memory.size() * BUS_BYTES;
    if (!in_reach) elsewhere.resize(vector.before.size());
    std::uint8_t* const bytes =
        in_reach ? reinterpret_cast<std::uint8_t*>(memory.data()) + vector.mem_base : elsewhere.data();
    std::copy(vector.before.begin(), vector.before.end(), bytes);
    simulation::Registers registers = {};
    registers[REGISTER_MEM_BASE] = vector.mem_base;
    registers[REGISTER_MEM_BYTES] = vector.mem_bytes;
    registers[REGISTER_LIST_OFFSET] = vector.list_offset;
    registers[REGISTER_LIST_BYTES] = vector.list_bytes;
    simulation::Region region(bytes, vector.before.size(), vector.mem_base);
#ifdef CPT_TIMED
    const std::string problem = timed::run_list(region, memory.data(), registers);
    if (!problem.empty()) {
        std::printf("FAIL %s: %s\n", vector.name.c_str(), problem.c_str());
        return false;
    }
#else
    simulation::run_list(region, memory.data(), registers);
#endif
    bool good = register_agrees(vector, "STATUS", vector.status, registers[REGISTER_STATUS]);
    good &= register_agrees(vector, "ERROR_INDEX", vector.error_index, registers[REGISTER_ERROR_INDEX]);
    good &= register_agrees(vector, "COMMANDS_DONE", vector.commands_done, registers[REGISTER_COMMANDS_DONE]);
    good &= register_agrees(vector, "MAGIC", VERSION_MAGIC, registers[REGISTER_MAGIC]);
    good &= memory_agrees(vector, bytes);
    if (good) std::printf("pass %s\n", vector.name.c_str());
    return good;
}

}  // namespace

int main(int count, char** arguments) {
    std::size_t passed = 0, failed = 0, left_out = 0;
    bool fast = false;
    for (int i = 1; i < count; ++i) {
        const std::string argument = arguments[i];
        if (argument == "--fast") {
            fast = true;
            continue;
        }
        for (const std::string& path : files_of(argument)) {
            Vector vector;
            if (!read_vector(path, vector)) {
                std::printf("FAIL %s: cannot be read, or is no vector file\n", path.c_str());
                ++failed;
            } else if (fast && vector.slow) {
                std::printf("left out, as it is slow: %s\n", vector.name.c_str());
                ++left_out;
            } else if (vector.features & ~FEATURES) {
                ++left_out;   // it needs what this kernel does not have
            } else {
                ++(replay(vector) ? passed : failed);
            }
            std::fflush(stdout);
        }
    }
    std::printf("%zu passed, %zu failed, %zu left out\n", passed, failed, left_out);
    if (passed + failed == 0) std::printf("nothing was run: name .vec files or folders that hold some\n");
    return passed > 0 && failed == 0 ? 0 : 1;
}
