"""`cpt sim`: a layer's passes through the driver on a device, at chosen precisions, compared with PyTorch if asked."""

from __future__ import annotations

import argparse
import json

from host.compiler.layer_spec import HELP, parse_layer
from scripts.flags import WIDTH, add
from scripts.parser import Parser
from sim.common.table import as_table

DESCRIPTION = """\
Draws random codes for a layer, lowers its passes to commands and runs them with the driver that also
runs on the board, on a simulated pynq device.
"""
EXAMPLES = """\
  cpt sim --layer conv:n8,c16-16,32x32,k3,p1 --bits 3 8 --verify
  cpt sim --device rtl --build tiny --layer linear:n64,c256-10 --counters
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--device")
    add(parser, "--build")
    add(parser, "--layer", metavar="TEXT", default="conv:n8,c16-16,32x32,k3,p1", help=f"layer to run: {HELP}")
    what = "width of weights and activations, and of errors"
    add(parser, "--bits", type=WIDTH, nargs=2, default=[8, 8], metavar=("FW", "BW"), help=what)
    add(parser, "--seed", help="seed of the random codes")
    add(parser, "--verify", action="store_true", help="compare results with the reference and with PyTorch")
    add(parser, "--counters", action="store_true", help="print the cycle counters of each pass")
    add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    from host.compiler.bits import Bits
    from host.compiler.layer import Pass
    from host.compiler.results import Results, pass_commands
    from host.driver.devices import open_device
    from host.measure.golden import Product
    from host.measure.one_layer import run_one
    from sim.contract import Build

    layer, bits = parse_layer(arguments.layer), Bits(*arguments.bits)
    build = Build.named(arguments.build)
    for which in Pass:  # refuses what cannot fit before anything is built, opened or drawn
        pass_commands(layer, which, bits, build, Results.EXACT)
    product: Product | None = None
    if arguments.verify:
        from cpt_model.arithmetic.integer import integer_pass

        product = integer_pass
    with open_device(arguments.device, build) as accelerator:
        rows = [run_one(accelerator, layer, which, bits, arguments.seed, arguments.counters, product) for which in Pass]
    print(json.dumps(rows, indent=2) if arguments.json else as_table(rows[0], [row.values() for row in rows]))
    return 1 if any(row.get("reference differs") or row.get("PyTorch differs") for row in rows) else 0
