"""`cpt sim`: a layer's passes through the driver on a device, at chosen precisions, compared with PyTorch if asked."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

import numpy as np

from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, Pass
from host.compiler.layer_spec import HELP, parse_layer
from host.compiler.lower import lower
from host.compiler.plan import Plan
from sim.common.table import as_table
from sim.contract import BUILDS, Build
from sim.contract.noise import random_codes
from sim.devices import EXECUTORS
from sim.reference import Reference

if TYPE_CHECKING:
    from host.driver.accelerator import Accelerator
    from host.driver.outcome import ListOutcome


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "sim",
        help="run a layer's matrix passes on a simulated device",
        description="Draws random codes for a layer, lowers its passes to commands and runs them with the driver"
        " that also runs on the board, on a simulated pynq device.",
        epilog="example: cpt sim --layer conv:n8,c16-16,32x32,k3,p1 --bits 3 8 --verify",
    )
    parser.add_argument(
        "--device",
        choices=EXECUTORS,
        default="reference",
        help="the reference by plain integers or by bit planes, the HLS kernel in C++, the Verilated RTL (reference)",
    )
    parser.add_argument("--build", choices=list(BUILDS), default="zc706", help="the build to simulate (zc706)")
    parser.add_argument("--layer", default="conv:n8,c16-16,32x32,k3,p1", help=HELP)
    parser.add_argument("--bits", type=int, nargs=2, default=(8, 8), metavar=("FW", "BW"), help="widths (8 8)")
    parser.add_argument("--seed", type=int, default=1, help="of the random codes (1)")
    parser.add_argument("--verify", action="store_true", help="compare with the reference and with PyTorch")
    parser.add_argument("--counters", action="store_true", help="print the cycle counters of each pass")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    parser.set_defaults(run=run)


def cycle_counters(accelerator: Accelerator, outcome: ListOutcome) -> dict[str, int | str]:
    """Busy and stall cycles of a list, and the cycles of each of its commands, where a device measures them."""
    commands = getattr(accelerator.device.executor, "commands", None)
    if commands is None:  # an executor without a notion of time
        return {}
    counted = outcome.counters
    each = " ".join(str(command.total) for command in commands)
    return {
        "busy": counted.busy,
        "load stall": counted.load_stall,
        "store stall": counted.store_stall,
        "each command": each,
    }


def run(arguments: argparse.Namespace) -> int:
    from host.driver.devices import open_device

    layer = parse_layer(arguments.layer)
    build = Build.named(arguments.build)
    for which in Pass:  # refuses what cannot fit before anything is built, opened or drawn
        lower(layer, which, pass_precision(which, Bits(*arguments.bits)), build, plan=Plan())
    with open_device(arguments.device, build) as accelerator:
        rows = [run_one(accelerator, layer, which, arguments) for which in Pass]
    print(json.dumps(rows, indent=2) if arguments.json else as_table(rows))
    return 1 if any(row.get("reference differs") or row.get("PyTorch differs") for row in rows) else 0


def run_one(accelerator: Accelerator, layer: Conv, which: Pass, arguments: argparse.Namespace) -> dict[str, int | str]:
    """One pass with random codes: a row of the table."""
    from host.driver.execute import run_pass

    precision = pass_precision(which, Bits(*arguments.bits))
    a_shape, b_shape = layer.operand_shapes(which)
    a = random_codes(a_shape, precision.a_bits, precision.a_signed, arguments.seed)
    b = random_codes(b_shape, precision.b_bits, precision.b_signed, arguments.seed + 1)
    done = run_pass(accelerator, layer, which, precision, a, b)
    row: dict[str, int | str] = {
        "pass": which.value,
        "bits": f"{precision.a_bits}x{precision.b_bits}",
        "region_bytes": done.region_bytes,
    }
    if arguments.counters:
        row |= {"commands": done.outcome.commands_done, "cycles": done.outcome.cycles}
        row |= cycle_counters(accelerator, done.outcome)
    if arguments.verify:
        from cpt_model.arithmetic.integer import integer_pass

        expected = run_pass(Reference(accelerator.build), layer, which, precision, a, b).result
        row["reference differs"] = int(np.count_nonzero(done.result != expected))
        row["PyTorch differs"] = int(np.count_nonzero(done.result != integer_pass(layer, which, a, b)))
    return row
