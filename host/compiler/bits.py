"""The widths of a training step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim.contract import MAX_OPERAND_BITS


@dataclass(frozen=True, order=True)
class Bits:
    """Widths of one step: of weights and activations (forward), and of errors (backward). 0 is float32.

    >>> bits = Bits(3, 8)
    >>> print(bits)
    3/8
    >>> forward, backward = bits
    """

    forward: int
    backward: int

    def __post_init__(self) -> None:
        check_bits("forward bits", self.forward, least=0)
        check_bits("backward bits", self.backward, least=0)

    def __iter__(self) -> Iterator[int]:
        return iter((self.forward, self.backward))

    def __str__(self) -> str:
        return f"{self.forward}/{self.backward}"


def check_bits(name: str, bits: int, least: int = 1, error: type[ValueError] = ValueError) -> None:
    """Bits are whole numbers from 1 to 16, or from 0 where that stands for float32."""
    whole = isinstance(bits, (int, np.integer)) and not isinstance(bits, bool)
    if not whole or not least <= bits <= MAX_OPERAND_BITS:
        meaning = "" if least else " (0 is float32)"
        raise error(f"{name} = {bits} is not a whole number in {least}..{MAX_OPERAND_BITS}{meaning}")
