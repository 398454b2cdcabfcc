"""From a PyTorch model to the description that command lists are made of, and its weights there and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from cpt_model.models import CifarBottleneckResNet, CifarMobileNetV2, CifarResNet
from host.compiler.layer import Conv, LayerError
from host.compiler.step.fixed import VELOCITY_FRACTION, WEIGHT_FRACTION
from host.compiler.step.network import Block, Head, Map, Network, Unit
from host.compiler.step.networks import cifar_resnet, mobilenet_v2

Arrays = Mapping[str, npt.NDArray]
RUNNING = 0.1  # by how much running statistics follow, as the contract's STEP block has it


def describe(model: nn.Module, image: Map) -> Network:
    """The network; a model that does not run as whole iterations is refused by name.

    Covered are the CIFAR networks of `cpt_model.models`, and an `nn.Sequential` of convolution, batch normalisation and
    ReLU, again and again, then `nn.AdaptiveAvgPool2d(1)`, `nn.Flatten` and `nn.Linear`.

    >>> describe(CifarResNet(8), (3, 32, 32)).blocks[1].name
    'layer1.0'
    """
    name = type(model).__name__
    if isinstance(model, nn.Sequential):
        network = _stack(model, image)
    elif isinstance(model, CifarResNet):
        network = cifar_resnet(name, image, _head(model.fc), 2 + 6 * len(model.layer1))
    elif isinstance(model, CifarBottleneckResNet):
        network = cifar_resnet(name, image, _head(model.fc), 2 + 9 * len(model.layer1), bottleneck=True)
    elif isinstance(model, CifarMobileNetV2):
        network = mobilenet_v2(name, image, _head(model.fc))
    else:
        raise LayerError(f"'{name}' does not run as whole iterations: CIFAR ResNets, MobileNetV2 and plain stacks do")
    for unit in network.units:
        _check(model, unit)
    return network


def _head(fc: nn.Module) -> Head:
    if not isinstance(fc, nn.Linear) or fc.bias is None:
        raise LayerError(f"the last layer is {fc}: a fully connected one with bias is supported")
    return Head("fc", fc.out_features)


def _stack(model: nn.Sequential, image: Map) -> Network:
    layers = list(model)
    body, tail = layers[:-3], layers[-3:]
    kinds = [nn.Conv2d, nn.BatchNorm2d, nn.ReLU] * (len(body) // 3)
    ends = isinstance(tail[0], nn.AdaptiveAvgPool2d) and tail[0].output_size in (1, (1, 1)) if tail else False
    if (
        not body
        or [type(layer) for layer in body] != kinds
        or not ends
        or [type(layer) for layer in tail[1:]] != [nn.Flatten, nn.Linear]
    ):
        raise LayerError("a plain stack is (Conv2d, BatchNorm2d, ReLU) ..., AdaptiveAvgPool2d(1), Flatten, Linear")
    chain: list[Unit] = []
    for number in range(0, len(body), 3):
        channels, height, width = chain[-1].makes if chain else image
        conv = body[number]
        assert isinstance(conv, nn.Conv2d)
        extents = (_pair(conv.kernel_size), _pair(conv.stride), _padding(conv, str(number)))
        layer = Conv(1, channels, conv.out_channels, height, width, *extents, conv.groups)
        chain.append(Unit(str(number), str(number + 1), layer))
    head = _head(tail[2])
    return Network("Sequential", (Block("stack", tuple(chain)),), Head(str(len(layers) - 1), head.classes))


def _check(model: nn.Module, unit: Unit) -> None:
    """The model's own modules are what the description says."""
    conv, norm = model.get_submodule(unit.name), model.get_submodule(unit.norm)
    layer = unit.layer
    if not isinstance(conv, nn.Conv2d) or conv.bias is not None or _pair(conv.dilation) != (1, 1):
        raise LayerError(f"'{unit.name}' is {conv}: a Conv2d without bias and dilation is supported")
    found = (tuple(conv.weight.shape), _pair(conv.stride), _padding(conv, unit.name), conv.groups)
    if found != (layer.weight_shape, layer.stride, layer.padding, layer.groups):
        raise LayerError(f"'{unit.name}' is {conv}: not what a {type(model).__name__} has there")
    usual = isinstance(norm, nn.BatchNorm2d) and norm.affine and norm.track_running_stats
    if not usual or norm.momentum != RUNNING:
        raise LayerError(f"'{unit.norm}' is {norm}: a BatchNorm2d with γ, β and a momentum of {RUNNING} is supported")


def _pair(numbers: tuple[int, ...]) -> tuple[int, int]:
    return numbers[0], numbers[1]


def _padding(conv: nn.Conv2d, name: str) -> tuple[int, int]:
    if isinstance(conv.padding, str) or conv.padding_mode != "zeros":
        raise LayerError(f"'{name}' is {conv}: its padding must be numbers, and zeros")
    return _pair(conv.padding)


def floats_of(model: nn.Module) -> dict[str, npt.NDArray]:
    """Weights and statistics by PyTorch's names, as an `IntegerStep` begins with."""
    return {name: value.detach().double().numpy() for name, value in model.state_dict().items()}


def write_floats(model: nn.Module, network: Network, state: Arrays) -> None:
    """The integers of an `IntegerStep`'s state into a model, for use elsewhere: exact but for float32's rounding."""
    found = {f"{network.head.name}.{name}": (name, WEIGHT_FRACTION) for name in ("weight", "bias")}
    values = {name: np.ldexp(state[name].astype(np.float64), -fraction) for name, (_, fraction) in found.items()}
    for unit in network.units:
        values[f"{unit.name}.weight"] = np.ldexp(state[f"{unit.name}.weight"].astype(np.float64), -WEIGHT_FRACTION)
        for ours, theirs in (("gamma", "weight"), ("beta", "bias")):
            values[f"{unit.norm}.{theirs}"] = np.ldexp(
                state[f"{unit.norm}.{ours}"].astype(np.float64), -VELOCITY_FRACTION
            )
        for ours, theirs in (("mean", "running_mean"), ("variance", "running_var")):
            pairs = state[f"{unit.norm}.{ours}"]
            values[f"{unit.norm}.{theirs}"] = np.ldexp(pairs[:, 0].astype(np.float64), pairs[:, 1])
    tensors = {name: torch.from_numpy(np.asarray(value)) for name, value in values.items()}
    model.load_state_dict({**model.state_dict(), **tensors})
