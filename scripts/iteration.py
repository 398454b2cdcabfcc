"""`cpt iteration`: one whole training iteration of a network on the full-size RTL core."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from host.compiler.bits import Bits
from host.compiler.jobs import Step, training_jobs
from host.compiler.networks import named_network
from host.compiler.results import Results
from host.measure.iteration import LIST_PASSES, finished, measured, shape, summary
from sim.common.files import write_atomically
from sim.contract import BUILDS, Build

FOLDER = Path("vivado") / "iterations"


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
        choices=list(map(str, Results)),
        default=str(Results.ROUNDED),
        help=f"what the passes store ({Results.ROUNDED})",
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

    from sim.devices.rtl_executor import Ddr, RtlExecutor

    bits = Bits(arguments.fw_bits, arguments.bw_bits)
    jobs = list(training_jobs(named_network(arguments.network, arguments.batch), [Step(0, bits)]))
    heading = {
        "network": arguments.network,
        "batch": arguments.batch,
        "fw_bits": bits.forward,
        "bw_bits": bits.backward,
        "results": arguments.results,
        "build": Build.named(arguments.build).parameters(),
        "bytes_per_cycle": arguments.bandwidth,
        "latency": arguments.latency,
        "list_passes": LIST_PASSES,
    }
    name = f"{arguments.network}-{arguments.build}-{bits.forward}-{bits.backward}.json"
    out: Path = arguments.out or FOLDER / name
    rows = finished(out, heading)
    executor = RtlExecutor(Build.named(arguments.build), Ddr(arguments.bandwidth, arguments.latency))
    seen = {(row["shape"], row["pass"]) for row in rows if row["verified"]}
    out.parent.mkdir(parents=True, exist_ok=True)
    with tqdm(total=len(jobs), initial=len(rows), unit="pass", desc=str(bits)) as bar:
        while len(rows) < len(jobs):
            listed = jobs[len(rows) : len(rows) + LIST_PASSES]
            verify = not arguments.no_verify and any(shape(job) not in seen for job in listed)
            rows += measured(executor, listed, Results(arguments.results), verify)
            seen.update(map(shape, listed))
            result = {**heading, "complete": len(rows) == len(jobs), "passes": rows}
            write_atomically(out, json.dumps(result, indent=1) + "\n")
            bar.update(len(listed))
    print(summary(rows, arguments.clock_mhz))
    print(f"written: {out}")
    return 0
