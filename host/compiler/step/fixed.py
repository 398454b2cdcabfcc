"""Fixed-point numbers on the host: master weights, their update, and floats as the scalar unit holds them."""

from __future__ import annotations

from math import frexp

import numpy as np
import numpy.typing as npt

from sim.contract import SCALAR_BITS

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.int32]

WEIGHT_FRACTION = 27  # bits behind the point of master weights
VELOCITY_FRACTION = 24  # of their velocities; and of γ, β and theirs
RATE_FRACTION = 24  # of momentum, decay and rate


def fixed(values: npt.ArrayLike, fraction: int) -> Words:
    """Floats to the nearest multiple of 2^−fraction, saturated to 32 bits.

    >>> fixed([0.5, 100.0], 27).tolist()
    [67108864, 2147483647]
    """
    return saturated(np.rint(np.ldexp(np.asarray(values, dtype=np.float64), fraction)))


def saturated(values: npt.NDArray) -> Words:
    return np.clip(values, -(1 << 31), (1 << 31) - 1).astype(np.int32)


def divided(values: npt.NDArray, divisor: int) -> npt.NDArray:
    """To the nearest integer, a tie to the even one.

    >>> divided(np.array([-3, -1, 1, 3, 5, 7]), 2).tolist()
    [-2, 0, 0, 2, 2, 4]
    """
    floor = values // divisor
    twice = 2 * (values - floor * divisor)
    return floor + ((twice > divisor) | ((twice == divisor) & (floor & 1 == 1)))


def ratio(values: Integers, divisor: int, fraction: int) -> Words:
    """values / (divisor · 2^fraction), likewise, saturated; by Python's integers, as neither need fit 64 bits."""
    exact = values.astype(object) << max(0, -fraction)
    return saturated(divided(exact, divisor << max(0, fraction)))


def moved(w: Words, v: Words, gradient: Words, momentum: int, decay: int, rate: int) -> tuple[Words, Words]:
    """Parameters and velocities after a step, as UPDATE has it; the gradient is in the velocity's unit."""
    mixed = v.astype(np.int64) * momentum + w.astype(np.int64) * decay
    v = saturated(divided(mixed, 1 << RATE_FRACTION) + gradient)
    return followed(w, v, rate), v


def followed(w: Words, v: Words, rate: int) -> Words:
    """Parameters that follow their new velocities."""
    return saturated(w - divided(v.astype(np.int64) * rate, 1 << RATE_FRACTION))


def scalar_of(x: float) -> tuple[int, int]:
    """A float as the scalar unit's m · 2^e: its top 31 bits.

    >>> scalar_of(0.5), scalar_of(-3.0), scalar_of(0.0)
    ((1073741824, -31), (-1610612736, -29), (0, 0))
    """
    m, e = frexp(x)
    return int(m * (1 << SCALAR_BITS)), e - SCALAR_BITS if x else 0
