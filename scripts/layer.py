"""`cpt layer`: one conv layer, quantised, lowered and run in all three passes at every CPT precision, and checked."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from scripts.flags import add
from scripts.parser import Parser
from sim.common.files import write_atomically
from sim.common.table import as_table

DESCRIPTION = """\
Quantises a conv layer, lowers its three passes to commands, runs them bit plane by bit plane on the
reference, and compares every integer and every float32 with PyTorch.
"""
EXAMPLES = """\
  cpt layer
  cpt layer --json
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--json")
    add(parser, "--out", default=Path("out", "layer"), help="folder for JSON, plot and page")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.drawing.html import page
    from cpt_model.reports.layer import INTRODUCTION, LEFT, agrees, cells, measure
    from cpt_model.reports.layer_plot import TITLE, draw, parts

    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = measure()
    values = json.dumps([asdict(row) for row in rows], indent=2)
    files = [arguments.out / f"layer.{kind}" for kind in ("json", "png", "html")]
    write_atomically(files[0], values + "\n")
    draw(rows, files[1])
    write_atomically(files[2], page(TITLE, parts(rows, files[1])))
    if arguments.json:
        print(values)
    else:
        print(f"{INTRODUCTION}\n\n{as_table(*cells(rows), LEFT)}\n\nwrote {', '.join(map(str, files))}")
    return 0 if agrees(rows) else 1
