"""`cpt range-test`: which precisions to cycle between, found in a few hundred steps at the start of training."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.flags import WIDTH, add
from scripts.parser import Parser
from sim.common.files import write_atomically
from sim.common.flag_types import above_zero, from_zero, whole
from sim.common.table import as_table

if TYPE_CHECKING:
    from cpt_model.methods.range_test import RangeTest

DESCRIPTION = """\
Trains a network while its width grows, a few steps at each (CPT paper, section 3.3). The lower bound
is the width at which training accuracy first rises by more than the threshold, the upper bound the
narrowest width whose loss is within the tolerance of the widest one's. Writes range-test.json and
range-test.png, the paper's Figure 4.
"""
EXAMPLES = """\
  cpt range-test
  cpt range-test --arch cifar10_resnet_20 --widths 2 10 --steps 200
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--arch", default="digits_resnet_8")
    add(parser, "--dataset")
    add(parser, "--datadir")
    what = "narrowest and widest width to try"
    add(parser, "--widths", type=WIDTH, nargs=2, default=[2, 8], metavar=("FIRST", "LAST"), help=what)
    add(parser, "--bw-bits", nargs=None, action=None, default=8, help="width of errors and gradients")
    add(parser, "--quantiser", metavar="NAME", default="sbm", help="quantiser: sbm, sbm-authors, dorefa or wageubn")
    add(parser, "--steps", default=60, help="number of training steps at each width")
    add(parser, "--window", type=whole(), metavar="N", default=20, help="number of steps in the moving average")
    what = "gain of accuracy that counts as learning"
    add(parser, "--threshold", type=above_zero, metavar="X", default=0.1, help=what)
    what = "relative excess of the loss that the upper bound may have"
    add(parser, "--tolerance", type=from_zero, metavar="X", default=0.05, help=what)
    add(parser, "--batch")
    add(parser, "--lr", type=above_zero, metavar="X", default=0.02, help="learning rate, constant")
    add(parser, "--seed", help="seed of weights, data order and noise")
    add(parser, "--threads")
    add(parser, "--out", default=Path("out", "range-test"), help="folder for JSON and picture")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.training import Settings
    from cpt_model.training.range_test import range_test
    from cpt_model.training.recipes import home_of

    first, last = arguments.widths
    if first > last:
        raise ValueError(f"--widths {first} {last}: the narrowest comes first")
    settings = Settings(
        arch=arguments.arch,
        dataset=arguments.dataset or home_of(arguments.arch)[0],
        datadir=arguments.datadir,
        batch=arguments.batch,
        lr=arguments.lr,
        seed=arguments.seed,
        threads=arguments.threads,
        quantiser=arguments.quantiser,
        fw_bits=(last,),
        bw_bits=(arguments.bw_bits,),
    )
    details = {name: getattr(arguments, name) for name in ("steps", "window", "threshold", "tolerance")}
    found = range_test(settings, range(first, last + 1), **details)
    arguments.out.mkdir(parents=True, exist_ok=True)
    files = [arguments.out / f"range-test.{kind}" for kind in ("json", "png")]
    write_atomically(files[0], found.to_json() + "\n")
    found.plot(files[1], f"Precision range test: {settings.arch} on {settings.dataset}")
    print(f"{render(found)}\n\nwrote {files[0]} and {files[1]}")
    return 0


def render(test: RangeTest) -> str:
    """Each width's last average and its loss with the final weights, then the bounds."""
    rows = []
    for place, (width, loss) in enumerate(zip(test.widths, test.width_losses, strict=True)):
        accuracy = 100 * test.average[(place + 1) * test.steps - 1]
        marks = [mark for mark, bound in (("lower bound", test.lower), ("upper bound", test.upper)) if bound == width]
        rows.append((width, f"{accuracy:.1f} %", f"{loss:.4f}", ", ".join(marks)))
    lines = [as_table(("bits", "training accuracy", "loss, final weights", ""), rows, left=(3,))]
    if test.lower is None:
        lines.append(f"no width gained {test.threshold:g} in accuracy: use more --steps, or a lower --threshold")
    else:
        upper = max(test.upper, test.lower)
        lines.append(f"cycle between {test.lower} and {upper} bits: cpt train --fw-bits {test.lower} {upper} ...")
        ends = [str(bound) for bound, end in ((test.lower, test.widths[0]), (upper, test.widths[-1])) if bound == end]
        if ends:
            lines.append(
                f"({' and '.join(ends)} bits are an end of the widths that were tried: try more with --widths)"
            )
    return "\n".join(lines)
