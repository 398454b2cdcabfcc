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


def savings(rows: list[Row], high: tuple[int, int] = (8, 8), low: tuple[int, int] = (3, 3)) -> str:
    """What fewer bits leave of each pass's cycles, and what the rest is spent on."""
    found = []
    for row in rows:
        same = [each for each in rows if all(each[key] == row[key] for key in ("layer", "pass", "stored"))]
        wide = [each for each in same if (each["a_bits"], each["b_bits"]) == high]
        if wide and (row["a_bits"], row["b_bits"]) == low:
            found.append((row["cycles"] / wide[0]["cycles"], wide[0], row))
    if not found:
        raise ValueError(f"no pass among these was simulated at {high[0]}x{high[1]} and at {low[0]}x{low[1]} bits")
    alone = low[0] * low[1] / (high[0] * high[1])
    table = [
        (
            *(row["layer"], row["pass"], wide["cycles"], row["cycles"], f"{share:.2f}"),
            *(f"{100 * row['array_bound'] / row['cycles']:.0f} %", why(row)),
        )
        for share, wide, row in sorted(found, key=lambda each: each[0])
    ]
    names = [f"{a}x{b}" for a, b in (high, low)]
    head = ("layer", "pass", f"cycles {names[0]}", names[1], "left", "useful", f"the rest at {names[1]}")
    return "\n".join(
        [
            as_table(head, table, left=(0, 1, 6)),
            f"By bits alone {alone:.2f} would be left. Useful: multiply-accumulates over what the array could do.",
        ]
    )


def why(row: Row) -> str:
    """What a pass spends its cycles on, besides useful multiply-accumulates.

    >>> why({"cycles": 100, "busy": 95, "load_stall": 0, "store_stall": 3, "array_bound": 90})
    'little'
    """
    if row["array_bound"] >= 0.85 * row["cycles"]:
        return "little"
    lost = {
        "zeros in the array": row["busy"] - row["array_bound"],
        "waiting for loads": row["load_stall"],
        "waiting for stores": row["store_stall"],
        "start-up": row["cycles"] - row["busy"] - row["load_stall"] - row["store_stall"],
    }
    first, second, *_ = sorted(lost, key=lambda name: -lost[name])
    return f"{first}, {second}" if lost[second] > 0.2 * row["cycles"] else first


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
