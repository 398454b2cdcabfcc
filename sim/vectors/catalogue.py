"""Every vector of a build, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sim.contract import ALL_FEATURES, Build, has_vector_unit
from sim.vectors import errors, outputs, products, shapes
from sim.vectors.step import (
    backward,
    convs,
    layers,
    maps,
    masters,
    norms,
    refusals,
    refused_places,
    residuals,
    scales,
)
from sim.vectors.vector import Vector

Family = Callable[[Build], Iterator[Vector]]
FAMILIES: tuple[Family, ...] = (
    products.every_width_pair,
    products.wide_and_signed,
    products.ends_of_ranges,
    products.longest_sums,
    products.result_bounds,
    shapes.odd_shapes,
    shapes.batches,
    shapes.memory_strides,
    shapes.far_steps,
    outputs.requantised,
    outputs.shifts,
    outputs.ties,
    outputs.saturation,
    outputs.rows_of_planes,
    outputs.sums_of_rows,
    outputs.sums_with_other_results,
    outputs.exact_words,
    outputs.regions,
    outputs.lists,
    errors.field_errors,
    errors.other_errors,
    errors.order_of_checks,
    errors.list_errors,
    errors.bus_errors,
    errors.error_in_first_command,
)

# What only an executor with a vector unit runs.
VECTOR_UNIT_FAMILIES: tuple[Family, ...] = (
    convs.conv_half,
    convs.conv_stats,
    convs.conv_flag_errors,
    maps.map_widths,
    maps.map_operands,
    maps.map_shapes,
    maps.map_ends,
    maps.map_rounding,
    norms.norm_statistics,
    norms.norm_count_bound,
    norms.norm_parameters,
    norms.norm_units,
    norms.norm_evaluation,
    norms.norm_random,
    scales.scale_codes,
    scales.scale_degenerate,
    scales.scale_nodes,
    scales.scale_streams,
    scales.scale_history,
    backward.join_kinds,
    backward.join_degenerate,
    backward.error_kinds,
    backward.error_degenerate,
    backward.error_parameters,
    masters.update_shapes,
    masters.update_ends,
    masters.weights_widths,
    masters.weights_shapes,
    masters.weights_ends,
    layers.whole_layers,
    residuals.residual_outputs,
    refusals.step_field_errors,
    refusals.step_order_of_checks,
    refused_places.step_reserved_errors,
    refused_places.step_place_errors,
    refused_places.step_block_errors,
    refused_places.step_bus_errors,
)


def catalogue(build: Build, features: int = ALL_FEATURES) -> Iterator[Vector]:
    """Those that an executor with these features runs. They are made as they are asked for; names are unique."""
    families = FAMILIES + VECTOR_UNIT_FAMILIES if has_vector_unit(features) else FAMILIES
    for family in families:
        yield from family(build)
