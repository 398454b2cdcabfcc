"""What the vector commands mean: whole layers against float64 and PyTorch's autograd, within stated tolerances.

That the integers are right is tested in tests/sim/second; here, that they are the integers of batch norm, ReLU,
residual adds and SGD.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch.nn.functional import batch_norm, conv2d

from sim.contract import Opcode, Tensor, unpack_planes
from sim.contract.blocks import BlockPlace
from sim.reference.scalar import get
from sim.vectors.step.layers import Layer
from sim.vectors.step.region import Region
from sim.vectors.step.residuals import residual_output
from tests.tools import TINY

Floats = npt.NDArray[np.float64]


class Ran:
    """A layer's list after it ran; tensors and blocks of the memory before and after, as float64."""

    def __init__(self, layer: Layer, *lists: Any) -> None:
        layer.region.add(*(command for commands in lists for command in commands))
        self.vector = layer.region.vector()
        self.layer = layer

    def codes(self, name: str, channels: int, signed: bool, after: bool = True) -> Floats:
        place = self.layer.places[name]
        assert isinstance(place, Tensor)
        return unpack_planes(place.read(self.memory(after)), channels, signed).astype(np.float64)

    def memory(self, after: bool = True) -> npt.NDArray[np.uint8]:
        return self.vector.after if after else self.vector.before

    def block(self, name: str) -> BlockPlace:
        place = self.layer.places[name]
        assert isinstance(place, BlockPlace)
        return place

    def step(self, name: str) -> float:
        return float(get(self.block(name).header(self.memory())["step"][0]))

    def fraction(self, name: str) -> float:
        return 2.0 ** -int(self.block(name).header(self.memory())["fraction"][0])

    def words(self, name: str, bits: int, after: bool = True) -> Floats:
        """Weights as (out, in, kernel_h, kernel_w)."""
        place = self.layer.places[name]
        assert isinstance(place, Tensor)
        tiles = place.read(self.memory(after)).transpose(1, 4, 0, 2, 3)
        whole = tiles.reshape(-1, *tiles.shape[2:])
        return whole[: self.layer.outs, : self.layer.ins] * 2.0**-bits

    def parameter(self, name: str, after: bool = True) -> Floats:
        return self.block("parameters").records(self.memory(after))[name][: self.layer.outs] * 2.0**-24


def cosine(a: Floats, b: Floats) -> float:
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


@pytest.fixture(scope="module")
def ran() -> Ran:
    layer = Layer(Region("meaning", TINY), 4, 8, 12, 6, (8, 8), True)
    return Ran(layer, layer.forward(), layer.backward())


@pytest.fixture(scope="module")
def truth(ran: Ran) -> dict[str, torch.Tensor]:
    """The layer in float64 on the same weights and the codes' values, and its gradients."""
    layer = ran.layer
    leaf = {
        "x": ran.codes("x", layer.ins, False) * ran.step("x_tensor"),
        "w": ran.words("w", 27, after=False),
        "gamma": ran.parameter("gamma", after=False),
        "beta": ran.parameter("beta", after=False),
    }
    found = {name: torch.tensor(values, requires_grad=True) for name, values in leaf.items()}
    found["y"] = conv2d(found["x"], found["w"], padding=1)
    found["y"].retain_grad()
    found["z"] = batch_norm(found["y"], None, None, found["gamma"], found["beta"], training=True, eps=1e-30).relu()
    error = ran.codes("e", layer.outs, True) * ran.fraction("e_tensor")
    found["z"].backward(torch.tensor(error))
    return found


def test_the_convolution_is_right_to_the_weights_grid(ran: Ran, truth: dict[str, torch.Tensor]) -> None:
    """8 bits of weights, 12 of results: 1 % of the greatest."""
    norms = ran.block("norm").records(ran.memory())
    units = np.array([float(get(norms["unit"][channel])) for channel in range(ran.layer.outs)])
    y = ran.codes("y", ran.layer.outs, True) * units[None, :, None, None]
    expected = truth["y"].detach().numpy()
    assert np.abs(y - expected).max() < 0.01 * np.abs(expected).max()


def test_activations_are_right_to_a_step(ran: Ran, truth: dict[str, torch.Tensor]) -> None:
    """Half a step of rounding, and what the weights' grid adds."""
    found = ran.codes("q", ran.layer.outs, False) * ran.step("q_tensor")
    expected = truth["z"].detach().numpy()
    assert np.abs(found - expected).max() < 3 * ran.step("q_tensor")
    mask = ran.codes("mask", ran.layer.outs, False)
    assert (mask == (expected > 0)).mean() > 0.98


def test_errors_and_gradients_point_the_right_way(ran: Ran, truth: dict[str, torch.Tensor]) -> None:
    layer = ran.layer
    errors = ran.codes("codes_of_e", layer.outs, True) * ran.step("back_tensor")
    of_y = truth["y"].grad
    assert of_y is not None
    assert cosine(errors, of_y.numpy()) > 0.999
    units = ran.block("units_in").records(ran.memory())
    scale = np.array([float(get(units[channel])) for channel in range(layer.ins)]) * ran.step("back_tensor")
    scale *= 2 ** layer.shifts[1]
    found = ran.codes("e_in", layer.ins, True) * scale[None, :, None, None]
    for name, value in (("x", found), ("w", ran.words("acc", 0) * ran.step("x_tensor") * ran.step("back_tensor"))):
        gradient = truth[name].grad
        assert gradient is not None
        assert cosine(value, gradient.numpy()) > 0.999, name
        assert abs(np.linalg.norm(value) / np.linalg.norm(gradient.numpy()) - 1) < 0.01, name


def test_the_update_is_momentum_sgd(ran: Ran, truth: dict[str, torch.Tensor]) -> None:
    """STEP says 0.9, 1e-4 and 0.1; the first velocity of a weight is 0, that of γ and β is not."""
    gradient = truth["w"].grad
    assert gradient is not None
    wanted = -0.1 * (gradient.numpy() + 1e-4 * truth["w"].detach().numpy())
    moved = ran.words("w", 27) - ran.words("w", 27, after=False)
    assert cosine(moved, wanted) > 0.999
    for name in ("gamma", "beta"):
        gradient = truth[name].grad
        assert gradient is not None
        velocity = 0.9 * ran.parameter(f"{name}_velocity", False) + gradient.numpy() + 1e-4 * ran.parameter(name, False)
        assert np.abs(ran.parameter(f"{name}_velocity") - velocity).max() < 0.02 * np.abs(velocity).max()
        moved = ran.parameter(name) - ran.parameter(name, False)
        assert np.abs(moved + 0.1 * ran.parameter(f"{name}_velocity")).max() < 1e-6


def test_running_statistics_follow(ran: Ran, truth: dict[str, torch.Tensor]) -> None:
    """A tenth of the way, the variance unbiased."""
    y = truth["y"].detach().numpy()
    seen = {"mean": y.mean((0, 2, 3)), "variance": y.var((0, 2, 3), ddof=1)}
    for name, wanted in seen.items():
        rows = [ran.block("parameters").records(ran.memory(after))[name] for after in (False, True)]
        before, after = (np.array([float(get(row[c])) for c in range(ran.layer.outs)]) for row in rows)
        assert np.abs(after - (before + 0.1 * (wanted - before))).max() < 0.005 * np.abs(wanted).max()


def test_evaluation_normalises_by_running_statistics() -> None:
    layer = Layer(Region("meaning-evaluation", TINY), 2, 8, 12, 4, (8, 8), True)
    commands = layer.forward()
    norm = next(command for command in commands if command.opcode == Opcode.NORM)
    norm.flags = 1
    ran = Ran(layer, commands)
    records = ran.block("parameters").records(ran.memory())
    mean, variance = (
        torch.tensor([float(get(records[name][c])) for c in range(12)], dtype=torch.float64)
        for name in ("mean", "variance")
    )
    x = torch.tensor(ran.codes("x", 8, False) * ran.step("x_tensor"))
    y = conv2d(x, torch.tensor(ran.words("w", 27)), padding=1)
    gamma, beta = (torch.tensor(ran.parameter(name)) for name in ("gamma", "beta"))
    expected = batch_norm(y, mean, variance, gamma, beta, training=False, eps=0.0).relu().numpy()
    found = ran.codes("q", 12, False) * ran.step("q_tensor")
    assert np.abs(found - expected).max() < 3 * ran.step("q_tensor")


def test_a_channel_of_one_value_becomes_beta() -> None:
    """Zero variance: ε keeps the gain finite, and the channel's result is β."""
    layer = Layer(Region("meaning-constant", TINY), 2, 8, 12, 4, (8, 8), False)
    layer.places["x"] = layer.region.codes(layer.shape(8), 8, fill=lambda shape, *_: np.zeros(shape, dtype=np.int64))
    ran = Ran(layer, layer.forward())
    beta = np.maximum(ran.parameter("beta"), 0)
    found = ran.codes("q", 12, False) * ran.step("q_tensor")
    assert np.abs(found - beta[None, :, None, None]).max() < ran.step("q_tensor")


@pytest.mark.parametrize("relu", [True, False], ids=["relu", "signed"])
def test_a_residual_output_is_the_sum(relu: bool) -> None:
    """z is right to a unit and a half (rounding, and the stream's own shift), its codes to half a step or saturated."""
    ran = Ran(residual_output(TINY, relu))
    norms = ran.block("norm").records(ran.memory())
    gain, offset = (
        np.array([float(get(norms[name][c])) for c in range(20)])[None, :, None, None] for name in ("gain", "offset")
    )
    total = ran.codes("y", 20, True) * gain + offset + ran.codes("z0", 20, not relu) * ran.fraction("z0_tensor")
    expected = np.maximum(total, 0) if relu else total
    unit, step = ran.fraction("q_tensor"), ran.step("q_tensor")
    z = ran.codes("z", 20, not relu) * unit
    assert np.abs(z - expected).max() < 1.5 * unit
    codes = ran.codes("q", 20, not relu)
    most = 15 if relu else 7
    assert np.abs(codes - np.clip(z / step, -most, most)).max() < 0.51
    assert codes.max() == most, "the second time the ratio stretches the codes to the end"
    assert np.array_equal(ran.codes("mask", 20, False), total > 0) or np.abs(total[total > 0]).min() < unit


@pytest.mark.parametrize("relu", [True, False], ids=["relu", "signed"])
def test_joined_errors_are_the_sum(relu: bool) -> None:
    """Right to a unit and a half; 0 where the mask is 0."""
    ran = Ran(residual_output(TINY, relu))
    total = ran.codes("host", 20, True) * ran.fraction("host_tensor") + ran.codes("e", 20, True) * ran.fraction(
        "e_tensor"
    )
    expected = total * ran.codes("mask", 20, False)
    unit = ran.fraction("dz_tensor")
    assert np.abs(ran.codes("dz", 20, True) * unit - expected).max() < 1.5 * unit
    assert np.abs(expected).max() > 500 * unit, "12 bits are made use of"
