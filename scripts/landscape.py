"""`cpt landscape`: the loss around trained networks, compared in the same directions at the same bits."""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.flags import add
from scripts.parser import Parser
from sim.common.flag_types import above_zero, whole
from sim.common.table import as_table

DESCRIPTION = """\
Computes the loss of trained networks on a grid of two random, filter-normalised directions (Li et al.
2018), as in the CPT paper's Figure 2: wider contours mean a flatter minimum. Runs are folders of
'cpt train' or 'cpt experiment', or checkpoint files. The grid is saved row by row: the same command
continues one that was stopped.
"""
EXAMPLES = """\
  cpt landscape 8/8=out/static CPT=out/cyclic
  cpt landscape out/train/a out/train/b/best.pt --eval-bits 4 --points 21
"""


def add_flags(parser: Parser) -> None:
    what = "folder or checkpoint of a run, with a title for it"
    parser.add_argument("runs", nargs="+", metavar="[NAME=]RUN", help=what)
    add(parser, "--eval-bits", shown="the runs' own", old=["--bits"])
    what = "number of points on each side of the grid, odd"
    add(parser, "--points", type=whole(), metavar="N", default=15, help=what)
    what = "distance from the centre to each side of the grid"
    add(parser, "--span", type=above_zero, metavar="X", default=1.0, help=what)
    what = "number of test images that the loss is averaged over"
    add(parser, "--images", type=whole(), metavar="N", default=500, help=what)
    add(parser, "--seed", help="seed of the directions")
    add(parser, "--datadir", shown="that of the runs")
    add(parser, "--threads")
    add(parser, "--out", default=Path("out", "landscape"), help="folder for grid and picture")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.training.threads import threads

    with threads(arguments.threads):
        return compare(arguments)


def compare(arguments: argparse.Namespace) -> int:
    import torch

    from cpt_model.methods.landscape import landscape
    from cpt_model.training import load_run
    from cpt_model.training.comparable import common_bits, first_images

    runs = {name: load_run(path, datadir=arguments.datadir) for name, path in titles(arguments.runs).items()}
    bits = common_bits(runs, arguments.eval_bits)
    batches = first_images(runs, arguments.images)
    count = sum(len(target) for _, target in batches)
    arguments.out.mkdir(parents=True, exist_ok=True)
    grid, picture = arguments.out / "landscape.npz", arguments.out / "landscape.png"
    found = landscape(
        {name: each.model for name, each in runs.items()},
        batches,
        torch.nn.functional.cross_entropy,
        grid,
        bits=bits,
        span=arguments.span,
        points=arguments.points,
        seed=arguments.seed,
    )
    found.plot(picture)
    centre = arguments.points // 2
    width = f"{bits} bits" if bits else "float32"
    print(f"loss of {count} test images at {width}, and the part of the plane within twice the loss at the centre\n")
    rows = []
    for name, losses in found.losses.items():
        least = losses[centre, centre]
        flat = 100 * float((losses <= 2 * least).mean())
        rows.append((name, f"{least:.4f}", f"{losses.max():.4f}", f"{flat:.1f} %"))
    print(as_table(("run", "centre", "largest", "flat part"), rows))
    print(f"\nwrote {grid} and {picture}")
    return 0


def titles(stated: list[str]) -> dict[str, str]:
    """Paths by title; a run without one is named after its folder.

    >>> titles(["CPT=out/a", "out/static-seed0/last.pt"])
    {'CPT': 'out/a', 'static-seed0': 'out/static-seed0/last.pt'}
    """
    found: dict[str, str] = {}
    for each in stated:
        title, equals, path = each.partition("=")
        if not equals:
            path = each
            title = Path(path).resolve().name if Path(path).suffix != ".pt" else Path(path).resolve().parent.name
        if not title or title in found:
            raise ValueError(f"'{each}': two runs would be called '{title}'; write NAME={path}")
        found[title] = path
    return found
