"""What a training step asks of the accelerator: passes of layers, at the step's precision."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from host.compiler.groups import bundles
from host.compiler.layer import Conv, LayerError, Pass
from host.compiler.networks import IMAGE_LAYER
from host.compiler.precision import EXACT, Output, Precision, rounded, safe_shift
from sim.contract import Format
from sim.contract.noise import random_codes

Codes = npt.NDArray[np.integer]
# For training: rounded to as many bits as the precision deserves, or to 16 bits, with or without row sums. Or exact.
RESULTS = ("rounded", "int16", "rounded-products", "int16-products", "exact")


@dataclass(frozen=True)
class Step:
    """One iteration of a schedule: its number, and the bits of weights and activations, and of errors."""

    iteration: int
    fw_bits: int
    bw_bits: int


@dataclass(frozen=True)
class Job:
    """One pass of one layer at one step."""

    name: str
    layer: Conv
    which: Pass
    step: Step

    @property
    def precision(self) -> Precision:
        return pass_precision(self.which, self.step.fw_bits, self.step.bw_bits)

    def __str__(self) -> str:
        bits = f"{self.step.fw_bits}/{self.step.bw_bits}"
        return f"iteration {self.step.iteration}, {self.name}, {self.which.value} pass at {bits} bits"


def pass_precision(which: Pass, fw_bits: int, bw_bits: int) -> Precision:
    """Forward products are fw × fw; the error is bw bits wide in both backward products.

    >>> pass_precision(Pass.INPUT_ERROR, 3, 8)
    Precision(a_bits=8, b_bits=3, a_signed=True, b_signed=True)
    """
    return {
        Pass.FORWARD: Precision(fw_bits, fw_bits, a_signed=False, b_signed=True),
        Pass.INPUT_ERROR: Precision(bw_bits, fw_bits, a_signed=True, b_signed=True),
        Pass.WEIGHT_GRADIENT: Precision(fw_bits, bw_bits, a_signed=False, b_signed=True),
    }[which]


def training_jobs(layers: Mapping[str, Conv], steps: Iterable[Step], image_layer: str = IMAGE_LAYER) -> Iterator[Job]:
    """Each step's passes in the order of training: forward through the layers, then back.

    The error of the images is not needed, so the layer that reads them has no input-error pass.
    """
    for step in steps:
        for name, layer in layers.items():
            yield Job(name, layer, Pass.FORWARD, step)
        for name, layer in reversed(list(layers.items())):
            yield Job(name, layer, Pass.WEIGHT_GRADIENT, step)
            if name != image_layer:
                yield Job(name, layer, Pass.INPUT_ERROR, step)


def stored_results(layer: Conv, which: Pass, precision: Precision, results: str) -> Output:
    """What a pass stores: exact accumulators, or rounded ones (with row sums, or the products alone); gradients exact.

    No result saturates, whatever the codes: the shift follows from the widths alone, so one command list serves every
    tensor of a layer.
    """
    if results not in RESULTS:
        raise LayerError(f"unknown results '{results}'; there are: {', '.join(RESULTS)}")
    if results == "exact" or which is Pass.WEIGHT_GRADIENT:
        return EXACT
    if results.startswith("rounded"):
        stored = rounded(layer, which, precision)
    else:
        stored = Output(Format.INT16, bits=16, shift=safe_shift(layer, which, precision, bits=16))
    whole_blocks = all(bundle.groups == 1 for bundle in bundles(layer))
    return replace(stored, row_sums=whole_blocks and not results.endswith("products"))


def drawn_operands(job: Job) -> tuple[Codes, Codes]:
    """Codes over the whole range, the same for one shape, pass and widths on every machine. Shared: do not modify."""
    return _drawn(job.layer, job.which, job.precision)


@lru_cache(maxsize=4)  # neighbouring layers often share a shape; a board has memory for a few tensors only
def _drawn(layer: Conv, which: Pass, precision: Precision) -> tuple[Codes, Codes]:
    seed = zlib.crc32(f"{layer}{which.value}{precision}".encode())
    a_shape, b_shape = layer.operand_shapes(which)
    a = random_codes(a_shape, precision.a_bits, precision.a_signed, seed).astype(np.int32)
    b = random_codes(b_shape, precision.b_bits, precision.b_signed, seed + 1).astype(np.int32)
    return a, b
