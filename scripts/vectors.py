"""`cpt vectors`: writes the test vectors of a build, lists them, or replays them on a device."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from sim.contract import BUILDS, Build, features_of
from sim.devices import DEVICES, open_executor

if TYPE_CHECKING:
    from sim.contract import Executor
    from sim.vectors import Vector


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "vectors",
        help="write the test vectors that every executor replays",
        description="Writes one .vec file a vector (format: section 17 of the contract). The same bytes on every "
        "machine. With --on, runs them on a device instead and compares memory and registers; vectors of the vector "
        "unit only where the device has one.",
        epilog="example: cpt vectors --on rtl --build zc706 --seeds 2",
    )
    parser.add_argument("--build", default="tiny", choices=list(BUILDS), help="the build they are for (tiny)")
    parser.add_argument("--out", type=Path, help="folder to write to (out/vectors/BUILD)")
    parser.add_argument("--list", action="store_true", help="print names, expected errors and sizes; write nothing")
    parser.add_argument("--on", choices=DEVICES, metavar="DEVICE", help=f"replay on one of {', '.join(DEVICES)}")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="with --on: those whose name matches (all)")
    parser.add_argument("--slow", action="store_true", help="with --on: also those that take an RTL simulation minutes")
    parser.add_argument(
        "--seeds", type=int, default=0, metavar="N", help="with --on rtl: N times, with stalls and latencies at random"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from sim.vectors import catalogue

    build = Build.named(arguments.build)
    if arguments.on is not None:
        if arguments.seeds < 0 or (arguments.seeds and arguments.on != "rtl"):
            raise ValueError(f"--seeds {arguments.seeds}: a number from 1, of memories for the device rtl")
        executors = list(devices(arguments.on, build, arguments.seeds))
        features = features_of(executors[0][1])
        named = (each for each in catalogue(build, features) if fnmatch(each.name, arguments.only))
        return replay(executors, [each for each in named if arguments.slow or not each.slow])
    vectors = catalogue(build)
    if arguments.list:
        for vector in vectors:
            remarks = " slow" * vector.slow + " vector-unit" * bool(vector.features)
            print(f"{vector.name:44} {vector.error.name:16} {vector.before.size:>10,} bytes{remarks}")
        return 0
    folder = arguments.out or Path("out") / "vectors" / arguments.build
    folder.mkdir(parents=True, exist_ok=True)
    written = [vector.save(folder) for vector in tqdm(vectors, desc=f"vectors {arguments.build}", unit="vector")]
    print(f"{len(written)} vectors, {sum(path.stat().st_size for path in written) / 1e6:.1f} MB, in {folder}")
    return 0


def devices(name: str, build: Build, seeds: int) -> Iterator[tuple[str, Executor]]:
    """The device, or one for each seed of an unfriendly memory."""
    if not seeds:
        yield f"{name} ({build.name})", open_executor(name, build)
    for seed in range(1, seeds + 1):
        from sim.devices.rtl_executor import Ddr, RtlExecutor

        yield f"{name} ({build.name}), seed {seed}", RtlExecutor(build, Ddr.unfriendly(seed))


def replay(devices: list[tuple[str, Executor]], vectors: list[Vector]) -> int:
    """Prints the vectors that do not agree; 1 if there are any."""
    from tqdm import tqdm

    if not vectors:
        raise ValueError("no vector matches: 'cpt vectors --list' names them all")
    failed = 0
    for name, executor in devices:
        wrong = 0
        for vector in tqdm(vectors, desc=name, unit="vector", leave=False):
            memory = vector.before.copy()
            outcome = vector.run_on(executor, memory)
            if not vector.agrees(memory, outcome):
                wrong += 1
                print(f"{vector.name} differs on {name}: {outcome}")
        print(f"{len(vectors) - wrong} of {len(vectors)} vectors agree on {name}", flush=True)
        failed += wrong
    return int(failed > 0)
