"""A quantised pass on an executor equals PyTorch's, integers and float32, and comes close to the unquantised one."""

from __future__ import annotations

import numpy as np
import pytest

from cpt_model.affine_pass import float_pass, quantised_pass
from host.compiler.bits import Bits
from host.compiler.layer import Conv, Pass
from host.compiler.precision import Precision
from host.driver.execute import ExecutionError, run_pass
from host.driver.quantised_pass import run_quantised, transpose_weights
from sim.contract import Build, Error, Memory, Outcome
from sim.devices.hls_executor import HlsExecutor
from sim.reference import Reference

ZC706 = Build.named("zc706")
LAYERS = {
    "3x3": Conv(3, 16, 20, 6, 5, (3, 3), padding=(1, 1)),
    "stride-2": Conv(2, 5, 7, 7, 8, (3, 3), (2, 2), (1, 1)),
    "1x1-stride-2": Conv(2, 16, 32, 5, 6, (1, 1), (2, 2)),
    "depthwise": Conv(2, 20, 20, 5, 5, (3, 3), padding=(1, 1), groups=20),
    "groups": Conv(1, 12, 8, 4, 4, (3, 3), padding=(1, 1), groups=4),
    "whole-block-groups": Conv(1, 32, 32, 4, 4, (3, 3), padding=(1, 1), groups=2),
    "linear": Conv.linear(9, 33, 10),
}


def float_operands(layer: Conv, which: Pass) -> tuple[np.ndarray, np.ndarray]:
    """Values off zero on purpose: every offset of the affine arithmetic then matters."""
    rng = np.random.default_rng(5)
    x = rng.normal(0.5, 1.0, layer.input_shape).astype(np.float32)
    w = rng.normal(0.05, 0.2, layer.weight_shape).astype(np.float32)
    e = rng.normal(1e-3, 1e-2, layer.output_shape).astype(np.float32)
    return {Pass.FORWARD: (x, w), Pass.INPUT_ERROR: (e, w), Pass.WEIGHT_GRADIENT: (x, e)}[which]


@pytest.mark.parametrize("executor", [Reference, HlsExecutor])
@pytest.mark.parametrize("which", list(Pass))
@pytest.mark.parametrize("name", list(LAYERS))
def test_every_integer_and_every_float_equals_pytorchs(
    name: str, which: Pass, executor: type[Reference] | type[HlsExecutor]
) -> None:
    layer = LAYERS[name]
    a, b = float_operands(layer, which)
    ours = run_quantised(executor(ZC706), layer, which, a, b, bits=Bits(4, 6), seed=3)
    theirs = quantised_pass(layer, which, a, b, bits=Bits(4, 6), seed=3)
    assert np.array_equal(ours.accumulators, theirs.accumulators)
    assert np.array_equal(ours.values, theirs.values)


@pytest.mark.parametrize("which", list(Pass))
@pytest.mark.parametrize("name", list(LAYERS))
def test_wide_codes_come_close_to_the_unquantised_pass(name: str, which: Pass) -> None:
    layer = LAYERS[name]
    a, b = float_operands(layer, which)
    ours = run_quantised(Reference(ZC706), layer, which, a, b, bits=Bits(12, 12), seed=None)
    exact = float_pass(layer, which, a, b)
    assert np.abs(ours.values - exact).max() < 0.01 * np.abs(exact).max()


def test_transposed_twice_is_unchanged() -> None:
    weights = np.arange(12 * 4 * 6).reshape(12, 4, 3, 2)
    assert np.array_equal(transpose_weights(transpose_weights(weights, 3), 3), weights)
    assert np.array_equal(transpose_weights(weights, 1), weights.transpose(1, 0, 2, 3))


def test_an_error_of_the_device_is_raised_with_its_name_and_command() -> None:
    class Broken(Reference):
        def run(
            self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
        ) -> Outcome:
            return Outcome(Error.READ_BUS, 0, 0, 0)

    layer = LAYERS["linear"]
    x, w = np.zeros(layer.input_shape, int), np.zeros(layer.weight_shape, int)
    with pytest.raises(ExecutionError, match="forward pass: READ_BUS at command 0"):
        run_pass(Broken(ZC706), layer, Pass.FORWARD, Precision(1, 1), x, w)
