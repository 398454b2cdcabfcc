"""The `cpt` command: one sub-command a job, each in its own module."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from host.driver.errors import DeviceError
from sim.bench.runner import BenchError
from sim.common.places import INSTALLER
from sim.common.version import __version__

EPILOG = """\
start here:
  cpt demo                     train with cyclic and with static precision, side by side; check one layer
  cpt experiment               the papers' comparisons at small scale, with several seeds
  cpt data cifar10             fetch CIFAR-10 and convert it once; `cpt data` lists the sets
  cpt train --build digits    train a network at cyclic precision (cpt train --recipes lists the papers')
  cpt report RUN...            one page about such runs: accuracy, cost, latency, roofline
  cpt sim --help               run a layer of your own on a simulated device
  cpt board measure --help     latency of a network's passes through the driver, on the board or simulated
  cpt cosim --only "width-*"   vectors through the AXI pins of the C++ kernel, under Verilator
  cpt cycles --body            measured cycles of ResNet layers on the RTL core
  cpt iteration                a whole training iteration on the RTL core, simulated
  cpt vectors --build tiny    write the test vectors that every executor replays
  cpt plot-schedule ten        precision schedules, drawn, with what they save
  cpt range-test --help        which precisions to cycle between; cpt landscape compares minima
  cpt tables                   the papers' cost tables, recomputed
  cpt cost --help              bit operations and board hours of a run of yours
  cpt explore --help           builds of the core for a network: hours against resources
  cpt bench                    speeds on this machine: training, the reference, the HLS kernel, costs

The contract that all of this obeys is sim/contract/CONTRACT.md.
"""

# Each module has add_parser(commands) and imports what is heavy (torch, matplotlib, cocotb) inside its job.
COMMANDS = (
    "demo",
    "layer",
    "data",
    "train",
    "simulate",
    "board",
    "cosim",
    "cycles",
    "iteration",
    "latency",
    "vectors",
    "tables",
    "cost",
    "explore",
    "plot_schedule",
    "experiment",
    "report",
    "range_test",
    "landscape",
    "bench",
    "constants",
)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cpt",
        description="Cyclic precision training: hardware and software of a bit-serial training accelerator.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cpt-kit {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in COMMANDS:
        import_module(f"{__package__}.{name}").add_parser(commands)
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
    except (ValueError, DeviceError, BenchError) as problem:
        print(f"cpt: {problem}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as missing:
        print(f"cpt: this command needs the package '{missing.name}', which {INSTALLER} installs", file=sys.stderr)
        return 2
    except MemoryError as problem:
        print(f"cpt: this machine's memory is too small: {problem}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        sys.stderr.close()
        return 141
    except OSError as problem:
        place = problem.filename or getattr(parsed, "out", None)  # a full disk does not say where it is full
        where = f"{place}: " if place and problem.strerror else ""
        print(f"cpt: {where}{problem.strerror or problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cpt: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
