"""The `cpt` command: a table of sub-commands, each in a module that is imported when it is asked for."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import Any

from scripts.ending import watch_interrupts
from scripts.parser import Parser, add_command
from sim.common.leaving import INTERRUPTED, leave, reader_left

# Each command's module in scripts/, and its line in `cpt --help`.
COMMANDS = {
    "demo": ("demo", "what cyclic precision gains, in two minutes: training, cycles, hours, the RTL core"),
    "try": ("try_own", "take a network of your own through training, cost, both devices and the report"),
    "layer": ("layer", "run one conv layer in three passes at 3 to 8 bits, checked against PyTorch"),
    "data": ("data", "list the data sets, or fetch, check and convert one"),
    "train": ("train", "train a network of the papers at a scheduled precision"),
    "sim": ("simulate", "run the passes of a layer of your own on a simulated device"),
    "board": ("board", "run a network's passes on the board, or on a simulated device"),
    "cosim": ("cosim", "replay test vectors through a core's AXI pins (Verilator and cocotb)"),
    "cycles": ("cycles", "simulate cycles of layers on the RTL core with a modelled DDR"),
    "iteration": ("iteration", "simulate a whole training iteration on the RTL core"),
    "latency": ("latency", "print the latency model's errors against the RTL core's cycles"),
    "vectors": ("vectors", "write the test vectors that every executor replays"),
    "tables": ("tables", "recompute the papers' cost tables"),
    "cost": ("cost", "count a run's bit operations and estimate its hours on a board"),
    "explore": ("explore", "compare builds of the core: hours against resources"),
    "schedule": ("schedule", "propose a schedule's bounds and cycles for a number of hours"),
    "plot-schedule": ("plot_schedule", "draw precision schedules and print what they save"),
    "experiment": ("experiment", "repeat a paper's comparison at small scale, on real data"),
    "report": ("report", "write one page about training runs: accuracy, cost, latency, roofline"),
    "range-test": ("range_test", "find the widths to cycle between for a network"),
    "landscape": ("landscape", "compare the loss around trained networks"),
    "verify": ("verify", "check that a GPU computes quantised layers as the CPU does, bit for bit"),
    "bench": ("bench", "measure speeds on this machine"),
    "constants": ("constants", "check or regenerate the contract's constants"),
}
EPILOG = """\
start here:
  cpt demo                      what it is for and what it gains, in two minutes
  cpt train --recipe digits     train a network at cyclic precision (--recipes lists the papers' recipes)
  cpt cost --arch resnet34      bit operations and board hours of a run
  cpt sim --device rtl --build tiny --layer conv:n2,c16-16,8x8,k3,p1 --counters   a layer on the RTL core
  cpt COMMAND --help            flags and examples of a command

The contract that compiler, simulators and hardware share is sim/contract/CONTRACT.md.
"""


class Version(argparse.Action):
    """Prints the version, which takes time to find out."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from sim.common.version import __version__

        print(f"cpt-kit {__version__}")
        parser.exit()


def build_parser(asked: str | None = None) -> Parser:
    """All commands by name; the one asked for with its flags, from its module."""
    parser = Parser(
        prog="cpt",
        description="Cyclic precision training: hardware and software of a bit-serial training accelerator.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        if name == asked:
            command = import_module(f"{__package__}.{module}")
            added = add_command(commands, name, text, command.DESCRIPTION, command.EXAMPLES)
            command.add_flags(added)
            if hasattr(command, "run"):  # else its own sub-commands have one each
                added.set_defaults(run=command.run)
        else:
            commands.add_parser(name, help=text)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; without arguments, that of this process, which ends with it."""
    if arguments is None:
        watch_interrupts()
        try:
            code = run(sys.argv[1:])
        except SystemExit as end:  # of argparse
            code = end.code if isinstance(end.code, int) else 0
        leave(code)
    return run(arguments or [])


def run(given: list[str]) -> int:
    """What the user did wrong is one line on standard error, without a traceback."""
    parsed = argparse.Namespace()
    try:
        parser = build_parser(next((each for each in given if not each.startswith("-")), None))
        parsed = parser.parse_args(given)
        if not hasattr(parsed, "run"):
            parser.print_help()
            return 0
        return int(parsed.run(parsed))
    except ValueError as problem:
        return refuse(" ".join(str(problem).splitlines()))  # a file's own words may be of several
    except ModuleNotFoundError as missing:
        from sim.common.places import INSTALLER

        return refuse(f"this command needs the package '{missing.name}', which {INSTALLER} installs")
    except MemoryError as problem:
        return refuse(f"this machine's memory is too small: {problem}")
    except BrokenPipeError:
        return reader_left()
    except OSError as problem:
        place = problem.filename or getattr(parsed, "out", None)  # a full disk does not name the file
        where = f"{place}: " if place and problem.strerror else ""
        return refuse(f"{where}{problem.strerror or problem}")
    except RuntimeError as problem:
        from host.driver.errors import DeviceError
        from sim.bench.runner import BenchError

        if not isinstance(problem, (DeviceError, BenchError)):
            raise
        return refuse(problem)
    except KeyboardInterrupt:
        print("cpt: stopped", file=sys.stderr)
        return INTERRUPTED


def refuse(problem: object) -> int:
    print(f"cpt: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
