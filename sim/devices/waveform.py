"""Waveforms as simulators write them (VCD): when signals changed, and to what.

>>> lines = ["$scope module top $end", "$var wire 4 ! count [3:0] $end", "$upscope $end", "$enddefinitions $end"]
>>> read_changes([*lines, "#0", "b0 !", "#10", "b101 !"], ["top.count"])
{'top.count': [(0, 0), (10, 5)]}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatch

Changes = list[tuple[int, int]]  # of time, in the file's unit, and the value from then on


def read_changes(lines: Iterable[str], wanted: Sequence[str]) -> dict[str, Changes]:
    """Of the signals whose full names match one of the shell patterns; unknown bits count as 0."""
    found: dict[str, Changes] = {}
    codes: dict[str, list[str]] = {}  # one code may stand for several names
    scopes: list[str] = []
    time = 0
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scopes.append(words[2])
        elif words[0] == "$upscope":
            scopes.pop()
        elif words[0] == "$var":
            name = ".".join([*scopes, words[4]])
            if any(fnmatch(name, pattern) for pattern in wanted):
                codes.setdefault(words[3], []).append(name)
                found[name] = []
        elif words[0][0] == "#":
            time = int(words[0][1:])
        elif words[0][0] in "bB" and len(words) == 2 and words[1] in codes:
            _add(found, codes[words[1]], time, words[0][1:])
        elif words[0][0] in "01xzXZ" and words[0][1:] in codes:
            _add(found, codes[words[0][1:]], time, words[0][0])
    return found


def _add(found: dict[str, Changes], names: list[str], time: int, bits: str) -> None:
    value = int("".join(bit if bit in "01" else "0" for bit in bits), 2)
    for name in names:
        found[name].append((time, value))
