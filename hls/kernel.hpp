// The accelerator's top function, with the contract's registers as its scalar arguments.
#pragma once

#include "memory.hpp"

/// Runs a command list (contract, sections 12 and 13). Bits 0 and 1 of `bus_errors` say that a read or a write was
/// answered with an error since the list was started: HLS masters do not see responses, so a monitor reports them.
void cpt_kernel(
    cpt::port_t commands, cpt::port_t loads, cpt::port_t stores,
    volatile const ap_uint<2>* bus_errors, std::uint64_t mem_base, std::uint32_t mem_bytes, std::uint32_t list_offset,
    std::uint32_t list_bytes, std::uint32_t& status, std::uint32_t& error_index, std::uint32_t& commands_done,
    std::uint64_t& cycles_total, std::uint64_t& cycles_busy, std::uint64_t& cycles_load_stall,
    std::uint64_t& cycles_store_stall, std::uint32_t& magic, std::uint32_t& version, std::uint32_t& lanes,
    std::uint32_t& columns, std::uint32_t& slice_groups, std::uint32_t& lane_words, std::uint32_t& column_words,
    std::uint32_t& row_words, std::uint32_t& bus_bytes, std::uint32_t& features);
