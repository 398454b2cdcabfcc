"""The table of cycle efficiency: each point's ratio to its bound, and whether cycles grow with bit products."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from sim.common.table import as_table

Row = dict[str, Any]
HIDDEN = ("bus_bytes", "bytes")
PLAIN = "int16-16"  # 16-bit words without row sums
MOST_RATIO, MOST_DEVIATION = 1.1, 0.05  # the goals


def read_rows(
    path: Path, only: str = "*", layers: Sequence[str] | None = None, bits: Sequence[int] | None = None
) -> list[Row]:
    """The points of a file of `cpt cycles --out`: whose layer or pass matches the shell pattern `only`, with this pair
    of widths (all), of these layers and with plain 16-bit results (all).
    """
    try:
        rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))["points"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path}: not a file of 'cpt cycles --out' (JSON with 'points')") from None
    chosen = [
        row
        for row in rows
        if (fnmatch(row["layer"], only) or fnmatch(row["pass"], only))
        and (layers is None or (row["layer"] in layers and row["stored"] == PLAIN))
        and (bits is None or sorted(bits) == sorted((row["a_bits"], row["b_bits"])))
    ]
    if not chosen:
        raise ValueError(f"{path}: no point of these layers and widths matches '{only}'")
    return chosen


def array_rules(row: Row) -> bool:
    return bool(row["array_bound"] >= row["memory_bound"])


def per_bit(row: Row, rows: list[Row]) -> float | None:
    """Cycles per bit product over those of the same pass at its widest operands; None where memory rules either."""
    same = [each for each in rows if all(each[key] == row[key] for key in ("layer", "pass", "stored"))]
    widest = max(same, key=lambda each: each["a_bits"] * each["b_bits"])
    if widest is row or not array_rules(row) or not array_rules(widest):
        return None
    rate, reference = (each["cycles"] / (each["a_bits"] * each["b_bits"]) for each in (row, widest))
    return float(rate / reference)


def efficiency(rows: list[Row]) -> str:
    """The table, and how many points miss the goals."""
    shares = [per_bit(row, rows) for row in rows]
    shown = [
        {key: str(value) for key, value in row.items() if key not in HIDDEN}
        | {"per bit": "" if share is None else f"{share:.3f}"}
        for row, share in zip(rows, shares, strict=True)
    ]
    above = sum(row["ratio"] > MOST_RATIO for row in rows)
    compared = [share for share in shares if share is not None]
    apart = sum(abs(share - 1) > MOST_DEVIATION for share in compared)
    return "\n".join(
        [
            as_table(shown[0], [row.values() for row in shown], left=(0, 1)),
            f"{above} of {len(rows)} points need more than {MOST_RATIO} times their bound",
            f"{apart} of {len(compared)} points where the array rules are more than {MOST_DEVIATION:.0%} from "
            "cycles proportional to a_bits·b_bits",
        ]
    )
