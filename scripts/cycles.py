"""`cpt cycles`: cycles of layers on the RTL core, with a modelled DDR, compared with what array and memory allow."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from host.measure.cycle_grid import BODY, grid, measure, unseen
from host.measure.efficiency import efficiency, read_rows
from sim.common.files import write_atomically
from sim.contract import BUILDS, Build


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "cycles",
        help="measure cycles of layers on the RTL core with a modelled DDR",
        description="Runs a grid of layers, passes and widths on the Verilated core; results have 16 bits, and in some"
        " passes fewer, or row sums beside them (`stored`). `ratio` is cycles over the larger of two bounds: bit"
        " operations by the array's binary MACs, bytes by the memory's bandwidth."
        " `per bit` is cycles over a_bits·b_bits, against the layer's widest operands, where the array's bound rules.",
        epilog="examples: cpt cycles --body --out out/cycles.json; cpt cycles --body --show vivado/cycles.json",
    )
    parser.add_argument("--build", choices=list(BUILDS), default="zc706", help="the build (zc706)")
    parser.add_argument("--body", action="store_true", help="only the body layers of a CIFAR ResNet, 16-bit results")
    parser.add_argument("--unseen", action="store_true", help="other layers: those the latency model is examined on")
    parser.add_argument("--only", default="", metavar="TEXT", help="points whose layer or pass contains TEXT")
    parser.add_argument("--bits", type=int, nargs=2, metavar=("A", "B"), help="only this pair of widths")
    parser.add_argument("--bandwidth", type=float, default=50.0, help="bytes a cycle, reads and writes together (50)")
    parser.add_argument("--latency", type=int, default=60, help="cycles to the first beat of a read (60)")
    parser.add_argument("--verify", action="store_true", help="compare every result with the reference")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--out", type=Path, help="also write the JSON to this file")
    parser.add_argument("--show", type=Path, metavar="FILE", help="print the table of a file of --out; measure nothing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.show is not None:
        if arguments.unseen:
            raise ValueError(f"--unseen: {arguments.show} has what it has; name the file of other layers")
        layers = BODY if arguments.body else None
        print(efficiency(read_rows(arguments.show, arguments.only, layers, arguments.bits)))
        return 0
    from tqdm import tqdm

    from sim.devices.rtl_executor import Ddr, RtlExecutor

    build = Build.named(arguments.build)
    points = [
        point
        for point in (unseen(build) if arguments.unseen else grid(arguments.body))
        if (arguments.only in point.layer or arguments.only in point.which.value)
        and (arguments.bits is None or tuple(arguments.bits) == point.bits)
    ]
    if not points:
        raise ValueError(f"no point of the grid matches '{arguments.only}' and these widths")
    executor = RtlExecutor(build, Ddr(arguments.bandwidth, arguments.latency))
    rows: list[dict[str, Any]] = []
    result = {
        "build": executor.build.parameters(),
        "bytes_per_cycle": arguments.bandwidth,
        "latency": arguments.latency,
        "points": rows,
    }
    for point in tqdm(points, unit="pass", leave=False):
        rows.append(measure(executor, point, arguments.verify))
        if arguments.out:  # what is measured is kept, also when the rest is broken off
            write_atomically(arguments.out, json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=2) if arguments.json else efficiency(rows))
    return 0
