"""`cpt constants`: checks or regenerates the files made from sim/contract/contract.toml."""

from __future__ import annotations

import argparse
import sys

from scripts.flags import add
from scripts.parser import Parser

DESCRIPTION = """\
Checks that the contract's constants in Python, C++, SystemVerilog and Tcl agree with their source,
sim/contract/contract.toml.
"""
EXAMPLES = """\
  cpt constants
  cpt constants --write
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--write", action="store_true", help="regenerate the files instead of checking them")


def run(arguments: argparse.Namespace) -> int:
    from sim.common.files import write_atomically
    from sim.common.places import CHECKOUT
    from sim.contract import generate

    if arguments.write and not CHECKOUT:
        raise ValueError("--write changes the kit's own files: run it in a checkout, not in an installed kit")
    stale = generate.drifted()
    for path in stale:
        if arguments.write:
            write_atomically(path, generate.RENDERERS[path](generate.load()))
        verb = "wrote" if arguments.write else "drifted from sim/contract/contract.toml:"
        print(f"{verb} {path.relative_to(generate.ROOT)}", file=sys.stdout if arguments.write else sys.stderr)
    if not stale:
        print(f"{len(generate.RENDERERS)} generated files agree with sim/contract/contract.toml")
    return 1 if stale and not arguments.write else 0
