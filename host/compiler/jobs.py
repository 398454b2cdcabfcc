"""What a training step asks of the accelerator: passes of layers, at the step's precision."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from host.compiler.bits import Bits
from host.compiler.layer import Conv, Pass
from host.compiler.networks import IMAGE_LAYER
from host.compiler.precision import Precision
from sim.contract.noise import random_codes

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Step:
    """One iteration of a schedule: its number and its widths."""

    iteration: int
    bits: Bits


@dataclass(frozen=True)
class Job:
    """One pass of one layer at one step."""

    name: str
    layer: Conv
    which: Pass
    step: Step

    @property
    def precision(self) -> Precision:
        return pass_precision(self.which, self.step.bits)

    def __str__(self) -> str:
        return f"iteration {self.step.iteration}, {self.name}, {self.which.value} pass at {self.step.bits} bits"


def pass_precision(which: Pass, bits: Bits) -> Precision:
    """Forward products are forward × forward bits; the error is backward bits wide in both backward products.

    >>> pass_precision(Pass.INPUT_ERROR, Bits(3, 8))
    Precision(a_bits=8, b_bits=3, a_signed=True, b_signed=True)
    """
    return {
        Pass.FORWARD: Precision(bits.forward, bits.forward, a_signed=False, b_signed=True),
        Pass.INPUT_ERROR: Precision(bits.backward, bits.forward, a_signed=True, b_signed=True),
        Pass.WEIGHT_GRADIENT: Precision(bits.forward, bits.backward, a_signed=False, b_signed=True),
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


def drawn_operands(job: Job) -> tuple[Codes, Codes]:
    """Codes over the whole range, the same for one shape, pass and widths on every machine. Shared: do not modify."""
    return _drawn(job.layer, job.which, job.precision)


@lru_cache(maxsize=4)  # neighbouring layers often share a shape; a board has memory for a few tensors only
def _drawn(layer: Conv, which: Pass, precision: Precision) -> tuple[Codes, Codes]:
    seed = zlib.crc32(f"{layer}{which.value}{precision}".encode())
    a, b = random_operands(layer, which, precision, seed)
    return a.astype(np.int32), b.astype(np.int32)


def random_operands(layer: Conv, which: Pass, precision: Precision, seed: int) -> tuple[Codes, Codes]:
    """Codes for both operands of a pass; the second has the next seed."""
    a_shape, b_shape = layer.operand_shapes(which)
    a = random_codes(a_shape, precision.a_bits, precision.a_signed, seed)
    return a, random_codes(b_shape, precision.b_bits, precision.b_signed, seed + 1)
