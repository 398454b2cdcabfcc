"""What a forward or input-error pass stores of its accumulators: all of them, or the contract's rounded results.

"rounded" is half to even, to the width and by the shift of `host.compiler.precision`: nothing saturates, so a result is
the nearest multiple of 2^shift, and shift 0 leaves accumulators as they are. Weight gradients are always exact.
"""

from __future__ import annotations

from functools import lru_cache

from torch import Tensor

from cpt_model.arithmetic.affine import Quantised
from host.compiler.layer import Conv, Pass
from host.compiler.precision import EXACT, Output, Precision, rounded

RESULTS = ("exact", "rounded")

_rounded = lru_cache(maxsize=4096)(rounded)


def check_results(results: str) -> None:
    if results not in RESULTS:
        raise ValueError(f"unknown results '{results}'; there are: {', '.join(RESULTS)}")


def output_of(layer: Conv, which: Pass, a: Quantised, b: Quantised, results: str) -> Output:
    """What the pass of these codes stores."""
    if results == "exact":
        return EXACT
    return _rounded(layer, which, Precision(a.bits, b.bits, a.signed, b.signed))


def stored(acc: Tensor, output: Output) -> Tensor:
    """Accumulators (float64) as the pass stores them; never −0."""
    return (acc * 2.0**-output.shift).round_().add_(0.0) if output.shift else acc


def meant(results: Tensor, output: Output) -> Tensor:
    """The accumulators that stored results stand for."""
    return results * 2.0**output.shift if output.shift else results
