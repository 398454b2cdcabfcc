"""Numbers of the scalar unit: m · 2^e with 31 bits of m, every operation cut towards zero, as floors of integers.

>>> div(scalar(1), scalar(3))
Scalar(m=1431655765, e=-32)
>>> float(root(scalar(2)))
1.4142135614529252
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

import numpy as np

from sim.contract.constants import MAX_EXPONENT, SCALAR_BITS


class Scalar(NamedTuple):
    """m · 2^e: m = e = 0, or 2^30 ≤ |m| < 2^31 and |e| ≤ MAX_EXPONENT."""

    m: int
    e: int

    def __float__(self) -> float:
        return self.m * 2.0**self.e

    def __neg__(self) -> Scalar:
        return Scalar(-self.m, self.e)

    def __abs__(self) -> Scalar:
        return Scalar(abs(self.m), self.e)


ZERO = Scalar(0, 0)


def scalar(x: int, e: int = 0) -> Scalar:
    """x · 2^e of any integer: its top 31 bits; an exponent beyond the limits gives the greatest number, or 0."""
    more = abs(x).bit_length() - SCALAR_BITS
    size = abs(x) >> more if more > 0 else abs(x) << -more
    e += more
    if x == 0 or e < -MAX_EXPONENT:
        return ZERO
    if e > MAX_EXPONENT:
        size, e = (1 << SCALAR_BITS) - 1, MAX_EXPONENT
    return Scalar(-size if x < 0 else size, e)


ONE = scalar(1)


def get(stored: np.ndarray) -> Scalar:
    """A scalar of a block; whatever the host wrote there becomes a legal number."""
    return scalar(int(stored["m"]), int(stored["e"]))


def mul(a: Scalar, b: Scalar) -> Scalar:
    return scalar(a.m * b.m, a.e + b.e)


def div(a: Scalar, b: Scalar) -> Scalar:
    """a / b; 0 if either is 0."""
    if a.m == 0 or b.m == 0:
        return ZERO
    quotient = (abs(a.m) << 32) // abs(b.m)
    return scalar(-quotient if (a.m < 0) != (b.m < 0) else quotient, a.e - b.e - 32)


def add(a: Scalar, b: Scalar) -> Scalar:
    """a + b; what is 2^32 times smaller, or more, is left out."""
    if a.m == 0 or b.m == 0:
        return b if a.m == 0 else a
    if a.e < b.e:
        a, b = b, a
    ahead = a.e - b.e
    return a if ahead >= 32 else scalar((a.m << ahead) + b.m, b.e)


def sub(a: Scalar, b: Scalar) -> Scalar:
    return add(a, -b)


def root(a: Scalar) -> Scalar:
    """√a; 0 of a negative number."""
    if a.m <= 0:
        return ZERO
    up = 31 if a.e % 2 else 32
    return scalar(isqrt(a.m << up), (a.e - up) // 2)


def scaled(a: Scalar, power: int) -> Scalar:
    """a · 2^power."""
    return scalar(a.m, a.e + power)


def greater(a: Scalar, b: Scalar) -> bool:
    """a > b, exactly."""
    low = min(a.e, b.e)
    return a.m << min(a.e - low, 64) > b.m << min(b.e - low, 64)


def greatest(first: Scalar, *others: Scalar) -> Scalar:
    for other in others:
        if greater(other, first):
            first = other
    return first


def whole(a: Scalar, power: int, bits: int) -> int:
    """a · 2^power cut to an integer, towards zero, and saturated to `bits` bits, two's complement."""
    up = a.e + power
    size = abs(a.m) << min(up, 64) if up >= 0 else abs(a.m) >> min(-up, 64)
    size = min(size, (1 << bits - 1) - 1)
    return -size if a.m < 0 else size


def room(*numbers: Scalar, most: int, bits: int) -> int:
    """The greatest power ≤ `most`, but at least 0, with which `whole` needs to saturate none of the numbers."""
    exponents = [each.e for each in numbers if each.m]
    return max(0, min([most, *(bits - 1 - SCALAR_BITS - e for e in exponents)]))
