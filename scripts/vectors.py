"""`cpt vectors`: writes the test vectors of a configuration, or lists them."""

from __future__ import annotations

import argparse
from pathlib import Path

from sim.config import Config
from sim.contract import CONFIGS


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "vectors",
        help="write the test vectors that every executor replays",
        description="Writes one .vec file a vector (format: sim/CONTRACT.md, section 11). The same bytes on every "
        "machine.",
    )
    parser.add_argument("--config", default="tiny", choices=list(CONFIGS), help="the build they are for (tiny)")
    parser.add_argument("--out", type=Path, help="folder to write to (out/vectors/CONFIG)")
    parser.add_argument("--list", action="store_true", help="print names, expected errors and sizes; write nothing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from sim.vectors import catalogue

    vectors = catalogue(Config.named(arguments.config))
    if arguments.list:
        for vector in vectors:
            print(f"{vector.name:44} {vector.error.name:16} {vector.before.size:>10,} bytes{' slow' * vector.slow}")
        return 0
    folder = arguments.out or Path("out") / "vectors" / arguments.config
    folder.mkdir(parents=True, exist_ok=True)
    written = [vector.save(folder) for vector in tqdm(vectors, desc=f"vectors {arguments.config}", unit="vector")]
    print(f"{len(written)} vectors, {sum(path.stat().st_size for path in written) / 1e6:.1f} MB, in {folder}")
    return 0
