// Fetch: one command from the list, as 32 words.
#include "memory.hpp"
#include "stages.hpp"

namespace cpt {

void fetch(port_t& commands, address_t address, std::uint32_t words[COMMAND_WORDS]) {
    constexpr std::uint32_t beats = COMMAND_BYTES / BUS_BYTES;
    request_read(commands, PORT_COMMANDS, address, beats);
    fetch_beats: for (std::uint32_t number = 0; number < beats; ++number) {
#pragma HLS PIPELINE II=1
        const words_t beat = read_beat(commands, PORT_COMMANDS);
        for (std::uint32_t i = 0; i < BEAT_WORDS; i += 2) {
#pragma HLS UNROLL
            words[(number * BEAT_WORDS + i) / 2] = beat.word[i] | std::uint32_t(beat.word[i + 1]) << 16;
        }
    }
}

}  // namespace cpt
