"""`cpt cosim`: the vectors through the pins of a core, under Verilator and cocotb, with random delays."""

from __future__ import annotations

import argparse
import tempfile
from fnmatch import fnmatch
from pathlib import Path

from scripts.flags import add
from scripts.parser import Parser
from sim.bench.devices import DUTS, open_dut
from sim.bench.runner import Stress, run_bench
from sim.common.flag_types import from_zero, whole
from sim.contract import Build

DESCRIPTION = """\
Drives a core's registers, interrupt and AXI masters, and compares memory and registers with the
test vectors. Cores: hls (the C++ kernel behind DPI), rtl (our SystemVerilog), vitis (Verilog that
Vitis HLS made).
"""
EXAMPLES = """\
  cpt cosim --dut hls --only 'shape-*' --seed 7
  cpt cosim --dut rtl --build tiny --waves
"""


def add_flags(parser: Parser) -> None:
    add(parser, "--dut", choices=list(DUTS), default="hls", help="core under test")
    add(parser, "--build")
    add(parser, "--only", help="shell pattern of the vectors to replay")
    add(parser, "--slow", action="store_true", help="include vectors that take minutes")
    add(parser, "--seed", help="seed of delays and back-pressure")
    what = "share of cycles in which a channel is held back"
    add(parser, "--pause", type=from_zero, metavar="SHARE", default=Stress.pause, help=what)
    what = "longest wait of a read in cycles"
    add(parser, "--max-latency", type=whole(0), metavar="N", default=Stress.latency, help=what, old=["--latency"])
    add(parser, "--waves", action="store_true", help="write a waveform, dump.vcd, into the build folder")
    add(parser, "--out", shown="out/cosim/DUT-BUILD", help="folder of the simulation and its log")


def run(arguments: argparse.Namespace) -> int:
    from sim.vectors import catalogue

    build = Build.named(arguments.build)
    stress = Stress(arguments.seed, arguments.pause, arguments.max_latency)
    dut = open_dut(arguments.dut, build)
    out = arguments.out or Path("out") / "cosim" / f"{arguments.dut}-{arguments.build}"
    with tempfile.TemporaryDirectory() as folder:
        chosen = [
            vector.save(Path(folder))
            for vector in catalogue(build, dut.features)
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
