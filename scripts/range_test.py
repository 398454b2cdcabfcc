"""`cpt range-test`: which precisions to cycle between, found in a few hundred steps at the start of training."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sim.common.files import write_atomically

if TYPE_CHECKING:
    from torch import Tensor

    from cpt_model.data import Batches
    from cpt_model.methods.range_test import RangeTest

DESCRIPTION = """\
Trains a network while its width grows, a few steps at each (CPT paper, section 3.3). The lower bound is the width at
which training accuracy first rises by more than the threshold, the upper bound the narrowest width whose loss is within
the tolerance of the widest one's. Writes range-test.json and range-test.png, the paper's Figure 4.
"""


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "range-test", help="find the bounds of cyclic precision for a network", description=DESCRIPTION
    )
    parser.add_argument("--arch", default="digits_resnet_8", help="network (digits_resnet_8)")
    parser.add_argument("--dataset", help="default: the network's own")
    parser.add_argument("--datadir", help="where the data is, if not in the cache")
    parser.add_argument("--widths", type=int, nargs=2, default=[2, 8], metavar=("FIRST", "LAST"), help="bits (2 8)")
    parser.add_argument("--bw-bits", type=int, default=8, help="bits of the gradients (8)")
    parser.add_argument("--quantiser", default="sbm", help="sbm, dorefa or wageubn (sbm)")
    parser.add_argument("--steps", type=int, default=60, help="at each width (60)")
    parser.add_argument("--window", type=int, default=20, help="steps of the moving average (20)")
    parser.add_argument("--threshold", type=float, default=0.1, help="gain of accuracy that counts as learning (0.1)")
    parser.add_argument("--tolerance", type=float, default=0.05, help="of the loss at the upper bound (0.05)")
    parser.add_argument("--batch", type=int, default=128, help="images of a step (128)")
    parser.add_argument("--lr", type=float, default=0.02, help="learning rate, constant (0.02)")
    parser.add_argument("--seed", type=int, default=0, help="of weights, data order and noise (0)")
    parser.add_argument("--threads", type=int, help="of PyTorch")
    parser.add_argument("--out", type=Path, default=Path("out") / "range-test", help="folder of the two files")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    import torch

    from cpt_model import Bits, Config, prepare_
    from cpt_model.methods.range_test import precision_range_test
    from cpt_model.models import entry
    from cpt_model.training import Settings
    from cpt_model.training.processes import Processes
    from cpt_model.training.recipes import home_of
    from cpt_model.training.task import make_task

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
    if settings.is_text:
        raise ValueError(f"{arguments.arch}: the range test on the command line is for images")
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    task = make_task(settings, Processes())
    torch.manual_seed(settings.seed)
    config = Config(settings.quantiser, entry(settings.arch).policy, Bits(last, arguments.bw_bits), seed=settings.seed)
    found = precision_range_test(
        prepare_(task.build(), config),
        InOrder(task.batches),
        torch.nn.functional.cross_entropy,
        lambda parameters: torch.optim.SGD(
            parameters, settings.lr, settings.momentum, weight_decay=settings.weight_decay
        ),
        widths=range(first, last + 1),
        steps=arguments.steps,
        window=arguments.window,
        threshold=arguments.threshold,
        tolerance=arguments.tolerance,
        backward=arguments.bw_bits,
        seed=settings.seed,
        progress=sys.stderr.isatty(),
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    files = [arguments.out / f"range-test.{kind}" for kind in ("json", "png")]
    write_atomically(files[0], found.to_json() + "\n")
    found.plot(files[1], f"Precision range test: {settings.arch} on {settings.dataset}")
    print(f"{render(found)}\n\nwrote {files[0]} and {files[1]}")
    return 0


@dataclass(frozen=True)
class InOrder:
    """Training batches from the first on, without end."""

    batches: Batches

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        step = 0
        while True:
            yield self.batches[step]
            step += 1


def render(test: RangeTest) -> str:
    """Each width's last average and its loss with the final weights, then the bounds."""
    lines = [f"{'bits':>4}  {'training accuracy':>17}  {'loss, final weights':>19}"]
    for place, (width, loss) in enumerate(zip(test.widths, test.width_losses, strict=True)):
        accuracy = 100 * test.average[(place + 1) * test.steps - 1]
        marks = [mark for mark, bound in (("lower bound", test.lower), ("upper bound", test.upper)) if bound == width]
        lines.append(f"{width:4}  {accuracy:15.1f} %  {loss:19.4f}  {', '.join(marks)}".rstrip())
    if test.lower is None:
        lines.append(f"no width gained {test.threshold:g} in accuracy: more --steps, or a lower --threshold")
    else:
        upper = max(test.upper, test.lower)
        lines.append(f"cycle between {test.lower} and {upper} bits: cpt train --fw-bits {test.lower} {upper} ...")
        ends = [str(bound) for bound, end in ((test.lower, test.widths[0]), (upper, test.widths[-1])) if bound == end]
        if ends:
            lines.append(f"(an end of the widths that were tried: {' and '.join(ends)}; try further with --widths)")
    return "\n".join(lines)
