// The accelerator: runs a command list, each command as a dataflow of the stages.
#include "kernel.hpp"

#include "check.hpp"
#include "stages.hpp"
#include "vector/vector.hpp"

namespace cpt {

/// `count` jobs from `plan.first_job` on flow through the stages, several in different stages at a time.
static void run_jobs(
    const Command& command, const Plan& plan, std::uint32_t count, address_t base, port_t& loads,
    port_t& stores, volatile const ap_uint<2>* bus_errors) {
    // Counts from 0 to an argument, without an early exit: the form of loop that the tool accepts as a dataflow.
    for (std::uint32_t index = 0; index < count; ++index) {
#pragma HLS DATAFLOW
#pragma HLS STABLE variable=command
#pragma HLS STABLE variable=plan
#pragma HLS LOOP_TRIPCOUNT min=1 max=32
        // Command and plan do not change while jobs flow: no FIFO carries their fields from stage to stage.
        // Depths: runs are short, so a few dozen keep the bus busy; a feed holds what `load` sends to a lane at once;
        // the array takes an element of A every b_bits cycles, so few need to wait.
        static hls::stream<run_t> runs("runs");
        static hls::stream<words_t> beats("beats");
        static hls::stream<packet_t> lane_feed[LANES];
        static hls::stream<packet_t> column_feed("column_feed");
        static hls::stream<slice_t> a[LANES];
        static hls::stream<slice_t> b[COLUMNS];
        static hls::stream<results_t> results[EPILOGUE_LANES];
#pragma HLS STREAM variable=runs depth=64
#pragma HLS STREAM variable=beats depth=512
#pragma HLS STREAM variable=lane_feed depth=32
#pragma HLS STREAM variable=column_feed depth=32
#pragma HLS STREAM variable=a depth=4
#pragma HLS STREAM variable=b depth=4
#pragma HLS STREAM variable=results depth=2
        static_assert(LANE_FEED_PACKETS == 32, "the depth of lane_feed");
        static_assert(JOBS_PER_LOOK == 32, "the most that `count` can be");
        // Ping-pong memories: the store empties one while the epilogue fills the other, EPILOGUE_LANES lanes at a time;
        // the store reads STORE_POSITIONS positions, the epilogue writes MAX_PIECES pieces of one.
        piece_t pieces[LANES][ROW_PIECES];
        sum_t sums[LANES][ROW_PIECES];
        tally_t tallies[COLUMNS];
#pragma HLS ARRAY_PARTITION variable=tallies complete
#pragma HLS ARRAY_PARTITION variable=pieces cyclic factor=2 dim=1
#pragma HLS ARRAY_PARTITION variable=pieces cyclic factor=4 dim=2
#pragma HLS AGGREGATE variable=pieces compact=bit
#pragma HLS ARRAY_PARTITION variable=sums cyclic factor=2 dim=1
        static_assert(EPILOGUE_LANES <= 2, "the banks of pieces and sums in dim 1");
        static_assert(STORE_POSITIONS <= 4 && MAX_PIECES <= 4, "the banks of pieces in dim 2");
        load(command, plan, index, base, loads, runs, beats);
        unpack(runs, beats, lane_feed, column_feed);
        form_lanes(command, plan, index, lane_feed, a);
        form_columns(command, plan, index, column_feed, b);
        array(command, plan, index, a, b, results);
        epilogue(command, plan, index, results, pieces, sums, tallies);
        store(command, plan, index, base, bus_errors, stores, pieces, sums, tallies);
    }
}

/// One checked command, up to its end or the first check that finds a bus error.
static std::uint32_t execute(
    const Command& command, Plan plan, address_t base, port_t& loads, port_t& stores,
    volatile const ap_uint<2>* bus_errors) {
    // Results that are written last are looked for first: a command without memory for them writes nothing.
    if (VECTOR_UNIT && command.flag(FLAG_STATS)) touch(stores, bus_errors, base + command.tally_addr);
    std::uint32_t error = bus_error(bus_errors);
    while (plan.first_job < plan.jobs && error == ERROR_OK) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=128
        const std::uint64_t left = plan.jobs - plan.first_job;
        const std::uint32_t count = left < JOBS_PER_LOOK ? std::uint32_t(left) : JOBS_PER_LOOK;
        run_jobs(command, plan, count, base, loads, stores, bus_errors);
        plan.first_job += count;
        error = bus_error(bus_errors);
    }
    return error;
}

/// One command of the list; adds its array steps when it was executed.
static std::uint32_t run_command(
    address_t base, std::uint32_t mem_bytes, const Extent& list, std::uint32_t offset, port_t& commands,
    port_t& loads, port_t& stores, volatile const ap_uint<2>* bus_errors, std::uint64_t& steps) {
    std::uint32_t words[COMMAND_WORDS];
#pragma HLS ARRAY_PARTITION variable=words complete
    fetch(commands, base + offset, words);
    std::uint32_t error = bus_error(bus_errors);
    if (error != ERROR_OK) return error;
    const std::uint32_t opcode = words[FIELD_OPCODE_WORD] & field_mask(FIELD_OPCODE_LSB, FIELD_OPCODE_WIDTH);
    if (VECTOR_UNIT && is_vector_opcode(opcode)) {
        return run_vector(words, mem_bytes, list, base, loads, stores, bus_errors);
    }
    const Command command = decode(words);
    error = check_command(words, command, mem_bytes, list);
    if (error != ERROR_OK) return error;
    const Plan plan = make_plan(command);
    error = execute(command, plan, base, loads, stores, bus_errors);
    if (error == ERROR_OK) steps += array_steps(command, plan);
    return error;
}

}  // namespace cpt

// The pragmas take numbers only; these are the contract's.
#define CPT_REGISTER(NAME, OFFSET) static_assert(cpt::REGISTER_##NAME == OFFSET, "register " #NAME)
CPT_REGISTER(MEM_BASE, 0x10);
CPT_REGISTER(MEM_BYTES, 0x20);
CPT_REGISTER(LIST_OFFSET, 0x28);
CPT_REGISTER(LIST_BYTES, 0x30);
CPT_REGISTER(STATUS, 0x40);
CPT_REGISTER(ERROR_INDEX, 0x50);
CPT_REGISTER(COMMANDS_DONE, 0x60);
CPT_REGISTER(CYCLES_TOTAL, 0x70);
CPT_REGISTER(CYCLES_BUSY, 0x80);
CPT_REGISTER(CYCLES_LOAD_STALL, 0x90);
CPT_REGISTER(CYCLES_STORE_STALL, 0xA0);
CPT_REGISTER(MAGIC, 0xB0);
CPT_REGISTER(VERSION, 0xC0);
CPT_REGISTER(LANES, 0xD0);
CPT_REGISTER(COLUMNS, 0xE0);
CPT_REGISTER(SLICE_GROUPS, 0xF0);
CPT_REGISTER(LANE_WORDS, 0x100);
CPT_REGISTER(COLUMN_WORDS, 0x110);
CPT_REGISTER(ROW_WORDS, 0x120);
CPT_REGISTER(BUS_BYTES, 0x130);
CPT_REGISTER(FEATURES, 0x140);

void cpt_kernel(
    cpt::port_t commands, cpt::port_t loads, cpt::port_t stores,
    volatile const ap_uint<2>* bus_errors, std::uint64_t mem_base, std::uint32_t mem_bytes, std::uint32_t list_offset,
    std::uint32_t list_bytes, std::uint32_t& status, std::uint32_t& error_index, std::uint32_t& commands_done,
    std::uint64_t& cycles_total, std::uint64_t& cycles_busy, std::uint64_t& cycles_load_stall,
    std::uint64_t& cycles_store_stall, std::uint32_t& magic, std::uint32_t& version, std::uint32_t& lanes,
    std::uint32_t& columns, std::uint32_t& slice_groups, std::uint32_t& lane_words, std::uint32_t& column_words,
    std::uint32_t& row_words, std::uint32_t& bus_bytes, std::uint32_t& features) {
    // Masters start at bus address 0 (offset=off): the contract has one base register, which is added here. Enough
    // reads and writes are outstanding to hide the memory's latency. `depth` is for co-simulation (testbench.cpp).
    static_assert(cpt::COSIM_BEATS == 8192, "the depth of the masters");
    static_assert(cpt::RUNS_IN_FLIGHT < 16, "the store must not fill the queue of its master");
    static_assert(cpt::READS_OUTSTANDING == 32, "what the master of the loads takes");
#pragma HLS INTERFACE m_axi port=commands bundle=commands offset=off depth=8192
#pragma HLS INTERFACE m_axi port=loads bundle=loads offset=off depth=8192 num_read_outstanding=32
#pragma HLS INTERFACE m_axi port=stores bundle=stores offset=off depth=8192 num_write_outstanding=16
#pragma HLS INTERFACE ap_none port=bus_errors
#pragma HLS INTERFACE s_axilite port=mem_base offset=0x10
#pragma HLS INTERFACE s_axilite port=mem_bytes offset=0x20
#pragma HLS INTERFACE s_axilite port=list_offset offset=0x28
#pragma HLS INTERFACE s_axilite port=list_bytes offset=0x30
#pragma HLS INTERFACE s_axilite port=status offset=0x40
#pragma HLS INTERFACE s_axilite port=error_index offset=0x50
#pragma HLS INTERFACE s_axilite port=commands_done offset=0x60
#pragma HLS INTERFACE s_axilite port=cycles_total offset=0x70
#pragma HLS INTERFACE s_axilite port=cycles_busy offset=0x80
#pragma HLS INTERFACE s_axilite port=cycles_load_stall offset=0x90
#pragma HLS INTERFACE s_axilite port=cycles_store_stall offset=0xA0
#pragma HLS INTERFACE s_axilite port=magic offset=0xB0
#pragma HLS INTERFACE s_axilite port=version offset=0xC0
#pragma HLS INTERFACE s_axilite port=lanes offset=0xD0
#pragma HLS INTERFACE s_axilite port=columns offset=0xE0
#pragma HLS INTERFACE s_axilite port=slice_groups offset=0xF0
#pragma HLS INTERFACE s_axilite port=lane_words offset=0x100
#pragma HLS INTERFACE s_axilite port=column_words offset=0x110
#pragma HLS INTERFACE s_axilite port=row_words offset=0x120
#pragma HLS INTERFACE s_axilite port=bus_bytes offset=0x130
#pragma HLS INTERFACE s_axilite port=features offset=0x140
#pragma HLS INTERFACE s_axilite port=return
    std::uint32_t error = cpt::check_list(mem_base, mem_bytes, list_offset, list_bytes);
    std::uint32_t done = 0;
    std::uint64_t steps = 0;
    error_index = cpt::NO_COMMAND;
    if (error == cpt::ERROR_OK) {
        const cpt::Extent list = {list_offset, std::uint64_t(list_offset) + list_bytes};
        const std::uint32_t count = list_bytes / cpt::COMMAND_BYTES;
        while (done < count) {
#pragma HLS LOOP_TRIPCOUNT min=0 max=1024
            const std::uint32_t offset = list_offset + done * cpt::COMMAND_BYTES;
            error = cpt::run_command(mem_base, mem_bytes, list, offset, commands, loads, stores, bus_errors, steps);
            if (error != cpt::ERROR_OK) {
                error_index = done;
                break;
            }
            ++done;
        }
    }
    status = error;
    commands_done = done;
    // C++ sees no clock: busy are the steps of the array's loop, which is pipelined to one step a cycle; total
    // is the same number, a lower bound; stalls are not seen.
    cycles_busy = steps;
    cycles_total = steps;
    cycles_load_stall = 0;
    cycles_store_stall = 0;
    magic = cpt::VERSION_MAGIC;
    version = cpt::VERSION_MAJOR << 16 | cpt::VERSION_MINOR;
    lanes = cpt::BUILD.lanes;
    columns = cpt::BUILD.columns;
    slice_groups = cpt::BUILD.slice_groups;
    lane_words = cpt::BUILD.lane_words;
    column_words = cpt::BUILD.column_words;
    row_words = cpt::BUILD.row_words;
    bus_bytes = cpt::BUILD.bus_bytes;
    features = cpt::FEATURES;
}
