"""Widths and shifts of what an iteration stores.

Results of matrix passes are stored as narrow as what was seen of them allows: a unit's result at given bits starts as
wide as the kit's rule has it, and from then on has the bits of the greatest magnitude seen, one of room and the sign.
That is a function of the tallies alone, so every executor, and PyTorch, comes to the same widths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from host.compiler.bits import Bits
from host.compiler.layer import Conv, LayerError, Pass
from host.compiler.precision import Precision, result_bits, safe_shift
from sim.contract import MAX_OUT_BITS

IMAGE_BITS = 8
FINER = 1  # bits that forward results have below the rule's last,
FORWARD_MOST, FORWARD_MORE = 15, 7  # as long as they have at most 15, or 7 more than weights
ROOM = 1


@dataclass(frozen=True)
class Widths:
    """What of the design is a choice, so that an experiment can ask what it is worth.

    Args:
        node_more: bits of a node, z, beyond the forward width; at most 6.
        error_sum: bits of a node's error, dz.
        results: bits of forward results, y, as long as none was seen; None is the rule's, one bit finer, up to 15.
        half: weights on a grid of odd multiples of half a step, 2^b levels; else on whole ones, 2^b − 1 levels.
    """

    node_more: int = 6
    error_sum: int = 10
    results: int | None = None
    half: bool = True


USUAL = Widths()
ABLATIONS = {
    "usual": USUAL,
    "z4": Widths(node_more=4),
    "dz8": Widths(error_sum=8),
    "dz12": Widths(error_sum=12),
    "y16": Widths(results=MAX_OUT_BITS),
    "symmetric": Widths(half=False),
}
LEAST_BITS, MOST_BITS = 2, MAX_OUT_BITS - 1 - USUAL.node_more  # forward widths; a node in 16-bit words, signed or not


@dataclass(frozen=True)
class Stored:
    """How a pass stores its results: their shift, and their width as long as none was seen."""

    shift: int
    bits: int


def forward_result(layer: Conv, x_bits: int, x_signed: bool, weight_bits: int, widths: Widths = USUAL) -> Stored:
    """Of y. Codes 2q + 1 are twice as large as q; grouped layers have plain ones.

    >>> forward_result(Conv(8, 16, 16, 32, 32, (3, 3), padding=(1, 1)), 3, False, 3)
    Stored(shift=2, bits=12)
    """
    precision = Precision(x_bits, weight_bits, x_signed, True)
    if widths.results is not None:
        return _stored(layer, Pass.FORWARD, precision, MAX_OUT_BITS, widths.results, widths.half)
    most = min(MAX_OUT_BITS, max(FORWARD_MOST, weight_bits + FORWARD_MORE))
    return _stored(layer, Pass.FORWARD, precision, FINER, most, widths.half)


def error_result(layer: Conv, bits: Bits, widths: Widths = USUAL) -> Stored:
    """Of e, the error of the layer's input."""
    precision = Precision(bits.backward, bits.forward, True, True)
    return _stored(layer, Pass.INPUT_ERROR, precision, 0, MAX_OUT_BITS, widths.half)


@cache
def _stored(layer: Conv, which: Pass, precision: Precision, finer: int, most: int, half: bool) -> Stored:
    rule = result_bits(layer, which, precision)
    half = half and layer.groups == 1
    finer = min(finer, most - rule)
    return Stored(max(0, safe_shift(layer, which, precision, rule) + half - finer), rule + finer)


def check_step_bits(bits: Bits) -> None:
    """Refuses widths that an iteration has no room for."""
    if not LEAST_BITS <= bits.forward <= MOST_BITS:
        raise LayerError(f"forward bits = {bits.forward}: whole iterations run at {LEAST_BITS}..{MOST_BITS}")
    if not LEAST_BITS <= bits.backward <= MAX_OUT_BITS:
        raise LayerError(f"backward bits = {bits.backward}: whole iterations run at {LEAST_BITS}..{MAX_OUT_BITS}")


Key = tuple[str, str, int, int]  # unit, pass, forward bits, backward bits (0 in a forward pass)


@dataclass
class Seen:
    """The greatest magnitude of each unit's results so far, by pass and bits.

    >>> seen = Seen()
    >>> seen.bits("conv1", Pass.FORWARD, Bits(3, 8), start=12)
    12
    >>> seen.add("conv1", Pass.FORWARD, Bits(3, 8), 100)
    >>> seen.bits("conv1", Pass.FORWARD, Bits(3, 8), start=12)
    9
    """

    greatest: dict[Key, int] = field(default_factory=dict)
    changes: int = 0  # how often a magnitude was the greatest so far: as long as there is none, widths stay

    def bits(self, unit: str, which: Pass, bits: Bits, start: int) -> int:
        """The width to store with."""
        seen = self.greatest.get(_key(unit, which, bits))
        return start if seen is None else min(start, max(2, seen.bit_length() + ROOM + 1))

    def add(self, unit: str, which: Pass, bits: Bits, magnitude: int) -> None:
        """After an iteration: the greatest magnitude of a result, of channels that exist."""
        key = _key(unit, which, bits)
        if magnitude > self.greatest.get(key, -1):
            self.greatest[key] = magnitude
            self.changes += 1


def _key(unit: str, which: Pass, bits: Bits) -> Key:
    return unit, which.value, bits.forward, bits.backward if which is Pass.INPUT_ERROR else 0
