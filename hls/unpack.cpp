// Unpack: the beats of runs become packets, up to BANKS words a cycle, each word before the bank it will lie in.
#include "stages.hpp"

namespace cpt {

static void send_packet(
    const packet_t& packet, std::uint32_t target, hls::stream<packet_t> lane_feed[LANES],
    hls::stream<packet_t>& column_feed) {
#pragma HLS INLINE
    // Each feed is a stream of its own, so a target chooses one of all writes.
    if (target == TO_COLUMNS) column_feed.write(packet);
    for (std::uint32_t lane = 0; lane < LANES; ++lane) {
#pragma HLS UNROLL
        if (target == lane) lane_feed[lane].write(packet);
    }
}

/// Words of a run that a packet holds when they lie `step` apart: those of BANKS words of memory.
static std::uint32_t packet_words(std::uint32_t step) {
#pragma HLS INLINE
    std::uint32_t words = 1;
    for (std::uint32_t more = 1; more < BANKS; ++more) {
#pragma HLS UNROLL
        if (more * step < BANKS) ++words;
    }
    return words;
}

void unpack(
    hls::stream<run_t>& runs, hls::stream<words_t>& beats, hls::stream<packet_t> lane_feed[LANES],
    hls::stream<packet_t>& column_feed) {
    // A packet's words span at most BANKS words of memory, so the last two beats hold them all.
    word_t window[2 * BEAT_WORDS] = {};
#pragma HLS ARRAY_PARTITION variable=window complete
    run_t run = {};
    std::uint32_t most = 0;      // words of a packet
    std::uint32_t reach = 0;     // words of memory from a packet's first to its last
    std::uint32_t advance = 0;   // ... to the next packet's first
    std::uint32_t at = 0;        // of the next word, counted from the first beat
    std::uint32_t taken = 0;     // words of the beats taken so far
    std::uint32_t waiting = 0;   // beats of the run that are yet to be taken
    std::uint32_t done = 0;
    unpack_steps: while (!run.end) {
        // The next run, or a beat in and a packet out.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=4096
        if (done == run.words) {
            run = runs.read();
            most = packet_words(run.step);
            advance = most * run.step;
            reach = advance - run.step;
            at = run.offset;
            waiting = run.beats;
            taken = done = 0;
            continue;
        }
        if (waiting > 0 && taken <= at + reach) {
            const words_t beat = beats.read();
            for (std::uint32_t i = 0; i < BEAT_WORDS; ++i) {
#pragma HLS UNROLL
                window[i] = window[BEAT_WORDS + i];
                window[BEAT_WORDS + i] = beat.word[i];
            }
            taken += BEAT_WORDS;
            --waiting;
        }
        if (waiting > 0 && taken <= at + reach) continue;
        const std::uint32_t count = min_of(most, run.words - done);
        packet_t packet;
        packet.first = run.destination + done;
        packet.count = std::uint8_t(count);
        const std::uint32_t offset = at + 2 * BEAT_WORDS - taken;   // of the packet's first word in the window
        for (std::uint32_t bank = 0; bank < BANKS; ++bank) {
#pragma HLS UNROLL
            const std::uint32_t element = (bank - packet.first) % BANKS;
            const bool used = !run.zero && element < count;
            packet.bank[bank] = used ? window[(offset + element * run.step) % (2 * BEAT_WORDS)] : word_t(0);
        }
        send_packet(packet, run.target, lane_feed, column_feed);
        done += count;
        at += advance;
    }
}

}  // namespace cpt
