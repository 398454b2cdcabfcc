"""`cpt iteration`: one whole training iteration of a network on the full-size RTL core, beside the latency model."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from host.compiler.jobs import RESULTS, Job, Step, stored_results, training_jobs
from host.compiler.networks import named_network
from sim.contract import BUILDS, Build

if TYPE_CHECKING:
    from sim.devices.rtl_executor import RtlKernel

FOLDER = Path("vivado") / "iterations"
LIST_PASSES = 24  # of a list: the host would start one for all, but what is measured is kept list by list


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "iteration",
        help="simulate a whole training iteration on the RTL core, layer by layer",
        description="Runs every layer's passes of one training iteration on the Verilated core with a modelled DDR, in"
        f" lists of {LIST_PASSES} passes, and writes their counters. Every shape's results are compared with the"
        " reference, the first time it comes. Gradients are exact accumulators. Broken off, the next call goes on where"
        " it stopped."
        " A simulation: no board is involved.",
        epilog="example: cpt iteration --network resnet74 --fw-bits 8 --bw-bits 8   # half an hour on one core",
    )
    parser.add_argument("--network", default="resnet74", help="resnetN, a CIFAR ResNet N layers deep (resnet74)")
    parser.add_argument("--batch", type=int, default=128, help="images (128)")
    parser.add_argument("--fw-bits", type=int, default=8, help="of weights and activations (8)")
    parser.add_argument("--bw-bits", type=int, default=8, help="of errors (8)")
    parser.add_argument(
        "--results",
        choices=RESULTS,
        default=RESULTS[0],
        help=f"what the passes store ({RESULTS[0]})",
    )
    parser.add_argument("--build", choices=list(BUILDS), default="zc706", help="the build (zc706)")
    parser.add_argument("--bandwidth", type=float, default=50.0, help="bytes a cycle, reads and writes together (50)")
    parser.add_argument("--latency", type=int, default=60, help="cycles to the first beat of a read (60)")
    parser.add_argument("--clock-mhz", type=float, default=200.0, help="for the times that are printed (200)")
    parser.add_argument("--no-verify", action="store_true", help="do not compare results with the reference")
    parser.add_argument("--out", type=Path, help=f"JSON of all counters ({FOLDER}/NETWORK-BUILD-FW-BW.json)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from sim.devices.rtl_executor import Ddr, RtlKernel

    jobs = list(
        training_jobs(
            named_network(arguments.network, arguments.batch), [Step(0, arguments.fw_bits, arguments.bw_bits)]
        )
    )
    heading = {
        "network": arguments.network,
        "batch": arguments.batch,
        "fw_bits": arguments.fw_bits,
        "bw_bits": arguments.bw_bits,
        "results": arguments.results,
        "build": Build.named(arguments.build).parameters(),
        "bytes_per_cycle": arguments.bandwidth,
        "latency": arguments.latency,
        "list_passes": LIST_PASSES,
    }
    name = f"{arguments.network}-{arguments.build}-{arguments.fw_bits}-{arguments.bw_bits}.json"
    out: Path = arguments.out or FOLDER / name
    rows = finished(out, heading)
    kernel = RtlKernel(Build.named(arguments.build), Ddr(arguments.bandwidth, arguments.latency))
    seen = {(row["shape"], row["pass"]) for row in rows if row["verified"]}
    out.parent.mkdir(parents=True, exist_ok=True)
    with tqdm(total=len(jobs), initial=len(rows), unit="pass", desc=f"{arguments.fw_bits}/{arguments.bw_bits}") as bar:
        while len(rows) < len(jobs):
            listed = jobs[len(rows) : len(rows) + LIST_PASSES]
            verify = not arguments.no_verify and any(shape(job) not in seen for job in listed)
            rows += measured(kernel, listed, arguments.results, verify)
            seen.update(map(shape, listed))
            write(out, {**heading, "complete": len(rows) == len(jobs), "passes": rows})
            bar.update(len(listed))
    print(summary(rows, arguments.clock_mhz))
    print(f"written: {out}")
    return 0


def shape(job: Job) -> tuple[str, str]:
    return str(job.layer), job.which.value


def measured(kernel: RtlKernel, jobs: list[Job], results: str, verify: bool) -> list[dict[str, Any]]:
    """Passes that follow each other, in one list."""
    from host.measure.simulated_list import AskedPass, simulate_list

    asked = [
        AskedPass(job.layer, job.which, job.precision, stored_results(job.layer, job.which, job.precision, results))
        for job in jobs
    ]
    return [
        {
            "layer": job.name,
            "shape": str(job.layer),
            "pass": job.which.value,
            "a_bits": job.precision.a_bits,
            "b_bits": job.precision.b_bits,
            "cycles": counted.total,
            "busy": counted.busy,
            "load_stall": counted.load_stall,
            "store_stall": counted.store_stall,
            "verified": verify,
        }
        for job, counted in zip(jobs, simulate_list(kernel, asked, verify), strict=True)
    ]


def finished(path: Path, heading: dict[str, Any]) -> list[dict[str, Any]]:
    """What an earlier call has measured already; a file of other settings is refused."""
    if not path.exists():
        return []
    found = json.loads(path.read_text())
    different = [key for key, value in heading.items() if found.get(key) != value]
    if different:
        raise ValueError(f"{path} was made with another {different[0]}: give another --out, or remove it")
    rows: list[dict[str, Any]] = found["passes"]
    return rows


def write(path: Path, result: dict[str, Any]) -> None:
    """All or nothing: a killed run leaves the passes before."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(result, indent=1) + "\n")
    beside.replace(path)


def summary(rows: list[dict[str, Any]], clock_mhz: float) -> str:
    """Cycles by pass, and of the whole."""
    lines = [f"{'pass':16} {'cycles':>12} {'busy':>12} {'ms':>9}   (simulated, at {clock_mhz:g} MHz)"]
    for which in (*dict.fromkeys(row["pass"] for row in rows), "all"):
        chosen = [row for row in rows if which in ("all", row["pass"])]
        cycles, busy = (sum(row[key] for row in chosen) for key in ("cycles", "busy"))
        lines.append(f"{which:16} {cycles:12,} {busy:12,} {cycles / clock_mhz / 1e3:9.2f}")
    return "\n".join(lines)
