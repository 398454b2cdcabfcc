"""`cpt tables`: every cost number of the papers, printed and computed, side by side."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from scripts.flags import add
from scripts.parser import Parser
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.cost.tables import Row

NAMES = {
    "2": "CPT's Table 2: CIFAR, bit operations and hours on its board",
    "3": "CPT's Table 3: ImageNet, bit operations",
    "5": "CPT's Table 5: language models, bit operations",
    "figure5": "CPT's Figure 5: savings",
    "schedules": "the ten schedules of Better Schedules: savings",
    "zc706": "Table 2's runs on our accelerator: hours of whole training runs, estimated, at two clocks",
}
KEY = """\
The deviation is in per cent of the paper's value, for savings (already per cent) in points. Hours are those of the CPT
paper's board: linear in the operands' widths, calibrated on ResNet-74 at 8/8 bits alone; but on our accelerator they
are the latency model's. A note marks where a paper contradicts itself; nothing is fitted to the rows.
"""
LINES = "\n".join(f"  {name:10} {what}" for name, what in NAMES.items())
DESCRIPTION = f"Recomputes the tables named, or all of them:\n\n{LINES}\n\n{KEY}"
EXAMPLES = """\
  cpt tables 2 figure5
  cpt tables --json
"""


def add_flags(parser: Parser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="table to recompute (default: all)")
    add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    unknown = [name for name in arguments.names if name not in NAMES]
    if unknown:
        raise ValueError(f"no table '{unknown[0]}'; there are: {', '.join(NAMES)}")
    from tqdm import tqdm

    from cpt_model.cost.tables import TABLES

    wanted = arguments.names or list(NAMES)
    tables = {name: list(TABLES[name]()) for name in tqdm(wanted, desc="tables", leave=False, disable=None)}
    if arguments.json:
        print(json.dumps([asdict(row) for rows in tables.values() for row in rows], indent=2))
        return 0
    for name, rows in tables.items():
        print(f"{NAMES[name]}\n{render(rows)}\n")
    print(KEY, end="")
    return 0


def render(rows: list[Row]) -> str:
    """A table; equal notes are numbered and written out once, below."""
    notes = list(dict.fromkeys(row.note for row in rows if row.note))
    cells = []
    for row in rows:
        mark = f"[{notes.index(row.note) + 1}]" if row.note else ""
        unit = "points" if row.column.endswith("(%)") else "%"
        compared = (_number(row.paper), _number(row.ours), f"{row.deviation_pct:+.{_digits(row)}f}", unit)
        cells.append((row.row, row.column, *compared, mark))
    table = as_table(("", "", "paper", "ours", "deviation", "", ""), cells, left=(0, 1, 5, 6), indent="  ")
    return "\n".join([table, *(f"  [{number}] {note}" for number, note in enumerate(notes, start=1))])


def _digits(row: Row) -> int:
    return 2 if abs(row.deviation_pct) < 1000 else 0


def _number(value: float) -> str:
    """Bit operations in the papers' manner, hours and per cent as they are.

    >>> _number(2.668e8), _number(44.6)
    ('2.668e+08', '44.60')
    """
    return f"{value:.3e}" if value >= 1000 else f"{value:.2f}"
