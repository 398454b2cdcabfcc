"""`cpt sim`: a layer's passes through the driver on a device, at chosen precisions, compared with PyTorch if asked."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from host.compiler.layer_spec import HELP, parse_layer
from scripts.board import own_shapes
from scripts.flags import WIDTH, add
from scripts.parser import Parser
from sim.common.table import as_table

if TYPE_CHECKING:
    from host.driver.accelerator import Accelerator
    from sim.contract import Build

BATCH = 2  # images of a network's layers
DESCRIPTION = """\
Draws random codes for a layer, lowers its passes to commands and runs them with the driver that also
runs on the board, on a simulated pynq device.
"""
EXAMPLES = """\
  cpt sim --device hls --build tiny --layer conv:n2,c16-16,8x8,k3,p1 --counters
  cpt sim --layer conv:n8,c16-16,32x32,k3,p1 --bits 3 8 --verify
  cpt sim --device rtl --build tiny --layer linear:n64,c256-10 --counters
  cpt sim --arch my.py:Net:1x8x8 --device rtl --build tiny --bits 3 8
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--device")
    add(parser, "--build")
    what = "run the layers of a network instead: FILE.py:CLASS:CxHxW, or a name"
    add(parser, "--arch", shown="none", help=what)
    add(parser, "--batch", default=None, shown="2", help="number of images, with --arch")
    add(parser, "--layer", metavar="TEXT", default="conv:n8,c16-16,32x32,k3,p1", help=f"layer to run: {HELP}")
    what = "width of weights and activations, and of errors"
    add(parser, "--bits", type=WIDTH, nargs=2, default=[8, 8], metavar=("FW", "BW"), help=what)
    add(parser, "--seed", help="seed of the random codes")
    add(parser, "--verify", action="store_true", help="compare results with the reference and with PyTorch")
    add(parser, "--counters", action="store_true", help="print the cycle counters of each pass")
    add(parser, "--json")


def opened(device: str, build: Build, counters: bool) -> Accelerator:
    """The device; the HLS kernel in its timed C-simulation when cycles are asked for."""
    from host.driver.devices import open_device, open_simulated

    if device == "hls" and counters:
        from sim.devices.hls_timed import TimedHlsExecutor

        return open_simulated(TimedHlsExecutor(build), device)
    return open_device(device, build)


def run(arguments: argparse.Namespace) -> int:
    from host.compiler.bits import Bits
    from host.compiler.layer import Pass
    from host.compiler.results import Results, pass_commands
    from host.measure.golden import Product
    from host.measure.one_layer import run_one
    from host.measure.stage_times import stage_times
    from sim.contract import Build

    bits, build = Bits(*arguments.bits), Build.named(arguments.build)
    layers = {"": parse_layer(arguments.layer)}
    if arguments.arch is not None:
        layers = own_shapes(arguments.arch, arguments.batch or BATCH)
    for name, layer in layers.items():
        for which in Pass:  # refuses what cannot fit before anything is built, opened or drawn
            try:
                pass_commands(layer, which, bits, build, Results.EXACT)
            except ValueError as problem:
                raise ValueError(f"layer '{name}': {problem}" if name else str(problem)) from problem
    product: Product | None = None
    if arguments.verify:
        from cpt_model.arithmetic.integer import integer_pass

        product = integer_pass
    rows, details = [], []
    with opened(arguments.device, build, arguments.counters) as accelerator:
        for name, layer in layers.items():
            for which in Pass:
                row = run_one(accelerator, layer, which, bits, arguments.seed, arguments.counters, product)
                rows.append({"layer": name, **row} if name else row)
                details += stage_times(accelerator, which) if arguments.counters else []
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        print(as_table(rows[0], [row.values() for row in rows]))
        print("\n".join(details), end="\n" if details else "")
    return 1 if any(row.get("reference differs") or row.get("PyTorch differs") for row in rows) else 0
