"""Scalars a second time, as exact fractions: each result is the true one, cut towards zero to 31 bits."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

BITS, LIMIT = 31, 16384
GREATEST = Fraction(2**BITS - 1) * Fraction(2) ** LIMIT
ZERO, ONE = Fraction(0), Fraction(1)


def exponent(a: Fraction) -> int:
    """e of a scalar m · 2^e that is not 0; a scalar's denominator is a power of two."""
    return abs(a.numerator).bit_length() - a.denominator.bit_length() + 1 - BITS


def power(p: int) -> Fraction:
    return Fraction(1 << p) if p >= 0 else Fraction(1, 1 << -p)


def cut(a: Fraction) -> Fraction:
    """Towards zero, to 31 bits; the limits of the exponent."""
    if not a:
        return ZERO
    size = abs(a)
    e = size.numerator.bit_length() - size.denominator.bit_length() - BITS
    while size >= power(e + BITS):
        e += 1
    while size < power(e + BITS - 1):
        e -= 1
    if e < -LIMIT:
        return ZERO
    if e > LIMIT:
        return GREATEST if a > 0 else -GREATEST
    m = size / power(e)
    cut_size = (m.numerator // m.denominator) * power(e)
    return cut_size if a > 0 else -cut_size


def scalar(x: int, e: int = 0) -> Fraction:
    """S(x, e); far exponents without forming the number."""
    reach = e + abs(x).bit_length() - BITS
    if x == 0 or reach < -LIMIT:
        return ZERO
    if reach > LIMIT:
        return GREATEST if x > 0 else -GREATEST
    return cut(x * power(e))


def parts(a: Fraction) -> tuple[int, int]:
    """m and e."""
    if not a:
        return 0, 0
    e = exponent(a)
    m = a / power(e)
    assert m.denominator == 1
    assert 2 ** (BITS - 1) <= abs(m) < 2**BITS
    return int(m), e


def scaled(a: Fraction, p: int) -> Fraction:
    m, e = parts(a)
    return scalar(m, e + p)


def mul(a: Fraction, b: Fraction) -> Fraction:
    return cut(a * b)


def div(a: Fraction, b: Fraction) -> Fraction:
    return cut(a / b) if a and b else ZERO


def add(a: Fraction, b: Fraction) -> Fraction:
    if not a or not b:
        return a or b
    apart = exponent(a) - exponent(b)
    if abs(apart) >= 32:
        return a if apart > 0 else b
    return cut(a + b)


def root(a: Fraction) -> Fraction:
    if a <= 0:
        return ZERO
    up = max(0, 70 - exponent(a)) + 2  # so many bits that the integer root has more than 31
    up += up % 2
    return cut(Fraction(isqrt(int(a * power(up)))) * power(-up // 2))


def whole(a: Fraction, p: int, width: int) -> int:
    """int(a, p, width)."""
    most = 2 ** (width - 1) - 1
    if not a:
        return 0
    if exponent(a) + BITS + p > width + 1:
        return most if a > 0 else -most
    if exponent(a) + BITS + p < 0:
        return 0
    value = abs(a) * power(p)
    size = min(most, value.numerator // value.denominator)
    return size if a > 0 else -size


def room(most: int, width: int, values: list[Fraction]) -> int:
    p = most
    for value in values:
        if value:
            p = min(p, width - 32 - exponent(value))
    return max(0, p)


def near(t: int, k: int) -> int:
    """t / 2^k to the nearest integer, a tie to the even one: what Python's round does with a fraction."""
    return t << -k if k <= 0 else round(Fraction(t, 1 << k))


def sat(t: int, bits: int) -> int:
    return min(max(t, -(2 ** (bits - 1))), 2 ** (bits - 1) - 1)


def low(value: int, bits: int) -> int:
    """The low bits as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value
