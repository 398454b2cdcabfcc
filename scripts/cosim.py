"""`cpt cosim`: the vectors through the pins of a device, under Verilator and cocotb, with an unfriendly memory."""

from __future__ import annotations

import argparse
import tempfile
from fnmatch import fnmatch
from pathlib import Path

from sim.bench.devices import NAMES, open_dut
from sim.bench.runner import Stress, run_bench
from sim.contract import BUILDS


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "cosim",
        help="replay vectors through a device's AXI pins (Verilator and cocotb)",
        description="Drives a device's registers, interrupt and AXI masters and compares memory and registers with "
        "the vectors. DUT hls: the C++ kernel behind DPI; rtl: our core; vitis: Verilog that Vitis HLS made.",
        epilog="example: cpt cosim --dut hls --only 'shape-*' --seed 7",
    )
    parser.add_argument("--dut", choices=NAMES, default="hls", help="the device (hls)")
    parser.add_argument("--build", choices=list(BUILDS), default="zc706", help="its build (zc706)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="vectors whose name matches (all)")
    parser.add_argument("--slow", action="store_true", help="also those that take minutes")
    parser.add_argument("--seed", type=int, default=Stress.seed, help="of delays and back-pressure (%(default)s)")
    parser.add_argument(
        "--pause", type=float, default=Stress.pause, help="share of cycles a channel is held back (%(default)s)"
    )
    parser.add_argument("--latency", type=int, default=Stress.latency, help="most cycles a read waits (%(default)s)")
    parser.add_argument("--waves", action="store_true", help="write a waveform, dump.vcd, into the build folder")
    parser.add_argument("--out", type=Path, help="folder for the simulation and its log (out/cosim/DUT-BUILD)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sim.contract import Build
    from sim.vectors import catalogue

    build = Build.named(arguments.build)
    stress = Stress(arguments.seed, arguments.pause, arguments.latency)
    dut = open_dut(arguments.dut, build)
    out = arguments.out or Path("out") / "cosim" / f"{arguments.dut}-{arguments.build}"
    with tempfile.TemporaryDirectory() as folder:
        chosen = [
            vector.save(Path(folder))
            for vector in catalogue(build, features=0)
            if fnmatch(vector.name, arguments.only) and (arguments.slow or not vector.slow)
        ]
        if not chosen:
            raise ValueError(f"no vector matches '{arguments.only}': 'cpt vectors --list' names them all")
        print(f"cosim: {len(chosen)} vectors on {arguments.dut} ({build.name}), seed {stress.seed}", flush=True)
        print(f"       one or two seconds each; the log is {out / 'test.log'}", flush=True)
        speed = run_bench(dut, chosen, out, stress, arguments.waves)
    rate = speed.cycles / max(speed.seconds, 1e-9)
    print(f"{len(chosen)} vectors agree; {speed.cycles:,} cycles in {speed.seconds:.1f} s, {rate:,.0f} a second")
    return 0
