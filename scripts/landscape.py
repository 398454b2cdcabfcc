"""`cpt landscape`: the loss around trained networks, compared in the same directions at the same bits."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from cpt_model.training import LoadedRun

DESCRIPTION = """\
Loss of trained networks on a grid of two random, filter-normalised directions (Li et al. 2018), as in the CPT paper's
Figure 2: wider contours mean a flatter minimum. Runs are folders of 'cpt train' or 'cpt experiment', or checkpoint
files. The grid is saved row by row: the same command continues one that was stopped.
"""


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "landscape", help="the loss around trained networks, side by side", description=DESCRIPTION
    )
    parser.add_argument("runs", nargs="+", metavar="[NAME=]RUN", help="a run's folder or checkpoint; NAME is its title")
    parser.add_argument("--bits", type=int, help="forward bits of evaluation, 0 is float32 (default: the runs' own)")
    parser.add_argument("--points", type=int, default=15, help="on each side of the grid, odd (15)")
    parser.add_argument("--span", type=float, default=1.0, help="the grid reaches from -SPAN to SPAN (1)")
    parser.add_argument("--images", type=int, default=500, help="test images the loss is the mean of (500)")
    parser.add_argument("--seed", type=int, default=0, help="of the directions (0)")
    parser.add_argument("--datadir", help="where the data is, if elsewhere now")
    parser.add_argument("--threads", type=int, help="of PyTorch")
    parser.add_argument("--out", type=Path, default=Path("out") / "landscape", help="folder of grid and picture")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    import torch

    from cpt_model.methods.landscape import landscape
    from cpt_model.training import load_run

    if arguments.images < 1:
        raise ValueError(f"--images {arguments.images}: must be 1 or more")
    if arguments.threads is not None:
        if arguments.threads < 1:
            raise ValueError(f"--threads {arguments.threads}: must be 1 or more")
        torch.set_num_threads(arguments.threads)
    runs = {name: load_run(path, datadir=arguments.datadir) for name, path in titles(arguments.runs).items()}
    bits = common_bits(runs, arguments.bits)
    batches = images_to_judge(runs, arguments.images)
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
        progress=sys.stderr.isatty(),
    )
    found.plot(picture)
    centre = arguments.points // 2
    width = f"{bits} bits" if bits else "float32"
    print(f"loss of {count} test images at {width}, and how much of the plane is within twice the centre's\n")
    print(f"{'run':28} {'centre':>9} {'largest':>10} {'of the plane':>13}")
    for name, losses in found.losses.items():
        least = losses[centre, centre]
        flat = 100 * float((losses <= 2 * least).mean())
        print(f"{name:28} {least:9.4f} {losses.max():10.4f} {flat:11.1f} %")
    print(f"\nwrote {grid} and {picture}")
    return 0


def titles(stated: list[str]) -> dict[str, str]:
    """Paths by title; a run without one is called after its folder.

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


def common_bits(runs: dict[str, LoadedRun], stated: int | None) -> int:
    """The forward bits at which all are evaluated; a float32 run is prepared to be evaluated as such."""
    from cpt_model import Bits, Config, prepare_
    from host.compiler.bits import check_bits

    own = {name: each.bits.forward for name, each in runs.items()}
    if stated is None and len(set(own.values())) > 1:
        raise ValueError(f"the runs are evaluated at different bits ({own}): say at which with --bits")
    bits = next(iter(own.values())) if stated is None else stated
    check_bits("--bits", bits, least=0, error=ValueError)
    for name, each in runs.items():
        if each.settings.is_float:
            if bits:
                raise ValueError(f"'{name}' is a float32 run, without ranges to quantise by: compare with --bits 0")
            prepare_(each.model, Config(bits=Bits(0, 0)))
    return bits


def images_to_judge(runs: dict[str, LoadedRun], count: int) -> list[tuple[Tensor, Tensor]]:
    """The first test images of the runs' data, which must be the same for all."""
    sets = {name: each.settings.dataset for name, each in runs.items()}
    if len(set(sets.values())) > 1:
        raise ValueError(f"the runs are of different data sets ({sets}): their losses cannot be compared")
    first = next(iter(runs.values()))
    if first.settings.is_text:
        raise ValueError(f"{first.settings.arch}: landscapes on the command line are for images")
    found = []
    for images, labels in first.task.tests():
        found.append((images[:count], labels[:count]))
        count -= len(found[-1][1])
        if not count:
            break
    return found
