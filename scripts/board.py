"""`cpt board`: the driver from the command line, on a board or on simulated devices with the same output.

measure: real passes of chosen iterations of a schedule, checked bit for bit, repeated, with spread.
stream: the same passes one behind the other, uploads hidden behind execution, as training does it.
export: golden data for a machine without PyTorch. info: what a device says of itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from host.compiler.bits import Bits
from host.compiler.jobs import Job, Step, drawn_operands, training_jobs
from host.compiler.layer import Conv
from host.compiler.networks import named_network
from host.compiler.results import Results
from host.measure.golden import Golden, Product, job_key
from host.measure.prediction import BYTES_PER_CYCLE, bound_cycles, model_cycles
from scripts.board_fit import add_fit
from sim.contract import BUILDS, OVERLAY_CLOCK_MHZ, OVERLAY_NAME, Build
from sim.devices import EXECUTORS

if TYPE_CHECKING:
    from host.driver.accelerator import Accelerator
    from host.driver.stream import Stream
    from host.measure.report import Row

NETWORK = "resnet8"
EPILOG = """\
examples:
  cpt board measure --network resnet8 --batch 8 --iterations 0,31999 --device hls
  cpt board measure --network resnet74 --distinct --device rtl --out out/board
  cpt board export --network resnet74 --out golden.json      (then, on the board:)
  cpt board measure --golden golden.json --device pynq --bitfile cpt.bit
"""


def add_parser(commands: argparse._SubParsersAction) -> None:
    board = commands.add_parser("board", help="run a network's passes on the board, or on simulated devices alike")
    jobs = board.add_subparsers(title="jobs", metavar="JOB", required=True)
    for name, job, text in (
        ("measure", measure, "measure the latency of each pass, with spread, checked against golden data"),
        ("stream", stream, "stream the passes with double buffering, and report each one's time and cycles"),
    ):
        parser = jobs.add_parser(
            name, help=text, description=f"{__doc__}", epilog=EPILOG, formatter_class=argparse.RawTextHelpFormatter
        )
        add_device(parser)
        add_run(parser)
        parser.add_argument(
            "--golden",
            type=Path,
            metavar="FILE",
            help="golden data of 'cpt board export'; without\n"
            "--network its own run (default: PyTorch computes what is expected)",
        )
        if job is measure:
            parser.add_argument("--repeats", type=int, default=5, help="runs of each pass (5)")
        parser.add_argument(
            "--bandwidth",
            type=above_zero,
            default=BYTES_PER_CYCLE,
            metavar="BYTES",
            help=f"of the memory, a cycle, for bound and model ({BYTES_PER_CYCLE:g})",
        )
        parser.add_argument(
            "--clock-mhz",
            type=above_zero,
            default=OVERLAY_CLOCK_MHZ,
            help=f"of the core ({OVERLAY_CLOCK_MHZ}): turns cycles into time",
        )
        parser.add_argument("--out", type=Path, metavar="FOLDER", help="write a CSV file and a plot there")
        parser.set_defaults(run=job)
    parser = jobs.add_parser("export", help="write golden data for a machine without PyTorch")
    add_run(parser)
    parser.add_argument("--out", type=Path, default=Path("golden.json"), metavar="FILE", help="(golden.json)")
    parser.set_defaults(run=export)
    add_fit(jobs)
    parser = jobs.add_parser("info", help="open a device and print what it is")
    add_device(parser)
    parser.set_defaults(run=info)


def add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device",
        choices=(*EXECUTORS, "pynq"),
        default="reference",
        help="simulated, or pynq: the board this runs on (reference)",
    )
    parser.add_argument(
        "--build",
        choices=list(BUILDS),
        help="the build to simulate, or that the board must have\n(simulated: zc706; board: any)",
    )
    parser.add_argument("--bitfile", default=f"{OVERLAY_NAME}.bit", help=f"of the board ({OVERLAY_NAME}.bit)")


def add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--network", help=f"resnetN, a CIFAR ResNet 6n + 2 deep ({NETWORK})")
    parser.add_argument("--batch", type=int, default=128, help="images (128)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="layers by name, as in 'layer1.*'")
    parser.add_argument("--distinct", action="store_true", help="each shape once; rows say how many layers have it")
    parser.add_argument("--schedule", default="cpt", help="by name, as in 'cpt plot-schedule' (cpt)")
    parser.add_argument("--fw-bits", type=int, nargs=2, default=(3, 8), metavar=("LOW", "HIGH"), help="(3 8)")
    parser.add_argument("--bw-bits", type=int, default=8, help="of errors (8)")
    parser.add_argument("--cycles", type=int, default=32, help="of the schedule (32)")
    parser.add_argument("--total", type=int, default=64000, help="iterations of the whole run (64000)")
    parser.add_argument(
        "--iterations",
        default="0,1999",
        metavar="SLICE",
        help="which to run: 0:64000:8000 as a slice, or 0,10,20 (0,1999: the lowest and the highest precision)",
    )
    parser.add_argument(
        "--results",
        choices=list(map(str, Results)),
        default=str(Results.ROUNDED),
        help="what passes store: rounded (as few bits as the precision deserves) or int16, both with row sums;"
        " ...-products, without them; exact, all bits of the sums (rounded)",
    )


def above_zero(text: str) -> float:
    """A number that can be divided by, for argparse."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return number


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
    from cpt_model.schedules import named

    low, high = arguments.fw_bits
    schedule = named(arguments.schedule, low, high, arguments.cycles)
    numbers = chosen_iterations(arguments.iterations, arguments.total)
    bits = schedule.bits(numbers, arguments.total)
    return [Step(number, Bits(int(width), arguments.bw_bits)) for number, width in zip(numbers, bits, strict=True)]


def chosen_layers(network: Mapping[str, Conv], pattern: str) -> dict[str, Conv]:
    layers = {name: layer for name, layer in network.items() if fnmatch(name, pattern)}
    if not layers:
        raise ValueError(f"--only '{pattern}' matches no layer; there are: {', '.join(network)}")
    return layers


def distinct(layers: Mapping[str, Conv]) -> tuple[dict[str, Conv], dict[str, int]]:
    """The first layer of each shape, and how many have it."""
    first = {layer: name for name, layer in reversed(list(layers.items()))}
    kept = {name: layer for name, layer in layers.items() if first[layer] == name}
    return kept, {name: list(layers.values()).count(layer) for name, layer in kept.items()}


def pytorch_product() -> Product:
    try:
        from cpt_model.arithmetic.integer import integer_pass
    except ModuleNotFoundError as missing:
        raise ValueError(
            f"what is expected comes from PyTorch, and '{missing.name}' is missing here: run 'cpt board export' where"
            " it is installed, copy the file, and give it as --golden"
        ) from missing
    return integer_pass


def golden_data(arguments: argparse.Namespace) -> Golden:
    """The run that is asked for and what it must give: the file's own run, unless a network is named."""
    known = Golden.load(arguments.golden) if getattr(arguments, "golden", None) else None
    if known is not None and arguments.network is None:
        return replace(known, layers=chosen_layers(known.layers, arguments.only))
    name = arguments.network or NETWORK
    layers = chosen_layers(named_network(name, arguments.batch), arguments.only)
    steps = chosen_steps(arguments)
    if known is not None:
        return replace(known, network=name, batch=arguments.batch, layers=layers, steps=tuple(steps))
    jobs = progress(list(training_jobs(layers, steps)))
    return Golden.made(name, layers, steps, jobs, Results(arguments.results), pytorch_product())


def export(arguments: argparse.Namespace) -> int:
    golden = golden_data(arguments)
    golden.save(arguments.out)
    print(f"{arguments.out}: {len(golden.digests)} passes of {golden.network}, batch {golden.batch}")
    return 0


def refuse_without_board(device: str) -> None:
    """Golden data takes its time: that there is no board is said before."""
    from host.driver.accelerator import board_device

    if device == "pynq":
        board_device()


def opened(arguments: argparse.Namespace) -> Accelerator:
    from host.driver.devices import open_device

    build = Build.named(arguments.build) if arguments.build else None
    return open_device(arguments.device, build, arguments.bitfile)


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


def measure(arguments: argparse.Namespace) -> int:
    from host.driver.stream import Stream
    from host.measure.report import Gathered
    from host.measure.source import Source

    if arguments.repeats < 1:
        raise ValueError(f"--repeats {arguments.repeats}: must be 1 or more")
    refuse_without_board(arguments.device)
    golden = golden_data(arguments)
    layers, counts = distinct(golden.layers) if arguments.distinct else (golden.layers, {})
    jobs = list({job_and_name(job): job for job in training_jobs(layers, golden.steps)}.values())
    with opened(arguments) as accelerator:
        source = Source.of(accelerator, arguments.clock_mhz)
        rows: list[Row] = []
        with Stream(accelerator, layers, {step.bits for step in golden.steps}, golden.results) as passes:
            for job in progress(jobs):
                outcomes = []
                for done in passes.repeat(job, drawn_operands(job), arguments.repeats):
                    golden.check(job, done.result, done.row_sums)
                    outcomes.append(done.outcome)
                gathered = Gathered(job, outcomes, *predicted(passes, job, accelerator, arguments.bandwidth))
                gathered.upload_seconds, gathered.read_seconds = done.upload_seconds, done.read_seconds
                gathered.results, gathered.golden = golden.results, "equal"
                gathered.layers = counts.get(job.name, 1)
                rows.append(gathered.row(source, golden.network))
    return told(rows, source, arguments.out, "measure")


def stream(arguments: argparse.Namespace) -> int:
    from host.driver.stream import Done, Stream
    from host.measure.report import Gathered
    from host.measure.source import MEASURED, Source

    refuse_without_board(arguments.device)
    golden = golden_data(arguments)
    layers = distinct(golden.layers)[0] if arguments.distinct else golden.layers
    gathered: dict[tuple[str, str], Gathered] = {}
    with opened(arguments) as accelerator:
        source = Source.of(accelerator, arguments.clock_mhz)
        with Stream(accelerator, layers, {step.bits for step in golden.steps}, golden.results) as passes:

            def keep(done: Done) -> None:
                golden.check(done.job, done.result, done.row_sums)
                name = job_and_name(done.job)
                if name not in gathered:
                    bound, model = predicted(passes, done.job, accelerator, arguments.bandwidth)
                    gathered[name] = Gathered(done.job, [], bound, model, golden.results, golden="equal")
                entry = gathered[name]
                entry.outcomes.append(done.outcome)
                entry.upload_seconds, entry.read_seconds = done.upload_seconds, done.read_seconds

            jobs = list(training_jobs(layers, golden.steps))
            start = time.perf_counter()
            passes.run(progress(jobs), drawn_operands, keep)
            seconds = time.perf_counter() - start
            kept = passes.lists
    rows = [entry.row(source, golden.network) for entry in gathered.values()]
    told(rows, source, arguments.out, "stream")
    if source.kind == MEASURED:
        print("the host packs the next pass meanwhile and may see done late: 'cpt board measure' has the latencies")
    print(
        f"{len(jobs)} passes of {len(golden.steps)} iterations with {kept} compiled lists;"
        f" this machine took {seconds:.2f} s"
    )
    return 0


def job_and_name(job: Job) -> tuple[str, str]:
    return job.name, job_key(job)


def predicted(passes: Stream, job: Job, accelerator: Accelerator, bandwidth: float) -> tuple[float, float]:
    """Cycles of a pass: the bound, and the latency model's."""
    commands, build = passes.compiled(job).commands.commands, accelerator.build
    return bound_cycles(commands, build, bandwidth), model_cycles(commands, build, bandwidth)


def told(rows: list[Row], source: object, folder: Path | None, name: str) -> int:
    """Prints the table; the files' names begin with what the latencies are."""
    from host.measure.report import as_table, plot, write_csv
    from host.measure.source import Source

    assert isinstance(source, Source)
    print(as_table(rows, source))
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
    return 0


def progress(jobs: Iterable[Job]) -> Iterable[Job]:
    """With a bar where tqdm is installed and somebody watches."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return jobs
    bar: Iterable[Job] = tqdm(jobs, unit="pass", leave=False, disable=None)
    return bar
