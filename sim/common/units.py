"""Times in a unit that fits their size."""

from __future__ import annotations

UNITS = ((1e-6, "µs"), (1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h"))


def as_time(seconds: float) -> str:
    """Three digits and the largest unit of which there are at least one; minutes and hours from two on.

    >>> as_time(0.0000032), as_time(0.25), as_time(95), as_time(5400), as_time(34_000)
    ('3.2 µs', '250 ms', '95 s', '90 min', '9.44 h')
    """
    size, unit = UNITS[0]
    for larger, name in UNITS[1:]:
        if abs(seconds) >= (2 * larger if larger > 1 else larger):
            size, unit = larger, name
    value = seconds / size
    digits = max(0, 2 - len(str(int(abs(value)))) + 1)
    text = f"{value:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"
