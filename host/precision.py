"""What a pass is asked for: the widths of its operands and the form of its results."""

from __future__ import annotations

from dataclasses import dataclass

from host.layer import LayerError
from sim.contract import MAX_OPERAND_BITS, Format


@dataclass(frozen=True)
class Precision:
    """Widths of the two operands, 1..16 bits each, signed or not."""

    a_bits: int
    b_bits: int
    a_signed: bool = False
    b_signed: bool = False

    def __post_init__(self) -> None:
        for name in ("a_bits", "b_bits"):
            if not 1 <= getattr(self, name) <= MAX_OPERAND_BITS:
                raise LayerError(f"{name} = {getattr(self, name)} is not in 1..{MAX_OPERAND_BITS}")


@dataclass(frozen=True)
class Output:
    """What a pass stores. Without a format: exact accumulators, in 32 bits where they suffice, else in 64."""

    out_format: Format | None = None
    bits: int = 0
    signed: bool = True
    shift: int = 0
    seed: int | None = None  # given: stochastic rounding; the i-th command of the pass uses seed + i
    row_sums: bool = False


EXACT = Output()
