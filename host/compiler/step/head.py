"""The classifier, on the host: mean of the last map, fully connected layer, softmax, cross entropy; their gradients.

Exact by construction. What comes in and goes out are integers: sums S of the last map (unit 2^−f), weights with 27 bits
behind the point. Only the softmax between is IEEE double, by `sim.common.elementary` and sums in the classes' order:

    logit_k  = Σ_c w_kc·S_c · 2^(−27−f) / pixels + bias_k · 2^−27         the sum exact
    p_k      = exp(logit_k − max) / Σ exp                    D_k = round((p_k − [k is the label]) · 2^24)
    error_c  = Σ_k D_k·w_kc · 2^−51 / (pixels·images), rounded to 16 bits with a power of two as its unit
    gradient = Σ_n D_k·S_c · 2^(−24−f) / (pixels·images)     the sum exact; then an update as UPDATE has it
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp

import numpy as np
import numpy.typing as npt

from host.compiler.step.fixed import VELOCITY_FRACTION, WEIGHT_FRACTION, Integers, Words, fixed, moved, ratio
from host.compiler.step.rates import Rates
from sim.common.elementary import Doubles, exp, log

ERROR_BITS = 16  # of what goes back to the last map
DIFFERENCE_FRACTION = VELOCITY_FRACTION  # of D
HALF_WORD = 16


@dataclass(frozen=True)
class Pooled:
    """Sums of the last map by image and channel; 1 is 2^−fraction, and `pixels` of them make a mean."""

    sums: Integers
    fraction: int
    pixels: int


@dataclass(frozen=True)
class Loss:
    """Mean cross entropy of a batch, its logits, and its error by image and channel of the last map's pixels."""

    loss: float
    logits: Doubles
    error: Words  # of 16 bits; 1 is 2^−fraction
    fraction: int


@dataclass
class Classifier:
    """Weights (classes, features) and bias, with 27 bits behind the point; their velocities with 24."""

    weight: Words
    velocity: Words
    bias: Words
    bias_velocity: Words

    @classmethod
    def of(cls, weight: npt.ArrayLike, bias: npt.ArrayLike) -> Classifier:
        """At rest, from floats."""
        words, offsets = fixed(weight, WEIGHT_FRACTION), fixed(bias, WEIGHT_FRACTION)
        return cls(words, np.zeros_like(words), offsets, np.zeros_like(offsets))

    def logits(self, pooled: Pooled) -> Doubles:
        products = exact_product(pooled.sums, self.weight.T).astype(np.float64)
        return np.ldexp(products, -WEIGHT_FRACTION - pooled.fraction) / pooled.pixels + np.ldexp(
            self.bias.astype(np.float64), -WEIGHT_FRACTION
        )

    def step(self, pooled: Pooled, labels: npt.NDArray[np.integer], rates: Rates) -> Loss:
        """Loss and error of a batch; the weights are updated."""
        loss, differences = self.errors(pooled, labels)
        self.update(pooled, differences, rates)
        return loss

    def errors(self, pooled: Pooled, labels: npt.NDArray[np.integer]) -> tuple[Loss, Integers]:
        """What the backward list waits for; and the gradient by the logits, for `update`."""
        logits = self.logits(pooled)
        losses, differences = cross_entropy(logits, labels)
        error = np.ldexp(
            exact_product(differences, self.weight).astype(np.float64), -DIFFERENCE_FRACTION - WEIGHT_FRACTION
        )
        codes, fraction = error_codes(error / (pooled.pixels * len(labels)))
        return Loss(in_order(losses) / len(losses), logits, codes, fraction), differences

    def update(self, pooled: Pooled, differences: Integers, rates: Rates) -> None:
        """May be done while the backward list runs."""
        images = len(differences)
        gradient = ratio(exact_product(differences.T, pooled.sums), pooled.pixels * images, pooled.fraction)
        offset = ratio(differences.sum(axis=0), images, 0)
        rate = (rates.momentum, rates.weight_decay, rates.weight_rate)
        self.weight, self.velocity = moved(self.weight, self.velocity, gradient, *rate)
        self.bias, self.bias_velocity = moved(self.bias, self.bias_velocity, offset, *rate)


def exact_product(a: Integers, b: Integers | Words) -> Integers:
    """a @ b by float64 products of b's halves: exact in any order, as no sum passes 2^53; else it is refused."""
    left = a.astype(np.float64)
    low, high = b & (1 << HALF_WORD) - 1, b.astype(np.int64) >> HALF_WORD
    most = np.abs(left).sum(axis=1).max(initial=0.0)
    if most >= 1 << 53 - HALF_WORD or most * (1 + np.abs(high).max(initial=0)) >= 1 << 63 - HALF_WORD:
        raise ValueError(f"sums of {most:.3g} in the classifier can pass 53 bits: use fewer bits or channels")
    parts = (left @ part.astype(np.float64) for part in (high, low))
    upper, lower = (part.astype(np.int64) for part in parts)
    return (upper << HALF_WORD) + lower


def cross_entropy(logits: Doubles, labels: npt.NDArray[np.integer]) -> tuple[Doubles, Integers]:
    """The loss of each image, and its gradient by the logits with 24 bits behind the point."""
    rows = np.arange(len(labels))
    below = logits - logits.max(axis=1, keepdims=True)
    powers = exp(below)
    total = np.zeros(len(labels))
    for of_class in powers.T:
        total = total + of_class
    shares = powers / total[:, None]
    shares[rows, labels] -= 1.0
    return log(total) - below[rows, labels], np.rint(np.ldexp(shares, DIFFERENCE_FRACTION)).astype(np.int64)


def error_codes(error: Doubles) -> tuple[Words, int]:
    """Codes of 16 bits, nearest and ties to even, and the bits behind their point: as many as the greatest allows.

    >>> error_codes(np.array([[0.25, -0.75]]))[0].tolist(), error_codes(np.array([[0.25, -0.75]]))[1]
    ([[8192, -24576]], 15)
    """
    most = (1 << ERROR_BITS - 1) - 1
    greatest = float(np.abs(error).max(initial=0.0))
    fraction = ERROR_BITS - 1 - frexp(greatest)[1] if greatest else 0
    return np.clip(np.rint(np.ldexp(error, fraction)), -most, most).astype(np.int32), fraction


def in_order(values: Doubles) -> float:
    """Their sum, from the first to the last."""
    total = 0.0
    for value in values.tolist():
        total += value
    return total
