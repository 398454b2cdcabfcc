"""The modules of the vector unit's engines, from the leaves up; vector_pkg and sync_fifo come before them."""

from __future__ import annotations

MAP_ENGINE = (
    *("noise_pkg", "rounding_pkg", "map_pkg", "sync_fifo", "carry_chain", "mix_add", "select_four", "select_eight"),
    *("select_two", "rotate", "noise_keys", "noise_base", "noise", "rounding_control", "requantise", "rounding_lane"),
    *("map_setup", "map_walker", "map_pieces", "map_spread", "map_banks", "map_masks", "map_unpack", "map_fetch"),
    *("scaled_product", "dsp_add", "near_limit", "map_lane", "product_sum", "map_tally", "map_scatter", "map_pack"),
    *("map_engine", "map_bench"),
)
SCALAR_PIPE = (
    *("scalar_code_pkg", "scalar_divider", "scalar_root", "scalar_long", "scalar_operand", "scalar_product"),
    *("scalar_normalise", "scalar_pipe"),
)
SCALAR_ENGINE = (
    *SCALAR_PIPE,
    *("scalar_program_pkg", "scalar_program", "scalar_memory", "scalar_load", "scalar_store", "scalar_engine"),
)
WEIGHT_ENGINE = (
    *("weight_pkg", "delay_line", "wide_product", "near_shift", "scalar_divider"),
    *("weight_shape", "weight_sizes", "weight_headers", "weight_step_product"),
    *("weight_update_reads", "weight_update_walk", "weight_update_lane", "weight_maxima", "weight_update_store"),
    *("weight_update", "weight_squares", "weight_scales", "weight_code_lane", "weight_coder", "weight_transpose"),
    *("weight_lines", "weight_tiles", "weight_settle", "weight_code_store", "weight_codes", "weight_engine"),
)
