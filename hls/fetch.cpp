// Fetch: one command from the list, as 32 words.
#include "memory.hpp"
#include "stages.hpp"

namespace cpt {

void fetch(const beat_t* commands, address_t address, std::uint32_t words[COMMAND_WORDS]) {
    const address_t first = address / BUS_BYTES;
    fetch_beats: for (std::uint32_t number = 0; number < COMMAND_BYTES / BUS_BYTES; ++number) {
        // II=1 lets Vitis read the command in one burst.
#pragma HLS PIPELINE II=1
        const words_t beat = read_beat(commands, PORT_COMMANDS, first + number);
        for (std::uint32_t i = 0; i < BEAT_WORDS; i += 2) {
#pragma HLS UNROLL
            words[(number * BEAT_WORDS + i) / 2] = beat.word[i] | std::uint32_t(beat.word[i + 1]) << 16;
        }
    }
}

}  // namespace cpt
