"""`cpt layer`: one conv layer, quantised, lowered and run in all three passes at every CPT precision, and checked."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.flags import add
from scripts.parser import Parser
from sim.common.files import write_atomically

if TYPE_CHECKING:
    from cpt_model.reports.layer import Row

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
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.drawing.html import page
    from cpt_model.reports.layer import INTRODUCTION, agrees, measure
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
        print(f"{INTRODUCTION}\n\n{as_table(rows)}\n\nwrote {', '.join(map(str, files))}")
    return 0 if agrees(rows) else 1


def as_table(rows: Sequence[Row]) -> str:
    from sim.contract import OVERLAY_CLOCK_MHZ

    time = f"us at {OVERLAY_CLOCK_MHZ} MHz"
    lines = [f"fw/bw  pass             bits   cycles  {time}  vs 8/8  integers  float32    rms error"]
    for row in rows:
        verdicts = ["equal" if agree else "DIFFER" for agree in (row.integers_agree, row.floats_agree)]
        lines.append(
            f"{row.precision:5}  {row.which:15}  {row.bits:4}  {row.cycles:7,}  {row.microseconds:{len(time)}.1f}  "
            f"{row.relative_to_8_bits:6.3f}  {verdicts[0]:8}  {verdicts[1]:7}  {row.rms_error_percent:8.2f} %"
        )
    return "\n".join(lines)
