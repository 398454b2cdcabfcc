"""What a forward or input-error pass stores of its accumulators: all of them, or the contract's rounded results.

Rounding is half to even, to the width and by the shift of `host.compiler.precision`: nothing saturates, so a result is
the nearest multiple of 2^shift, and shift 0 leaves accumulators as they are. Weight gradients are always exact.
"""

from __future__ import annotations

from functools import lru_cache

from torch import Tensor

from cpt_model.arithmetic.affine import Quantised
from host.compiler.layer import Conv, Pass
from host.compiler.precision import EXACT, Output, Precision, rounded
from host.compiler.results import Results

TRAINED = (Results.ROUNDED, Results.EXACT)

_rounded = lru_cache(maxsize=4096)(rounded)


def trained_results(results: Results | str) -> Results:
    """By name or itself; PyTorch adds the row sums in any case, so the products alone are no choice here."""
    for each in TRAINED:
        if results in (each, each.value):
            return each
    raise ValueError(f"training cannot store results '{results}'; there are: {', '.join(map(str, TRAINED))}")


def output_of(layer: Conv, which: Pass, a: Quantised, b: Quantised, results: Results) -> Output:
    """What the pass of these codes stores."""
    if results is Results.EXACT:
        return EXACT
    return _rounded(layer, which, Precision(a.bits, b.bits, a.signed, b.signed))


def stored(acc: Tensor, output: Output) -> Tensor:
    """Accumulators (float64) as the pass stores them; never −0."""
    return (acc * 2.0**-output.shift).round_().add_(0.0) if output.shift else acc


def meant(results: Tensor, output: Output) -> Tensor:
    """The accumulators that stored results stand for."""
    return results * 2.0**output.shift if output.shift else results
