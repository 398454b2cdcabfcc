"""The `cpt` command: one sub-command a job, each in its own module, imported only when it is used."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from host.execute import ExecutionError
from sim.bench.runner import BenchError

EPILOG = """\
start here:
  cpt demo                     one conv layer, three passes, several precisions, checked against PyTorch
  cpt sim --help               run a layer of your own on a simulated device
  cpt cosim --only "width-*"   vectors through the AXI pins of the C++ kernel, under Verilator
  cpt vectors --config tiny    write the test vectors that every executor replays
  cpt bench                    speed of the reference and of packing, measured here

The contract that all of this obeys is sim/CONTRACT.md.
"""

# Each module has add_parser(commands) and imports what is heavy (torch, matplotlib) inside its job.
COMMANDS = ("demo", "simulate", "cosim", "vectors", "bench", "constants")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cpt",
        description="Cyclic precision training: hardware and software of a bit-serial training accelerator.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in COMMANDS:
        import_module(f"scripts.{name}").add_parser(commands)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; what the user did wrong is one line on standard error, without a traceback."""
    parser = build_parser()
    parsed = parser.parse_args(arguments)
    if not hasattr(parsed, "run"):
        parser.print_help()
        return 0
    try:
        return int(parsed.run(parsed))
    except (ValueError, OSError, ExecutionError, BenchError) as problem:
        print(f"cpt: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cpt: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
