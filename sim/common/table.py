"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def as_table(
    head: Iterable[object] | None, rows: Iterable[Iterable[object]], left: Sequence[int] = (0,), indent: str = ""
) -> str:
    """Columns as wide as their widest cell, aligned to the right except those in `left`.

    Whole numbers are written with commas, all else as `str` has it.

    >>> print(as_table(("run", "n"), [("a", 1000), ("b", 7)]))
    run      n
    a    1,000
    b        7
    """
    lines = [[_text(cell) for cell in row] for row in ([head] if head else []) + list(rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        indent
        + "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _text(cell: object) -> str:
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
