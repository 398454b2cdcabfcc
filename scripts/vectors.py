"""`cpt vectors`: writes the test vectors of a build, lists them, or replays them on a device."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.flags import add
from scripts.parser import Parser
from sim.common.progress import watched
from sim.common.table import as_table
from sim.contract import ALL_FEATURES, Build, features_of
from sim.devices import open_executor

if TYPE_CHECKING:
    from sim.contract import Executor
    from sim.vectors import Vector

DESCRIPTION = """\
Writes one .vec file for each test vector (format: section 17 of the contract), the same bytes on every
machine. With --device, runs them there instead, and compares memory and registers.
"""
EXAMPLES = """\
  cpt vectors --build tiny --out out/vectors/tiny
  cpt vectors --device rtl --seeds 2 --only 'shape-*'
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--build")
    add(parser, "--out", shown="out/vectors/BUILD", help="folder to write to")
    add(parser, "--list", action="store_true", help="print names, expected errors and sizes; write nothing")
    add(parser, "--device", default=None, help="device to replay the vectors on, instead of writing them", old=["--on"])
    add(parser, "--only", help="shell pattern of the vectors to replay, list or write")
    what = "with --device: include vectors that take an RTL simulation minutes"
    add(parser, "--slow", action="store_true", help=what)
    add(parser, "--seeds", help="with --device rtl: number of replays, each with random stalls and latencies")


def run(arguments: argparse.Namespace) -> int:
    from sim.vectors import catalogue

    build = Build.named(arguments.build)
    refuse_what_has_no_effect(arguments)
    replaying = list(executors(arguments.device, build, arguments.seeds or 0)) if arguments.device is not None else []
    features = features_of(replaying[0][1]) if replaying else ALL_FEATURES
    vectors = [each for each in catalogue(build, features) if fnmatch(each.name, arguments.only)]
    if not vectors:
        raise ValueError(f"no vector matches '{arguments.only}': 'cpt vectors --list' names them all")
    if replaying:
        return replay(replaying, [each for each in vectors if arguments.slow or not each.slow])
    if arguments.list:
        marks = {each.name: ("slow" * each.slow, "vector-unit" * bool(each.features)) for each in vectors}
        rows = [(each.name, each.error.name, each.before.size, "bytes", *marks[each.name]) for each in vectors]
        print(as_table(None, rows, left=(0, 1, 3, 4, 5)))
        return 0
    folder = arguments.out or Path("out") / "vectors" / arguments.build
    folder.mkdir(parents=True, exist_ok=True)
    written = [vector.save(folder) for vector in watched(vectors, f"vectors {arguments.build}", "vectors")]
    print(f"{len(written)} vectors, {sum(path.stat().st_size for path in written) / 1e6:.1f} MB, in {folder}")
    return 0


def refuse_what_has_no_effect(arguments: argparse.Namespace) -> None:
    if arguments.seeds and arguments.device != "rtl":
        raise ValueError(f"--seeds {arguments.seeds}: only --device rtl has random stalls and latencies")
    if arguments.slow and arguments.device is None:
        raise ValueError("--slow: only a replay with --device leaves slow vectors out")
    if arguments.list and arguments.device is not None:
        raise ValueError("--list and --device are both given: list the vectors or replay them")
    if arguments.out is not None and (arguments.list or arguments.device is not None):
        raise ValueError(f"--out {arguments.out}: nothing is written with --list or --device")


def executors(name: str, build: Build, seeds: int) -> Iterator[tuple[str, Executor]]:
    """The device's, or one for each seed of a slow, irregular memory."""
    if not seeds:
        yield f"{name} ({build.name})", open_executor(name, build)
    for seed in range(1, seeds + 1):
        from sim.devices.rtl_executor import Ddr, RtlExecutor

        yield f"{name} ({build.name}), seed {seed}", RtlExecutor(build, Ddr.unfriendly(seed))


def replay(executors: list[tuple[str, Executor]], vectors: list[Vector]) -> int:
    """Prints the vectors that do not agree; 1 if there are any."""
    failed = 0
    for name, executor in executors:
        wrong = 0
        for vector in watched(vectors, name, "vectors"):
            memory = vector.before.copy()
            outcome = vector.run_on(executor, memory)
            if not vector.agrees(memory, outcome):
                wrong += 1
                print(f"{vector.name} differs on {name}: {outcome}")
        print(f"{len(vectors) - wrong} of {len(vectors)} vectors agree on {name}", flush=True)
        failed += wrong
    return int(failed > 0)
