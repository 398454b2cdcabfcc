"""`cpt verify`: whether quantised layers on a device compute what they do on the CPU, to the bit."""

from __future__ import annotations

import argparse
import sys

from scripts.flags import add
from scripts.parser import Parser

DESCRIPTION = """\
Trains small quantised layers for a step on a device of PyTorch and on the CPU, at several
precisions, and compares the results of all three passes, bit for bit. Exit status 1 if one differs.
The kit itself was never run on a real GPU: run this on yours first.
"""
EXAMPLES = """\
  cpt verify --device cuda
  cpt verify --device fake
"""


def add_flags(parser: Parser) -> None:
    what = "device to check: cpu, cuda, cuda:1 or another of PyTorch's; fake is the code of other devices on the CPU"
    add(parser, "--device", choices=None, default="cpu", metavar="NAME", help=what)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.verification import table, verify

    checks = list(verify(arguments.device))
    wrong = [each for each in checks if not each.equal]
    print(table(checks))
    if wrong:
        print(f"cpt: {arguments.device}: {len(wrong)} of {len(checks)} checks differ from the CPU", file=sys.stderr)
        return 1
    print(f"{arguments.device}: all {len(checks)} checks are equal to the CPU, bit for bit")
    return 0
