"""Numbers on a command line, as types for argparse: a wrong one is refused in a line that names its flag."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Callable


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
    value = _number(text, "a number")
    if value <= 0:
        raise ArgumentTypeError(f"must be above 0, not {text}")
    return value


def from_zero(text: str) -> float:
    value = _number(text, "a number")
    if value < 0:
        raise ArgumentTypeError(f"must not be negative, not {text}")
    return value


def share(text: str) -> float:
    """A part of a whole, which is neither nothing nor all of it."""
    value = _number(text, "a number")
    if not 0 < value < 1:
        raise ArgumentTypeError(f"must lie between 0 and 1, not {text}")
    return value


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"'{text}' is not {what}") from None
    if not math.isfinite(value):
        raise ArgumentTypeError(f"'{text}' is not {what}")
    return value
