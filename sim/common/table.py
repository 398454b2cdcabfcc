"""Text tables."""

from __future__ import annotations


def as_table(rows: list[dict]) -> str:
    """Rows under their keys, in columns."""
    cells = [
        list(rows[0]),
        *([f"{value:,}" if isinstance(value, int) else value for value in r.values()] for r in rows),
    ]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)
