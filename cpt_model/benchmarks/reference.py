"""Three passes of a 16→16 channel 3×3 layer, 32×32, batch 8, 8×8 bits, by both formulations; packing of 2 M codes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cpt_model.benchmarks.timing import best_seconds
from host.compiler.command_list import CommandList
from host.compiler.jobs import random_operands
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import Precision
from sim.contract import Build, pack_planes, unpack_planes
from sim.contract.noise import random_codes
from sim.reference import Reference
from sim.reference.products import bit_serial, plain_integer

LAYER = Conv(batch=8, in_channels=16, out_channels=16, height=32, width=32, kernel=(3, 3), padding=(1, 1))
TENSOR = (32, 64, 32, 32)


def three_passes(reference: Reference) -> Callable[[], None]:
    """A job that runs all three passes of the layer, operands already in memory."""
    plan = Plan()
    precision = Precision(8, 8, b_signed=True)
    programs = [lower(LAYER, which, precision, reference.build, plan=plan, name=which.value) for which in Pass]
    commands = CommandList.place(programs, plan)
    memory = np.zeros(plan.bytes, dtype=np.uint8)
    for seed, program in enumerate(programs):
        program.load(memory, *random_operands(LAYER, program.which, precision, seed))
    commands.write(memory)

    def job() -> None:
        reference.run(memory, commands.offset, commands.bytes)

    return job


def measure(repeat: int) -> dict[str, float]:
    """Seconds of the three passes by each formulation, MB/s of codes for the packing."""
    build = Build.named("zc706")
    results = {
        f"three_passes_{product.__name__}_seconds": best_seconds(three_passes(Reference(build, product)), runs)
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
