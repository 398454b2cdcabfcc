"""Every vector of a build, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sim.contract import ALL_FEATURES, Build, has_vector_unit
from sim.vectors import errors, outputs, products, shapes
from sim.vectors.vector import Vector

FAMILIES = (
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
VECTOR_UNIT_FAMILIES: tuple[Callable[[Build], Iterator[Vector]], ...] = ()


def catalogue(build: Build, features: int = ALL_FEATURES) -> Iterator[Vector]:
    """Those that an executor with these features runs. They are made as they are asked for; names are unique."""
    for family in FAMILIES:
        yield from family(build)
    if has_vector_unit(features):
        for family in VECTOR_UNIT_FAMILIES:
            yield from family(build)
