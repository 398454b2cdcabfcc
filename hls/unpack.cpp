// Unpack: the beats of a run become packets, up to BANKS words a cycle, each word before the bank it will lie in.
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

static void unpack_run(
    const run_t& run, hls::stream<words_t>& beats, hls::stream<packet_t> lane_feed[LANES],
    hls::stream<packet_t>& column_feed) {
#pragma HLS INLINE
    // A packet's words span at most BANKS words of memory, so the last two beats hold them all.
    word_t window[2 * BEAT_WORDS] = {};
#pragma HLS ARRAY_PARTITION variable=window complete
    const std::uint32_t most = (BANKS - 1) / run.step + 1;
    std::uint32_t at = run.offset;   // of the next word, counted from the first beat
    std::uint32_t taken = 0;         // words of the beats taken so far
    std::uint32_t done = 0;
    unpack_packets: while (done < run.words) {
        // A beat in and a packet out in the same cycle.
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=32
        const std::uint32_t count = min_of(most, run.words - done);
        const std::uint32_t last = at + (count - 1) * run.step;
        if (!run.zero && taken <= last) {
            const words_t beat = beats.read();
            for (std::uint32_t i = 0; i < BEAT_WORDS; ++i) {
#pragma HLS UNROLL
                window[i] = window[BEAT_WORDS + i];
                window[BEAT_WORDS + i] = beat.word[i];
            }
            taken += BEAT_WORDS;
        }
        if (run.zero || taken > last) {
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
            at += count * run.step;
        }
    }
}

void unpack(
    hls::stream<run_t>& runs, hls::stream<words_t>& beats, hls::stream<packet_t> lane_feed[LANES],
    hls::stream<packet_t>& column_feed) {
    run_t run = runs.read();
    while (!run.end) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=1024
        unpack_run(run, beats, lane_feed, column_feed);
        run = runs.read();
    }
}

}  // namespace cpt
