"""Integers from the user: Python's and NumPy's are accepted, anything else is refused by name."""

from __future__ import annotations

from operator import index


def integer(name: str, value: object, error: type[ValueError] = ValueError) -> int:
    """The value as a plain integer.

    >>> integer("bits", 3.5)
    Traceback (most recent call last):
    ValueError: bits = 3.5 is not an integer
    """
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise error(f"{name} = {value!r} is not an integer") from None


def set_integer(of: object, name: str, error: type[ValueError] = ValueError) -> int:
    """The same for a field of a frozen dataclass, which keeps the plain integer."""
    value = integer(name, getattr(of, name), error)
    object.__setattr__(of, name, value)
    return value
