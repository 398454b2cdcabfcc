"""`cpt board fit`: the latency model's profile of a board, from what was measured on it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from sim.common.files import write_atomically


def add_fit(jobs: argparse._SubParsersAction) -> None:
    parser = jobs.add_parser(
        "fit",
        help="fit the latency model to measured latencies, and write a profile",
        description="Finds the memory bandwidth, and the host's share of each list, that explain a CSV file of 'cpt"
        " board measure' best, and writes a profile for 'cpt cost --profile' and 'cpt train --latency-model'.",
    )
    parser.add_argument("csv", type=Path, metavar="FILE", help="written by 'cpt board measure --out'")
    parser.add_argument("--name", default="fitted", help="of the profile (fitted)")
    parser.add_argument("--out", type=Path, default=Path("profile.json"), metavar="FILE", help="(profile.json)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost.fitting import fit
    from host.measure.report import read_csv
    from sim.contract import BOARD_LATENCY_CYCLES
    from sim.latency.core import LIST_BEGINS

    rows = read_csv(arguments.csv)
    found = fit(rows)
    profile = {
        "name": arguments.name,
        "build": found.build.name,
        "clock_mhz": found.clock_mhz,
        "bytes_per_cycle": round(found.bytes_per_cycle, 3),
        "latency": BOARD_LATENCY_CYCLES,
        "list_us": round(found.list_us + LIST_BEGINS / found.clock_mhz, 3),
    }
    write_atomically(arguments.out, json.dumps(profile, indent=2) + "\n")
    print(f"fitted to {len(rows)} latencies, {rows[0].source} on {rows[0].device}")
    print(f"  memory   {found.bytes_per_cycle:.1f} bytes a cycle, {found.gigabytes_per_second:.2f} GB/s")
    print(f"  host     {found.list_us:.1f} us for each list")
    print(f"  model    {found.mean_pct:.1f} % off on average, {found.worst_pct:.1f} % at worst")
    print(f"written: {arguments.out}")
    return 0
