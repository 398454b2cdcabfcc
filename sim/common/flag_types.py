"""Numbers on a command line, as types for argparse: a wrong one is refused in a line that names its flag."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

# What clocks and memories can be. Far beyond, simulations do not end, and numbers overflow.
CLOCK_MHZ = (1.0, 10_000.0)
GIGABYTES_PER_SECOND = (0.01, 100_000.0)
BYTES_PER_CYCLE = (0.001, 1_000_000.0)


def whole(least: int = 1, most: int | None = None) -> Callable[[str], int]:
    """A whole number in a range, also written as 48000.0.

    >>> whole()("12345678901234567890"), whole(1, 16)("8.0")
    (12345678901234567890, 8)
    """

    def parse(text: str) -> int:
        value = int(text) if text.isdecimal() else _number(text, "a whole number")
        if value != int(value):
            raise ArgumentTypeError(f"'{text}' is not a whole number")
        if most is not None and not least <= value <= most:
            raise ArgumentTypeError(f"must be in {least}..{most}, not {text}")
        if value < least:
            raise ArgumentTypeError(f"must be {least} or more, not {text}")
        return int(value)

    return parse


def above_zero(text: str) -> float:
    """A number that can be divided by."""
    return _allowed(text, lambda value: value > 0, "must be above 0")


def within(limits: tuple[float, float]) -> Callable[[str], float]:
    """A number that lies in them, both ends included.

    >>> within((1, 10))("2.5")
    2.5
    """

    def parse(text: str) -> float:
        rule = f"must be in {limits[0]:g}..{limits[1]:,.9g}"
        return _allowed(text, lambda value: limits[0] <= value <= limits[1], rule)

    return parse


def name(text: str) -> str:
    """Of a file or folder: an empty one would be the folder one is in."""
    if not text:
        raise ArgumentTypeError("the name is empty")
    return text


def path(text: str) -> Path:
    return Path(name(text))


def from_zero(text: str) -> float:
    return _allowed(text, lambda value: value >= 0, "must not be negative")


def share(text: str) -> float:
    """A part of a whole, which is neither nothing nor all of it."""
    return _allowed(text, lambda value: 0 < value < 1, "must lie between 0 and 1")


def _allowed(text: str, allowed: Callable[[float], bool], rule: str) -> float:
    value = _number(text, "a number")
    if not allowed(value):
        raise ArgumentTypeError(f"{rule}, not {text}")
    return value


def _number(text: str, what: str) -> float:
    with suppress(ValueError):
        if math.isfinite(value := float(text)):
            return value
    raise ArgumentTypeError(f"'{text}' is not {what}")
