"""The tables of CONTRACT.md, for tests that take nothing else."""

from __future__ import annotations

from functools import lru_cache

from tests.tools import ROOT

DOCUMENT = (ROOT / "sim" / "contract" / "CONTRACT.md").read_text()
LAYOUTS = {1: "field", 2: "field", 3: "MAP field", **dict.fromkeys((4, 5, 6, 7), "scalar field")}
LAYOUTS |= dict.fromkeys((8, 9), "weight field")
FLAGS = {"field": "flag", "MAP field": "MAP flag", "scalar field": "scalar flag", "weight field": "weight flag"}


@lru_cache
def table(first_heading: str) -> list[list[str]]:
    """The rows of the table whose header starts with this heading."""
    lines = DOCUMENT.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


@lru_cache
def numbers(first_heading: str) -> dict[str, int]:
    """Names and numbers of a table's first two columns."""
    return {row[0]: int(row[1], 0) for row in table(first_heading)}


@lru_cache
def fields(heading: str) -> dict[str, tuple[int, int, int]]:
    """Word, lowest bit and width of a layout's fields."""
    found = {}
    for name, word, bits, *_ in table(heading):
        high, low = (int(bit) for bit in bits.split(":"))
        found[name] = (int(word), low, high - low + 1)
    return found


@lru_cache
def members(part: str) -> dict[str, tuple[int, str]]:
    """Byte and type of the fields of a header or record, as "TALLY header"."""
    every = part.endswith("header")
    return {
        name: (int(byte), kind)
        for name, of, byte, kind, *_ in table("block field")
        if of == part or (every and of == "every header")
    }
