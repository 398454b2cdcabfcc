"""One conv layer, quantised, lowered and run in all three passes at every CPT precision, compared with PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from cpt_model.affine_pass import float_pass, quantised_pass
from host.compiler.bits import Bits
from host.compiler.layer import Conv, Pass
from host.driver.quantised_pass import run_quantised
from sim.contract import OVERLAY_CLOCK_MHZ, Build
from sim.contract.noise import noise
from sim.reference import Reference
from sim.reference.products import bit_serial

LAYER = Conv(batch=8, in_channels=16, out_channels=16, height=16, width=16, kernel=(3, 3), padding=(1, 1))
PRECISIONS = [Bits(forward, 8) for forward in (8, 7, 6, 5, 4, 3)]
LEFT = (0, 1, 2, 6, 7)  # columns of the table that hold words
INTRODUCTION = (
    f"A 3x3 conv layer, {LAYER.in_channels} to {LAYER.out_channels} channels, {LAYER.height}x{LAYER.width}, batch "
    f"{LAYER.batch}: quantised, lowered to commands, run by bit planes on the NumPy reference (zc706 build).\n"
    "'cycles' are array cycles by contract (a lower bound, not a measurement); 'integers' and 'float32' say whether\n"
    "every accumulator and every output equals PyTorch's; 'rms error' is against unquantised float32."
)


@dataclass(frozen=True)
class Row:
    """One pass at one precision."""

    precision: str
    which: str
    bits: str
    cycles: int
    microseconds: float
    relative_to_8_bits: float
    integers_agree: bool
    floats_agree: bool
    rms_error_percent: float


def gaussian(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Repeatable float32 values, roughly normal: the sum of twelve uniforms."""
    count = int(np.prod(shape))
    uniform = noise(seed, np.arange(12 * count)).reshape(12, count) / 2.0**32
    return (uniform.sum(axis=0) - 6).astype(np.float32).reshape(shape)


def measure() -> list[Row]:
    """Runs every pass at every precision; the operands are the same each time."""
    reference = Reference(Build.named("zc706"), bit_serial)
    activations = np.maximum(gaussian(LAYER.input_shape, 1), 0)
    weights = gaussian(LAYER.weight_shape, 2) * np.float32(0.1)
    error = gaussian(LAYER.output_shape, 3) * np.float32(1e-3)
    operands = {
        Pass.FORWARD: (activations, weights),
        Pass.INPUT_ERROR: (error, weights),
        Pass.WEIGHT_GRADIENT: (activations, error),
    }
    rows: list[Row] = []
    jobs = [(bits, which) for bits in PRECISIONS for which in Pass]
    for bits, which in tqdm(jobs, desc="passes on the reference", unit="pass", leave=False, disable=None):
        a, b = operands[which]
        ours = run_quantised(reference, LAYER, which, a, b, bits, seed=7)
        theirs = quantised_pass(LAYER, which, a, b, bits, seed=7)
        exact = float_pass(LAYER, which, a, b)
        cycles = ours.outcome.cycles
        at_8_bits = next((row.cycles for row in rows if row.which == which.value), cycles)
        rows.append(
            Row(
                precision=str(bits),
                which=which.value,
                bits=f"{ours.a.bits}x{ours.b.bits}",
                cycles=cycles,
                microseconds=cycles / OVERLAY_CLOCK_MHZ,
                relative_to_8_bits=cycles / at_8_bits,
                integers_agree=np.array_equal(ours.accumulators, theirs.accumulators),
                floats_agree=np.array_equal(ours.values, theirs.values),
                rms_error_percent=float(100 * np.sqrt(np.mean((ours.values - exact) ** 2) / np.mean(exact**2))),
            )
        )
    return rows


def cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table."""
    head = ["fw/bw", "pass", "bits", "cycles", f"µs at {OVERLAY_CLOCK_MHZ} MHz", "vs 8/8"]
    return [*head, "integers", "float32", "rms error"], [
        [
            *(row.precision, row.which, row.bits, f"{row.cycles:,}", f"{row.microseconds:.1f}"),
            f"{row.relative_to_8_bits:.3f}",
            *("equal" if agree else "DIFFER" for agree in (row.integers_agree, row.floats_agree)),
            f"{row.rms_error_percent:.2f} %",
        ]
        for row in rows
    ]


def agrees(rows: list[Row]) -> bool:
    return all(row.integers_agree and row.floats_agree for row in rows)
