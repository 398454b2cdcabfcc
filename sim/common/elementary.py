"""exp, log and cos in IEEE double by + − × ÷ and powers of two, each rounded to nearest, in the order written here.

Libraries differ in the last bit of theirs; these give the same bits on every machine.
"""

from __future__ import annotations

from math import factorial, pi

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]

LN2 = (float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33"))  # 33 bits, and the rest
PER_LN2 = float.fromhex("0x1.71547652b82fep+0")
LEAST = -708.0  # below it exp is 0: no result is subnormal
EXP_TERMS = tuple(1.0 / factorial(n) for n in range(13, 1, -1))
LOG_TERMS = tuple(1.0 / n for n in range(23, 0, -2))
COS_TERMS = tuple((-1) ** (n // 2) / factorial(n) for n in range(16, -1, -2))
SIN_TERMS = tuple((-1) ** (n // 2) / factorial(n) for n in range(17, 0, -2))
HALF_ROOT = float.fromhex("0x1.6a09e667f3bcdp-1")  # √½


def exp(x: Doubles) -> Doubles:
    """e^x of x ≤ 0, as 2^k · (1 + (r + r²·(1/2! + r·(1/3! + ... r·1/13!)))).

    k = round(x / ln 2)     r = (x − k·ln2₀) − k·ln2₁

    >>> exp(np.array([0.0, -1.0, -1000.0])).tolist()
    [1.0, 0.36787944117144233, 0.0]
    """
    kept = np.maximum(x, LEAST)
    k = np.rint(kept * PER_LN2)
    r = (kept - k * LN2[0]) - k * LN2[1]
    value = 1.0 + (r + r * r * _series(r, EXP_TERMS))
    return np.where(x < LEAST, 0.0, np.ldexp(value, k.astype(np.int32)))


def log(x: Doubles) -> Doubles:
    """Natural logarithm of x ≥ 1: with x = m·2^k and √½ ≤ m < √2, k·ln 2 plus the series of 2·artanh((m−1) / (m+1)).

    >>> log(np.array([1.0, 10.0])).tolist()
    [0.0, 2.302585092994046]
    """
    m, k = np.frexp(x)
    low = m < HALF_ROOT
    m, k = np.where(low, m * 2.0, m), np.where(low, k - 1, k).astype(np.float64)
    s: Doubles = (m - 1.0) / (m + 1.0)
    return k * LN2[0] + (2.0 * s * _series(s * s, LOG_TERMS) + k * LN2[1])


def cos_pi(x: npt.ArrayLike) -> Doubles:
    """cos πx: the series of cos πy or of sin π(½ − y), whichever is shorter, of the angle y ≤ ½ of the same size.

    >>> cos_pi([0.0, 0.25, 0.5, 1.0, -7.0]).tolist()
    [1.0, 0.7071067811865476, 0.0, -1.0, -1.0]
    """
    angle = np.asarray(x, dtype=np.float64)
    turned = np.abs(angle - 2.0 * np.rint(angle / 2.0))  # in 0..1
    y = np.minimum(turned, 1.0 - turned)
    near, far = pi * y, pi * (0.5 - y)
    size = np.where(y <= 0.25, _series(near * near, COS_TERMS), far * _series(far * far, SIN_TERMS))
    return np.where(turned > 0.5, -size, size)


def _series(x: Doubles, terms: tuple[float, ...]) -> Doubles:
    """The polynomial by Horner's rule, its highest term first."""
    value = np.full_like(x, terms[0])
    for term in terms[1:]:
        value = value * x + term
    return value
