"""What tests of quantised layers share: PyTorch without the kernels, and a recorder of every product's integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cpt_model.arithmetic.affine import Quantised
from cpt_model.model_precision import layer_states
from cpt_model.quantisers.running_range import RunningRange
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Output, Precision
from host.driver.execute import run_pass
from sim.reference import Reference
from tests.tools import ZC706


@contextmanager
def pytorch_alone() -> Iterator[None]:
    """As on a machine without g++, or with CPT_NATIVE=0."""
    with patch("cpt_model.arithmetic.native.load", return_value=None):
        yield


@contextmanager
def kernels(on_bytes: bool) -> Iterator[None]:
    """Those on bytes where there are any, or those in float32, as on a CPU without VNNI instructions."""
    if on_bytes:
        yield
        return
    with patch("cpt_model.arithmetic.native.has_bytes", return_value=False):
        yield


def patterns(values: Tensor) -> npt.NDArray[np.int32]:
    """The bits of float32 numbers, so that 0 and −0 differ; in (n, c, h, w) order."""
    assert values.dtype == torch.float32
    return values.detach().contiguous().numpy().view(np.int32)


@dataclass
class Product:
    """One matrix pass as a layer ran it: the contract's codes, and what the pass stores."""

    layer: Conv
    which: Pass
    a: Quantised
    b: Quantised
    output: Output
    results: Tensor

    def on_the_reference(self) -> npt.NDArray[np.integer]:
        """The results of the same codes by the driver and the NumPy model of the accelerator."""
        a, b = (each.contract_codes().numpy().astype(np.int64) for each in (self.a, self.b))
        precision = Precision(self.a.bits, self.b.bits, self.a.signed, self.b.signed)
        return run_pass(Reference(ZC706), self.layer, self.which, precision, a, b, self.output).result


@dataclass
class Recorder:
    """A `watch` that keeps everything it sees and changes nothing."""

    products: list[Product] = field(default_factory=list)

    def __call__(self, layer: Conv, which: Pass, a: Quantised, b: Quantised, output: Output, results: Tensor) -> Tensor:
        self.products.append(Product(layer, which, a, b, output, results.clone()))
        return results

    def check(self, *expected: Pass) -> None:
        """Every product agrees with the reference, and these passes were seen."""
        assert {product.which for product in self.products} == set(expected)
        for product in self.products:
            assert np.array_equal(product.results.numpy(), product.on_the_reference()), product.which


def watched(model: nn.Module) -> Recorder:
    """Records the products of all prepared layers."""
    recorder = Recorder()
    for state in layer_states(model).values():
        state.watch = recorder
    return recorder


def first_seed(layer: nn.Module) -> int:
    """The seed of the first error of a layer that stands alone."""
    return layer_states(layer)[""].seed << 32 | 1


def trained_step(model: Callable[[Tensor], Tensor], x: Tensor, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Output and input error of one forward and backward pass with a random error; gradients stay in the model."""
    x = x.detach().clone().requires_grad_()
    y = model(x)
    error = torch.randn(y.shape, generator=torch.Generator().manual_seed(seed)) + 0.1
    y.backward(error)
    assert x.grad is not None
    return y.detach(), x.grad


def batches_seen(seen: RunningRange) -> int:
    """How many batches a running range has observed, from the weight of its start."""
    return round(math.log(1 - seen.means[2].item()) / math.log(0.9))
