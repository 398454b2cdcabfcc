"""Flags that several commands share: one name, one meaning and one default for each, in one table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sim.common.flag_types import BYTES_PER_CYCLE, CLOCK_MHZ, GIGABYTES_PER_SECOND, name, path, whole, within

if TYPE_CHECKING:
    from sim.devices.rtl_executor import Ddr, RtlExecutor

Flags = Any  # a parser, or a group of flags in one
CYCLES = 32  # of the CPT paper
WIDTH = whole(1, 16)  # bits of an operand
COUNT: dict[str, Any] = {"type": whole(), "metavar": "N"}


class Bounds(argparse.Action):
    """One width, or the lower and the upper bound of a schedule."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        if len(values) > 2 or values != sorted(values):
            stated = " ".join(map(str, values))
            raise argparse.ArgumentError(self, f"takes one width, or the lower and the upper bound, not {stated}")
        setattr(namespace, self.dest, values)


def contract() -> Any:
    from sim import contract as constants

    return constants


def devices() -> Sequence[str]:
    from sim.devices import EXECUTORS

    return EXECUTORS


def results() -> Sequence[str]:
    from host.compiler.results import Results

    return [kind.value for kind in Results]


BOUNDS: dict[str, Any] = {"type": WIDTH, "nargs": "+", "action": Bounds, "metavar": "BITS"}
# Choices and defaults that take time to import are functions.
SHARED: dict[str, dict[str, Any]] = {
    "--arch": {
        "metavar": "NAME",
        "help": "network, by the CPT authors' names, as in cifar100_resnet_74, or FILE.py:CLASS",
    },
    "--bandwidth": {
        "type": within(GIGABYTES_PER_SECOND),
        "metavar": "GB/S",
        "default": lambda: contract().BOARD_BYTES_PER_CYCLE * contract().OVERLAY_CLOCK_MHZ / 1e3,
        "help": "memory bandwidth in GB/s, reads and writes together",
    },
    "--batch": {**COUNT, "default": 128, "help": "number of samples in a training step"},
    "--build": {
        "old": ["--config"],
        "choices": lambda: list(contract().BUILDS),
        "default": "zc706",
        "help": "build of the core",
    },
    "--bw-bits": BOUNDS
    | {"default": [8], "help": "width of errors and gradients: one number, or the two bounds of a schedule"},
    "--clock-mhz": {
        "type": within(CLOCK_MHZ),
        "metavar": "MHZ",
        "default": lambda: float(contract().OVERLAY_CLOCK_MHZ),
        "help": "clock of the core in MHz",
    },
    "--cycles": {**COUNT, "default": CYCLES, "help": "number of cycles of a schedule in the run"},
    "--datadir": {
        "type": name,
        "metavar": "FOLDER",
        "shown": "$CPT_DATA, else ~/.cache/cpt-kit",
        "help": "folder of the data sets",
    },
    "--dataset": {"metavar": "NAME", "shown": "the network's own", "help": "data set, as 'cpt data' lists them"},
    "--device": {
        "choices": devices,
        "default": "reference",
        "help": "device to run on: NumPy reference, the same by bit planes, HLS kernel in C++, Verilated RTL core",
    },
    "--eval-bits": {"type": whole(0, 16), "metavar": "BITS", "help": "forward width of evaluation, 0 for float32"},
    "--fw-bits": BOUNDS
    | {"default": [3, 8], "help": "width of weights and activations: one number, or the two bounds of a schedule"},
    "--jobs": {**COUNT, "default": 2, "help": "number of processes, with one thread each"},
    "--json": {"action": "store_true", "help": "print JSON instead of tables"},
    "--latency": {
        "type": whole(0),
        "metavar": "N",
        "default": lambda: contract().BOARD_LATENCY_CYCLES,
        "help": "cycles to the first beat of a read",
    },
    "--limit": {**COUNT, "shown": "all", "help": "number of training samples to use"},
    "--only": {"metavar": "PATTERN", "default": "*", "shown": "all", "help": "shell pattern of the names to run"},
    "--out": {"type": path, "metavar": "FOLDER"},
    "--profile": {
        "metavar": "NAME",
        "default": "zc706",
        "help": "board to estimate: zc706 or zc706_train (with its SODIMM), zc706-rows (with row misses), zc706-ps"
        " (the ARM's memory) or a JSON file",
    },
    "--repeat": {**COUNT, "default": 5, "help": "number of runs", "old": ["--repeats"]},
    "--results": {
        "choices": results,
        "default": "rounded",
        "help": "results that forward and input-error passes store: rounded (as few bits as the precision needs) or"
        " int16, both with row sums; the same without (...-products); or exact accumulators",
    },
    "--schedule": {"metavar": "NAME", "shown": "cpt", "help": "precision schedule, as 'cpt plot-schedule' draws them"},
    "--seed": {"type": whole(0), "metavar": "N", "default": 0, "help": "seed of everything random"},
    "--seeds": {**COUNT, "help": "number of seeds"},
    "--steps": {**COUNT, "default": 64_000, "help": "number of training steps"},
    "--test-limit": {**COUNT, "shown": "all", "help": "number of test samples to use"},
    "--threads": {**COUNT, "shown": "all cores", "help": "number of PyTorch threads"},
}


def add(flags: Flags, name: str, *others: str, **changes: Any) -> None:
    """Adds a flag, as SHARED has it but for `changes`; its help text ends with its default.

    Changes are what `add_argument` takes, `shown` (the default in words) and `old` (spellings that the help hides).
    """
    given = {key: value for key, value in (SHARED.get(name, {}) | changes).items() if value is not None}
    given |= {key: given[key]() for key in ("choices", "default") if callable(given.get(key))}
    old, shown, text = given.pop("old", ()), given.pop("shown", None), given.pop("help")
    if shown is None and "default" in given:
        shown = in_words(given["default"])
    text = text if shown is None else f"{text} (default: {shown})"
    action = flags.add_argument(name, *others, help=text.replace("%", "%%"), **given)
    given = {key: value for key, value in given.items() if key not in ("dest", "required", "default")}
    for each in old:
        flags.add_argument(each, dest=action.dest, default=argparse.SUPPRESS, help=argparse.SUPPRESS, **given)


def in_words(default: Any) -> str:
    """A default as a user would write it.

    >>> in_words(64_000), in_words([3, 8]), in_words(10.0), in_words(path("out"))
    ('64,000', '3 8', '10', 'out')
    """
    if isinstance(default, (list, tuple)):
        return " ".join(map(in_words, default))
    form = "," if isinstance(default, int) else "g" if isinstance(default, float) else ""
    return format(default, form)


def add_memory(flags: Flags) -> None:
    """Bandwidth and clock, which together give bytes a cycle; that unit itself is the old spelling."""
    add(flags, "--bandwidth")
    add(flags, "--clock-mhz")
    flags.add_argument("--bytes-per-cycle", type=within(BYTES_PER_CYCLE), help=argparse.SUPPRESS)


def bytes_per_cycle(arguments: argparse.Namespace) -> float:
    """Of a memory by its bandwidth.

    >>> bytes_per_cycle(argparse.Namespace(bytes_per_cycle=None, bandwidth=10.0, clock_mhz=200.0))
    50.0
    """
    stated: float | None = arguments.bytes_per_cycle
    return arguments.bandwidth * 1e3 / arguments.clock_mhz if stated is None else stated


def add_rows(flags: Flags) -> None:
    what = "model the SODIMM's rows and the time between reads and writes; replaces --bandwidth and --latency"
    add(flags, "--rows", action="store_true", help=what)


def simulated_memory(arguments: argparse.Namespace) -> Ddr:
    """The memory that a simulated core is given, by add_memory, --latency and add_rows."""
    from sim.devices.rtl_executor import Ddr

    return Ddr.with_rows() if arguments.rows else Ddr(bytes_per_cycle(arguments), arguments.latency)


def core_of(executor: RtlExecutor) -> dict[str, Any]:
    """What a file says of a simulated core and its memory."""
    memory = {name: getattr(executor.ddr, name) for name in ("bytes_per_cycle", "latency", "row_miss", "turnaround")}
    return {"build": executor.build.parameters(), **memory}
