"""Schedules by the names people use on a command line."""

from __future__ import annotations

from collections.abc import Callable

from host.schedules.base import Schedule, ScheduleError, Static
from host.schedules.cyclic import CPT, CosineAnnealing, Cyclic
from host.schedules.progressive import Progressive


def _cyclic(growth: str, decay: str = "none") -> Callable[[int, int, int], Schedule]:
    return lambda low, high, cycles: Cyclic(low, high, cycles, growth, decay)


# The ten of "Better Schedules": profile C, L, E or R; repeated or triangular; the flip where it matters.
TEN: dict[str, Callable[[int, int, int], Schedule]] = {
    "CR": _cyclic("cosine"),
    "CT": _cyclic("cosine", "vertical"),
    "LR": _cyclic("linear"),
    "LT": _cyclic("linear", "vertical"),
    "ER": _cyclic("exponential"),
    "ETV": _cyclic("exponential", "vertical"),
    "ETH": _cyclic("exponential", "horizontal"),
    "RR": _cyclic("reverse-exponential"),
    "RTV": _cyclic("reverse-exponential", "vertical"),
    "RTH": _cyclic("reverse-exponential", "horizontal"),
}

NAMES: dict[str, Callable[[int, int, int], Schedule]] = {
    **TEN,
    "cpt": CPT,
    "triangular": TEN["LT"],
    "cosine-annealing": CosineAnnealing,
    "progressive": lambda low, high, cycles: Progressive(low, high),
    "static": lambda low, high, cycles: Static(high),
}


def named(name: str, low: int, high: int, cycles: int) -> Schedule:
    """A schedule by name; those without cycles ignore that number.

    >>> named("RR", 3, 8, cycles=8)
    Cyclic(low=3, high=8, cycles=8, growth='reverse-exponential', decay='none')
    """
    if name not in NAMES:
        raise ScheduleError(f"unknown schedule '{name}'; there are: {', '.join(NAMES)}")
    return NAMES[name](low, high, cycles)
