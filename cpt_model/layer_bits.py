"""Bits of single layers, by patterns of their names: those layers keep them, whatever a schedule does to the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from host.compiler.bits import Bits

LayerBits = tuple[tuple[str, Bits], ...]


def read_layer_bits(given: Mapping[str, Any] | LayerBits) -> LayerBits:
    """Patterns and pairs of widths, checked.

    >>> read_layer_bits({"layer1.*": (4, 8)})
    (('layer1.*', Bits(forward=4, backward=8)),)
    """
    if isinstance(given, tuple):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(f"layer_bits = {given!r}: give patterns of names and pairs of bits, as {{'conv1': (8, 8)}}")
    read = []
    for pattern, pair in given.items():
        if not isinstance(pattern, str):
            raise ValueError(f"layer_bits: the pattern {pattern!r} is not a text")
        if not isinstance(pair, (list, tuple, Bits)) or len(tuple(pair)) != 2:
            raise ValueError(f"layer_bits of '{pattern}' = {pair!r}: give a pair, forward and backward, as (8, 8)")
        read.append((pattern, Bits(*pair)))
    return tuple(read)


def bits_by_name(names: Iterable[str], wanted: LayerBits) -> dict[str, Bits]:
    """The bits of those layers that a pattern names; the first pattern that fits holds. One that fits none is refused.

    >>> bits_by_name(["conv1", "layer1.0", "fc"], read_layer_bits({"layer?.*": (4, 8)}))
    {'layer1.0': Bits(forward=4, backward=8)}
    """
    names = list(names)
    for pattern, _ in wanted:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ValueError(f"layer_bits: no quantised layer is called '{pattern}'; there are: {', '.join(names)}")
    fitting = {name: [bits for pattern, bits in wanted if fnmatchcase(name, pattern)] for name in names}
    return {name: found[0] for name, found in fitting.items() if found}
