"""`cpt board`: the driver from the command line, on a board or on simulated devices with the same output."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from host.compiler.networks import full_name
from scripts import board_convert, board_train
from scripts.flags import Flags, add, add_memory, bytes_per_cycle, devices
from scripts.parser import Parser, add_command
from scripts.run_flags import add_precision, schedules
from sim.common.files import write_atomically
from sim.common.flag_types import path
from sim.common.progress import watched
from sim.contract import OVERLAY_NAME

if TYPE_CHECKING:
    from host.compiler.jobs import Job, Step
    from host.compiler.layer import Conv
    from host.driver.accelerator import Accelerator
    from host.measure.golden import Golden, Product
    from host.measure.report import Row
    from host.measure.source import Source

ARCH = "cifar10_resnet_8"
DESCRIPTION = """\
Runs passes of a network through the driver, at chosen iterations of a precision schedule:
each pass alone and repeated (measure), or one behind the other as in training (stream).
Every result is checked bit for bit against golden data, which PyTorch computes, or a file holds.
"""
EXAMPLES = """\
  cpt board measure --arch cifar10_resnet_8 --batch 8 --iterations 0,31999 --device hls
  cpt board measure --arch cifar10_resnet_74 --distinct --device rtl --out out/board
  cpt board export --arch cifar10_resnet_74 --out golden.json      (then, on the board:)
  cpt board measure --golden golden.json --device pynq --bitfile cpt.bit
  cpt board fit out/board/measured-board-measure.csv
"""
TRAINING = """\
  cpt board train --recipe digits --device hls
  cpt board train --arch digits_resnet_8 --steps 10 --batch 8 --fw-bits 3 8 --cycles 2 --device reference
"""
FIT = """\
Finds the memory bandwidth and the host's share of each list that explain a CSV file of
'cpt board measure' best, and writes a profile for 'cpt cost' and 'cpt train'.
"""


def add_flags(parser: Parser) -> None:
    jobs = parser.add_subparsers(title="jobs", metavar="JOB", required=True)
    _measuring(_job(jobs, "measure", measure, "measure the latency of each pass, with its spread"), repeat=True)
    _measuring(_job(jobs, "stream", stream, "run the passes as training does, uploads hidden behind execution"))
    exporting = _job(jobs, "export", export, "write golden data for a machine without PyTorch")
    _run(exporting)
    add(exporting, "--out", metavar="FILE", default=Path("golden.json"), help="file of the golden data")
    fitting = _job(jobs, "fit", fit, "fit the latency model to measured latencies, and write a profile", FIT)
    fitting.add_argument("csv", type=path, metavar="FILE", help="CSV file that 'cpt board measure --out' wrote")
    add(fitting, "--name", default="fitted", help="name of the profile")
    add(fitting, "--out", metavar="FILE", default=Path("profile.json"), help="file of the profile")
    training = add_command(jobs, "train", "train a network on a device", board_train.DESCRIPTION, TRAINING)
    training.set_defaults(run=board_train.run)
    board_train.add_flags(training)
    _device(training, old=())  # --config is a recipe's old name there
    text = "convert checkpoints and weights between a board and PyTorch"
    converting = add_command(jobs, "convert", text, board_convert.DESCRIPTION, board_convert.EXAMPLES)
    converting.set_defaults(run=board_convert.run)
    board_convert.add_flags(converting)
    _device(_job(jobs, "info", info, "open a device and print what it is", "Opens a device and prints what it is."))


def _job(jobs: Any, name: str, run: Any, text: str, description: str = DESCRIPTION) -> Parser:
    parser = add_command(jobs, name, text, description, EXAMPLES)
    parser.set_defaults(run=run)
    return parser


def _measuring(parser: Parser, repeat: bool = False) -> None:
    _device(parser)
    _run(parser)
    what = "golden data of 'cpt board export', whose own run is used unless --arch is given"
    add(parser, "--golden", type=path, metavar="FILE", shown="computed by PyTorch", help=what)
    if repeat:
        add(parser, "--repeat", help="number of runs of each pass")
    add_memory(parser)
    add(parser, "--out", help="folder for a CSV file and a plot")


def _device(flags: Flags, **build: Any) -> None:
    what = "device to run on: simulated, or the board (by pynq, or by uio on any Linux)"
    add(flags, "--device", choices=(*devices(), "pynq", "uio"), help=what)
    what = "build to simulate, or the board's"
    add(flags, "--build", **{"default": None, "shown": "zc706; on the board, any", "help": what} | build)
    add(flags, "--bitfile", metavar="FILE", default=f"{OVERLAY_NAME}.bit", help="overlay of the board")
    what = "registers of uio: /dev/uioN, or /dev/mem@ADDRESS"
    add(flags, "--registers", metavar="PLACE", default=None, shown="the UIO device of the core's name", help=what)
    what = "memory of uio: /dev/udmabufN, or /dev/mem@ADDRESS+BYTES"
    add(flags, "--memory", metavar="PLACE", default=None, shown="the first u-dma-buf", help=what)


def _run(flags: Flags) -> None:
    what = "CIFAR ResNet, by the CPT authors' names, as in cifar10_resnet_74, or FILE.py:CLASS:CxHxW"
    add(flags, "--arch", type=full_name, shown=ARCH, help=what, old=["--network"])
    add(flags, "--batch")
    add(flags, "--only", help="shell pattern of the layers to run, as in 'layer1.*'")
    add(flags, "--distinct", action="store_true", help="run each shape once; rows have the number of its layers")
    add_precision(flags)
    add(flags, "--steps", old=["--total"])
    what = "iterations to run: numbers (0,10,20) or a slice (0:64000:8000)"
    add(flags, "--iterations", metavar="SLICE", default="0,1999", help=what)
    add(flags, "--results")


def chosen_iterations(text: str, total: int) -> list[int]:
    """Iterations as a user writes them.

    >>> chosen_iterations("0:10:4", 100), chosen_iterations("7,3", 100)
    ([0, 4, 8], [7, 3])
    """
    try:
        if ":" in text:
            numbers = list(range(total)[slice(*(int(part) if part else None for part in text.split(":")))])
        else:
            numbers = [int(part) for part in text.split(",")]
    except (TypeError, ValueError):
        raise ValueError(
            f"--iterations '{text}': write a slice such as 0:64000:8000, or numbers such as 0,10,20"
        ) from None
    wrong = [number for number in numbers if not 0 <= number < total]
    if wrong:
        raise ValueError(f"--iterations '{text}': {wrong[0]} does not lie in 0..{total - 1}")
    if not numbers:
        raise ValueError(f"--iterations '{text}': none of it lies in 0..{total - 1}")
    return numbers


def chosen_steps(arguments: argparse.Namespace) -> list[Step]:
    """The precision of each chosen iteration."""
    from host.compiler.bits import Bits
    from host.compiler.jobs import Step

    numbers = chosen_iterations(arguments.iterations, arguments.steps)
    widths = (schedule.bits(numbers, arguments.steps) for schedule in schedules(arguments))
    return [Step(number, Bits(int(fw), int(bw))) for number, fw, bw in zip(numbers, *widths, strict=True)]


def pytorch_product() -> Product:
    try:
        from cpt_model.arithmetic.integer import integer_pass
    except ModuleNotFoundError as missing:
        raise ValueError(
            f"golden data comes from PyTorch, and '{missing.name}' is missing here: run 'cpt board export' where it is"
            " installed, copy the file, and give it as --golden"
        ) from missing
    return integer_pass


def golden_data(arguments: argparse.Namespace) -> Golden:
    """The run that is asked for and its golden data: the file's own run, unless a network is named."""
    from host.compiler.jobs import training_jobs
    from host.compiler.networks import named_network
    from host.compiler.results import Results
    from host.measure.golden import Golden
    from host.measure.passes import chosen_layers

    known = Golden.load(arguments.golden) if getattr(arguments, "golden", None) else None
    if known is not None and arguments.arch is None:
        return replace(known, layers=chosen_layers(known.layers, arguments.only))
    name = arguments.arch or ARCH
    shapes = own_shapes(name, arguments.batch) if ".py" in name else named_network(name, arguments.batch)
    layers = chosen_layers(shapes, arguments.only)
    steps = chosen_steps(arguments)
    if known is not None:
        return replace(known, network=name, batch=arguments.batch, layers=layers, steps=tuple(steps))
    jobs = progress(list(training_jobs(layers, steps)))
    return Golden.made(name, layers, steps, jobs, Results(arguments.results), pytorch_product())


def own_shapes(name: str, batch: int) -> dict[str, Conv]:
    """The products of a class of the user's own, as layers."""
    from cpt_model.cost import count_network

    return {
        layer.name if not number else f"{layer.name}#{number}": product.of_batch(batch).shape
        for layer in count_network(name).layers
        if layer.quantised
        for number, product in enumerate(layer.products)
    }


def export(arguments: argparse.Namespace) -> int:
    golden = golden_data(arguments)
    golden.save(arguments.out)
    print(f"{arguments.out}: {len(golden.digests)} passes of {golden.network}, batch {golden.batch}")
    return 0


def fit(arguments: argparse.Namespace) -> int:
    from cpt_model.cost import fitting
    from host.measure.report import read_csv

    rows = read_csv(arguments.csv)
    found = fitting.fit(rows, arguments.csv)
    write_atomically(arguments.out, json.dumps(found.profile(arguments.name), indent=2) + "\n")
    print(f"fitted to {len(rows)} latencies, {rows[0].source} on {rows[0].device}")
    print(f"  memory   {found.bytes_per_cycle:.1f} bytes a cycle, {found.gigabytes_per_second:.2f} GB/s")
    print(f"  host     {found.list_us:.1f} us for each list")
    print(f"  model    {found.mean_pct:.1f} % off on average, {found.worst_pct:.1f} % at worst")
    print(f"wrote {arguments.out}")
    return 0


def opened(arguments: argparse.Namespace) -> Accelerator:
    from host.driver.devices import open_device

    where = {"registers": arguments.registers, "memory": arguments.memory}
    return open_device(arguments.device, arguments.build, arguments.bitfile, **where)


def info(arguments: argparse.Namespace) -> int:
    with opened(arguments) as accelerator:
        what = "simulated, " + accelerator.simulates if accelerator.simulates else "board"
        print(f"device    {accelerator.device.tag} ({what})")
        print(f"contract  {accelerator.version[0]}.{accelerator.version[1]}")
        print(f"build     {accelerator.build.name}: {accelerator.build.parameters()}")
        print(f"done by   {'interrupt' if accelerator.core.by_interrupt else 'polling'}")
        free = accelerator.free_bytes()
        print(f"memory    {'unknown' if free is None else f'{free:,} contiguous bytes free'}")
    return 0


def prepared(arguments: argparse.Namespace) -> tuple[Golden, dict[str, int]]:
    """Golden data, which takes its time, so a missing board is reported before; how many layers have each shape."""
    from host.measure.passes import distinct

    if arguments.device == "pynq":
        from host.driver.accelerator import board_device

        board_device()
    golden = golden_data(arguments)
    layers, counts = distinct(golden.layers) if arguments.distinct else (golden.layers, {})
    return replace(golden, layers=layers), counts


def measure(arguments: argparse.Namespace) -> int:
    from host.measure.passes import measured_passes
    from host.measure.source import Source

    golden, counts = prepared(arguments)
    with opened(arguments) as accelerator:
        source = Source.of(accelerator, arguments.clock_mhz)
        limits = arguments.repeat, bytes_per_cycle(arguments)
        rows = measured_passes(accelerator, golden, source, counts, *limits, progress)
    show(rows, source, arguments.out, "measure")
    return 0


def stream(arguments: argparse.Namespace) -> int:
    from host.measure.passes import streamed_passes
    from host.measure.source import MEASURED, Source

    golden, _ = prepared(arguments)
    with opened(arguments) as accelerator:
        source = Source.of(accelerator, arguments.clock_mhz)
        done = streamed_passes(accelerator, golden, source, bytes_per_cycle(arguments), progress)
    show(done.rows, source, arguments.out, "stream")
    if source.kind == MEASURED:
        print("the host packs the next pass meanwhile and may see done late: 'cpt board measure' has the latencies")
    print(
        f"{done.passes} passes of {len(golden.steps)} iterations with {done.lists} compiled lists;"
        f" this machine took {done.seconds:.2f} s"
    )
    return 0


def show(rows: Sequence[Row], source: Source, folder: Path | None, name: str) -> None:
    """Prints the table; the files' names begin with what the latencies are."""
    from host.measure.report import as_text, plot, write_csv

    print(as_text(rows, source))
    if folder is not None:
        stem = f"{source.kind}-{source.device}-{name}"
        write_csv(rows, folder / f"{stem}.csv")
        written = [f"{stem}.csv"]
        try:
            plot(rows, source, folder / f"{stem}.png")
            written.append(f"{stem}.png")
        except ModuleNotFoundError:
            print("no plot: matplotlib is not installed here", file=sys.stderr)
        print(f"wrote {' and '.join(written)} in {folder}")


def progress(jobs: Sequence[Job]) -> Iterable[Job]:
    """With a bar on a terminal, else with lines."""
    return watched(jobs, "running", "passes")
