"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """The first `left` columns start at their left edge, the others end at their right one.

    >>> print(text_table(["run", "n"], [["a", "10"]]))
    run   n
    a    10
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if number < left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (head, *rows)
    )


def as_table(rows: Sequence[Mapping[str, int | str]]) -> str:
    """Rows under their keys; whole numbers with commas."""
    cells = [[f"{value:,}" if isinstance(value, int) else value for value in row.values()] for row in rows]
    return text_table(list(rows[0]), cells, left=0)
