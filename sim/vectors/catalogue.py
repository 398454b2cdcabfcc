"""Every vector of a build, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import isgeneratorfunction, signature
from types import ModuleType

from sim.contract import ALL_FEATURES, Build, has_vector_unit
from sim.vectors import errors, outputs, products, shapes
from sim.vectors.step import (
    backward,
    bundles,
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


def families(*modules: ModuleType) -> tuple[Family, ...]:
    """The modules' generators that take a build and nothing else, in the order in which they are written."""
    found = [each for module in modules for each in vars(module).values() if isgeneratorfunction(each)]
    names = [module.__name__ for module in modules]
    return tuple(each for each in found if each.__module__ in names and [*signature(each).parameters] == ["build"])


FAMILIES = families(products, shapes, outputs, errors)
# What only an executor with a vector unit runs.
VECTOR_UNIT_FAMILIES = families(
    convs, maps, norms, scales, backward, masters, bundles, layers, residuals, refusals, refused_places
)


def catalogue(build: Build, features: int = ALL_FEATURES) -> Iterator[Vector]:
    """Those that an executor with these features runs. They are made as they are asked for; names are unique."""
    for family in FAMILIES + VECTOR_UNIT_FAMILIES if has_vector_unit(features) else FAMILIES:
        yield from family(build)
