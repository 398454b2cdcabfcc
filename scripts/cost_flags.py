"""Flags that commands about costs share: a network, a precision schedule, a run's length and batch."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpt_model.cost import Run
    from cpt_model.schedules import Schedule

CYCLES = 32  # of the CPT paper


@dataclass(frozen=True)
class Asked:
    """A run, the static one that its savings are against, and the precisions of both in words."""

    run: Run
    static: Run
    precision: str
    static_precision: str


def add_run(parser: argparse.ArgumentParser) -> None:
    bits = {"type": int, "nargs": "+", "metavar": "N"}
    parser.add_argument("--arch", required=True, help="network, by the authors' names (cifar100_resnet_74, resnet34)")
    parser.add_argument("--fw-bits", **bits, default=[8], help="weights and activations: 8 is static, 3 8 bounds (8)")  # type: ignore[arg-type]
    parser.add_argument("--bw-bits", **bits, default=[8], help="gradients, likewise (8)")  # type: ignore[arg-type]
    parser.add_argument(
        "--schedule", metavar="NAME", help="between two bounds: cpt, CR, CT, ... (cpt plot-schedule shows them)"
    )
    parser.add_argument(
        "--cycles", "--num_cyclic_period", dest="cycles", type=int, metavar="N", help=f"of schedules ({CYCLES})"
    )
    parser.add_argument(
        "--iterations", "--steps", "--iters", dest="iterations", type=int, default=64_000, metavar="N", help="(64,000)"
    )
    parser.add_argument(
        "--batch", "--batch-size", "--batch_size", dest="batch", type=int, default=128, metavar="N", help="(128)"
    )


def asked(arguments: argparse.Namespace) -> Asked:
    """The run the flags ask for; what cannot be is refused."""
    from cpt_model.cost import Run
    from cpt_model.schedules import Static

    cyclic = [len(bits) == 2 and bits[0] != bits[1] for bits in (arguments.fw_bits, arguments.bw_bits)]
    forward, backward = (
        _schedule(flag, bits, arguments)
        for flag, bits in (("--fw-bits", arguments.fw_bits), ("--bw-bits", arguments.bw_bits))
    )
    for flag, value in (("--schedule", arguments.schedule), ("--cycles", arguments.cycles)):
        if value is not None and not any(cyclic):
            raise ValueError(f"{flag} {value} without two bounds (--fw-bits 3 8): one precision has no schedule")
    run = Run(forward, backward, arguments.iterations, arguments.batch)
    static = Run(Static(arguments.fw_bits[-1]), Static(arguments.bw_bits[-1]), arguments.iterations, arguments.batch)
    run.widths()  # refuses a run shorter than its cycles
    words = "/".join("-".join(map(str, bits)) for bits in (arguments.fw_bits, arguments.bw_bits))
    if any(cyclic):
        words += f" {arguments.schedule or 'cpt'} x{arguments.cycles or CYCLES}"
    return Asked(run, static, words, f"{arguments.fw_bits[-1]}/{arguments.bw_bits[-1]}")


def _schedule(flag: str, bits: list[int], arguments: argparse.Namespace) -> Schedule:
    from cpt_model.schedules import Static, named
    from host.compiler.bits import check_bits

    if len(bits) > 2:
        raise ValueError(f"{flag} {' '.join(map(str, bits))}: one precision, or two bounds")
    for each in bits:
        check_bits(flag, each)
    if bits[0] > bits[-1]:
        raise ValueError(f"{flag} {bits[0]} {bits[1]}: the lower bound comes first")
    if bits[0] == bits[-1]:
        return Static(bits[0])
    cycles = CYCLES if arguments.cycles is None else arguments.cycles
    return named(arguments.schedule or "cpt", bits[0], bits[1], cycles)
