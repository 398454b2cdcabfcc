"""UPDATE's arithmetic on whole arrays: products of 72 bits as two parts, to the bit what Python's integers give."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.reference.epilogue import shift_half_even

Integers = npt.NDArray[np.int64]
LOW_BITS = 24  # of the lower part of an accumulator's product
HALF_WORD = 16
RATE_BITS = 24  # behind the point of momentum, decay and rate


def gradients(acc: Integers, multiplier: int, shift: int) -> Integers:
    """acc·multiplier / 2^shift, half to even, saturated to 32 bits; |acc| < 2^47, |multiplier| ≤ 2^24, any shift."""
    low = (acc & (1 << LOW_BITS) - 1) * multiplier
    high = (acc >> LOW_BITS) * multiplier + (low >> LOW_BITS)
    low = low & (1 << LOW_BITS) - 1  # the product is high·2^24 + low
    if shift <= LOW_BITS:
        # What is cut here is saturated in any case, as long as the shift leaves at least 2^31.
        whole = (np.clip(high, -(1 << 32), 1 << 32) << LOW_BITS) + low
        return saturated(shift_half_even(whole, shift) if shift > 0 else saturated(whole) << min(-shift, 32))
    more = min(shift - LOW_BITS, 62)  # |high| < 2^48: from there on it is 0
    floor, rest, half = high >> more, high & (1 << more) - 1, 1 << more - 1
    return saturated(floor + ((rest > half) | ((rest == half) & ((low > 0) | (floor & 1 == 1)))))


def moved(w: Integers, v: Integers, gradient: Integers, momentum: int, decay: int, rate: int) -> tuple[Integers, ...]:
    """Weights and velocities after a step. Rates have 32 bits, so the sum of two products is taken in halves."""
    upper = (v >> HALF_WORD) * momentum + (w >> HALF_WORD) * decay
    mask = (1 << HALF_WORD) - 1
    lower = (v & mask) * momentum + (w & mask) * decay
    upper, lower = upper + (lower >> HALF_WORD), lower & mask  # the sum is upper·2^16 + lower
    spare = RATE_BITS - HALF_WORD
    floor, rest = upper >> spare, ((upper & (1 << spare) - 1) << HALF_WORD) + lower
    half = 1 << RATE_BITS - 1
    v = saturated(floor + ((rest > half) | ((rest == half) & (floor & 1 == 1))) + gradient)
    return saturated(w - shift_half_even(v * rate, RATE_BITS)), v


def saturated(values: Integers) -> Integers:
    return np.clip(values, -(1 << 31), (1 << 31) - 1)
