// Fetch: one command from the list, as 32 words.
#include "memory.hpp"
#include "stages.hpp"

namespace cpt {

void fetch(const beat_t* commands, address_t address, std::uint32_t words[COMMAND_WORDS]) {
    for (std::uint32_t at = 0; at < COMMAND_BYTES; at += BUS_BYTES) {
        // II=1 lets Vitis read the command in one burst.
#pragma HLS PIPELINE II=1
        const words_t beat = read_beat(commands, PORT_COMMANDS, address + at);
        for (std::uint32_t i = 0; i < BEAT_WORDS; i += 2) {
#pragma HLS UNROLL
            words[at / 4 + i / 2] = beat.word[i] | std::uint32_t(beat.word[i + 1]) << 16;
        }
    }
}

}  // namespace cpt
