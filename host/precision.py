"""What a pass is asked for: the widths of its operands and the form of its results."""

from __future__ import annotations

from dataclasses import dataclass

from host.layer import LayerError
from sim.contract import MAX_OPERAND_BITS, MAX_OUT_BITS, MAX_SHIFT, Format


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

    def __post_init__(self) -> None:
        for name, most in (("bits", MAX_OUT_BITS), ("shift", MAX_SHIFT)):
            if not 0 <= getattr(self, name) <= most:
                raise LayerError(f"output {name} = {getattr(self, name)} is not in 0..{most}")
        if self.seed is not None and not 0 <= self.seed < 1 << 64:
            raise LayerError(f"seed {self.seed} is not in 0..2^64 - 1")


EXACT = Output()
