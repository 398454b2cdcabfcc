"""A training run on a command line: a network, a precision schedule, a length and a batch."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.flags import CYCLES, Flags, add

if TYPE_CHECKING:
    from cpt_model.cost import Run
    from cpt_model.schedules import Schedule


@dataclass(frozen=True)
class Asked:
    """A run, the static one that its savings are against, and the precisions of both in words."""

    run: Run
    static: Run
    precision: str
    static_precision: str


def add_precision(flags: Flags) -> None:
    add(flags, "--fw-bits")
    add(flags, "--bw-bits")
    add(flags, "--schedule")
    add(flags, "--cycles", default=None, shown=str(CYCLES), old=["--num_cyclic_period"])


def add_run(flags: Flags, arch_required: bool = True) -> None:
    add(flags, "--arch", required=arch_required)
    add_precision(flags)
    add(flags, "--steps", old=["--iterations", "--iters"])
    add(flags, "--batch", old=["--batch-size", "--batch_size"])


def schedules(arguments: argparse.Namespace) -> tuple[Schedule, Schedule]:
    """The forward and the backward one; a schedule for a single precision is refused."""
    for flag, value in (("--schedule", arguments.schedule), ("--cycles", arguments.cycles)):
        if value is not None and not is_cyclic(arguments):
            raise ValueError(f"{flag} {value}: one precision has no schedule; give two bounds, as in --fw-bits 3 8")
    return _schedule(arguments.fw_bits, arguments), _schedule(arguments.bw_bits, arguments)


def is_cyclic(arguments: argparse.Namespace) -> bool:
    return any(bits[0] != bits[-1] for bits in (arguments.fw_bits, arguments.bw_bits))


def _schedule(bits: list[int], arguments: argparse.Namespace) -> Schedule:
    from cpt_model.schedules import Static, named

    if bits[0] == bits[-1]:
        return Static(bits[0])
    return named(arguments.schedule or "cpt", bits[0], bits[1], arguments.cycles or CYCLES)


def asked(arguments: argparse.Namespace) -> Asked:
    """The run the flags ask for; what cannot be is refused."""
    from cpt_model.cost import Run
    from cpt_model.schedules import Static

    run = Run(*schedules(arguments), arguments.steps, arguments.batch)
    run.widths()  # refuses a run shorter than its cycles
    high = arguments.fw_bits[-1], arguments.bw_bits[-1]
    static = Run(Static(high[0]), Static(high[1]), arguments.steps, arguments.batch)
    words = "/".join("-".join(map(str, bits)) for bits in (arguments.fw_bits, arguments.bw_bits))
    if is_cyclic(arguments):
        words += f" {arguments.schedule or 'cpt'} x{arguments.cycles or CYCLES}"
    return Asked(run, static, words, f"{high[0]}/{high[1]}")
