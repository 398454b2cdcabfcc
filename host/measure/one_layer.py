"""One layer's pass with random codes on a device, as a row of a table."""

from __future__ import annotations

import numpy as np

from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision, random_operands
from host.compiler.layer import Conv, Pass
from host.driver.accelerator import Accelerator
from host.driver.execute import run_pass
from host.driver.outcome import ListOutcome
from host.measure.golden import Product
from sim.reference import Reference

Values = dict[str, int | str]


def run_one(
    accelerator: Accelerator,
    layer: Conv,
    which: Pass,
    bits: Bits,
    seed: int = 0,
    counters: bool = False,
    product: Product | None = None,
) -> Values:
    """A pass at forward and backward bits; with a product of integers, differences to it and to the reference."""
    precision = pass_precision(which, bits)
    a, b = random_operands(layer, which, precision, seed)
    done = run_pass(accelerator, layer, which, precision, a, b)
    row: Values = {
        "pass": which.value,
        "bits": f"{precision.a_bits}x{precision.b_bits}",
        "region_bytes": done.region_bytes,
    }
    if counters:
        row |= {"commands": done.outcome.commands_done, "cycles": done.outcome.cycles}
        row |= cycle_counters(accelerator, done.outcome)
    if product is not None:
        expected = run_pass(Reference(accelerator.build), layer, which, precision, a, b).result
        row["reference differs"] = int(np.count_nonzero(done.result != expected))
        row["PyTorch differs"] = int(np.count_nonzero(done.result != product(layer, which, a, b)))
    return row


def cycle_counters(accelerator: Accelerator, outcome: ListOutcome) -> Values:
    """Busy and stall cycles of a list, and the cycles of each of its commands, where a device measures them."""
    executor = accelerator.device.executor
    if not hasattr(executor, "counters"):  # it has no notion of time
        return {}
    counted = outcome.counters
    row: Values = {"busy": counted.busy, "load stall": counted.load_stall, "store stall": counted.store_stall}
    commands = getattr(executor, "commands", None)
    if commands is not None:
        row["each command"] = " ".join(str(command.total) for command in commands)
    return row
