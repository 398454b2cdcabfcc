"""`cpt bench`: how fast the reference and the packing are on this machine."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from host.command_list import CommandList
from host.layer import Conv, Pass
from host.lower import Precision, lower
from host.plan import Plan
from sim.config import Config
from sim.layout import pack_planes, unpack_planes
from sim.reference import Reference, bit_serial, plain_integer
from sim.vectors.build import operand_shapes, random_codes

LAYER = Conv(batch=8, in_channels=16, out_channels=16, height=32, width=32, kernel=(3, 3), padding=(1, 1))
TENSOR = (32, 64, 32, 32)


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "bench",
        help="measure the reference's and the packing's speed on this machine",
        description="Three passes of a 16 to 16 channel 3×3 layer on 32×32, batch 8, 8×8 bits, by both formulations "
        "of the reference; and packing plus unpacking of 2 M codes. Best of several runs.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each measurement; the best counts (5)")
    parser.set_defaults(run=run)


def best_seconds(job: Callable[[], object], repeat: int) -> float:
    """The shortest of several runs: what the machine can do when nothing else disturbs it."""
    seconds = []
    for _ in range(max(1, repeat)):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def three_passes(reference: Reference) -> Callable[[], None]:
    """A job that runs all three passes of the layer, operands already in memory."""
    plan = Plan()
    precision = Precision(8, 8, b_signed=True)
    programs = [lower(LAYER, which, precision, reference.config, plan=plan, name=which.value) for which in Pass]
    commands = CommandList.place(programs, plan)
    memory = np.zeros(plan.bytes, dtype=np.uint8)
    for seed, program in enumerate(programs):
        a_shape, b_shape = operand_shapes(LAYER, program.which)
        program.load(memory, random_codes(a_shape, 8, False, seed), random_codes(b_shape, 8, True, seed + 3))
    commands.write(memory)

    def job() -> None:
        reference.run(memory, commands.offset, commands.bytes)

    return job


def measure(repeat: int) -> dict[str, float]:
    """Seconds of the three passes by each formulation, MB/s of codes for the packing."""
    config = Config.named("zc706")
    results = {
        f"three_passes_{product.__name__}_seconds": best_seconds(three_passes(Reference(config, product)), runs)
        for product, runs in ((plain_integer, repeat), (bit_serial, 1))
    }
    for bits in (8, 3):
        codes = random_codes(TENSOR, bits, False, seed=1).astype(np.uint8)
        planes = pack_planes(codes, bits, signed=False)
        pack = best_seconds(partial(pack_planes, codes, bits, signed=False), repeat)
        unpack = best_seconds(partial(unpack_planes, planes, TENSOR[1], signed=False), repeat)
        results[f"pack_{bits}bit_mb_per_second"] = codes.size / pack / 1e6
        results[f"unpack_{bits}bit_mb_per_second"] = codes.size / unpack / 1e6
        results[f"pack_and_unpack_{bits}bit_mb_per_second"] = codes.size / (pack + unpack) / 1e6
    return results


def run(arguments: argparse.Namespace) -> int:
    results = measure(arguments.repeat)
    if arguments.json:
        print(json.dumps(results, indent=2))
    else:
        for name, value in results.items():
            print(f"{name:45} {value:12.3f}")
    return 0
