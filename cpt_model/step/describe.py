"""From a PyTorch model to the description that command lists are made of, and its weights there and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy.typing as npt
import torch
from torch import nn

from cpt_model.models import CifarBottleneckResNet, CifarMobileNetV2, CifarResNet
from host.compiler.layer import Conv, LayerError
from host.compiler.step.network import Block, Head, Map, Network, Unit
from host.compiler.step.networks import cifar_resnet, mobilenet_v2
from host.compiler.step.rates import RUNNING
from host.training.weights import floats_of_state

Arrays = Mapping[str, npt.NDArray]
MOST_EPSILON = 1e-3


def describe(model: nn.Module, image: Map) -> Network:
    """The network; a model that does not run as whole iterations is refused by name.

    Covered are the CIFAR networks of `cpt_model.models`, and an `nn.Sequential` of convolution, batch normalisation and
    ReLU, repeated, then `nn.AdaptiveAvgPool2d(1)`, `nn.Flatten` and `nn.Linear`.

    >>> describe(CifarResNet(8), (3, 32, 32)).blocks[1].name
    'layer1.0'
    """
    name = type(model).__name__
    if isinstance(model, nn.Sequential):
        network = _stack(model, image)
    elif type(model) is CifarResNet:  # a subclass may have another forward
        network = cifar_resnet(name, image, _head(model.fc), 2 + 6 * len(model.layer1))
    elif type(model) is CifarBottleneckResNet:
        network = cifar_resnet(name, image, _head(model.fc), 2 + 9 * len(model.layer1), bottleneck=True)
    elif type(model) is CifarMobileNetV2:
        network = mobilenet_v2(name, image, _head(model.fc))
    else:
        raise LayerError(f"'{name}' does not run as whole iterations: CIFAR ResNets, MobileNetV2 and plain stacks do")
    _check_modules(model, network)
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
        or len(body) != len(kinds)
        or not all(isinstance(layer, kind) for layer, kind in zip(body, kinds, strict=True))
        or not ends
        or not (isinstance(tail[1], nn.Flatten) and (tail[1].start_dim, tail[1].end_dim) == (1, -1))
        or not isinstance(tail[2], nn.Linear)
    ):
        raise LayerError("a plain stack is (Conv2d, BatchNorm2d, ReLU) ..., AdaptiveAvgPool2d(1), Flatten, Linear")
    chain: list[Unit] = []
    for number in range(0, len(body), 3):
        channels, height, width = chain[-1].makes if chain else image
        conv = body[number]
        assert isinstance(conv, nn.Conv2d)
        extents = (_pair(conv.kernel_size), _pair(conv.stride), _padding(conv, str(number)))
        try:
            layer = Conv(1, channels, conv.out_channels, height, width, *extents, conv.groups)
        except LayerError as problem:
            raise LayerError(f"'{number}' is {conv}: {problem}") from problem
        chain.append(Unit(str(number), str(number + 1), layer))
    head = _head(tail[2])
    return Network("Sequential", (Block("stack", tuple(chain)),), Head(str(len(layers) - 1), head.classes))


def _check_modules(model: nn.Module, network: Network) -> None:
    """The model has the described layers and no others, so that none is left out of training in silence."""
    described = {name for unit in network.units for name in (unit.name, unit.norm)} | {network.head.name}
    kinds = (nn.Conv2d, nn.BatchNorm2d, nn.Linear)
    found = {name for name, module in model.named_modules() if isinstance(module, kinds)}
    if odd := sorted(found ^ described):
        raise LayerError(f"'{odd[0]}' is {'not ' if odd[0] in described else ''}in this model, unlike a {network.name}")
    features, channels = model.get_submodule(network.head.name).in_features, network.blocks[-1].makes[0]
    if features != channels:
        raise LayerError(f"'{network.head.name}' takes {features} features: the last map has {channels} channels")


def _check(model: nn.Module, unit: Unit) -> None:
    """The model's own modules are what the description says."""
    conv, norm = model.get_submodule(unit.name), model.get_submodule(unit.norm)
    layer = unit.layer
    if not isinstance(conv, nn.Conv2d) or conv.bias is not None or _pair(conv.dilation) != (1, 1):
        raise LayerError(f"'{unit.name}' is {conv}: a Conv2d without bias and dilation is supported")
    found = (tuple(conv.weight.shape), _pair(conv.stride), _padding(conv, unit.name), conv.groups)
    if found != (layer.weight_shape, layer.stride, layer.padding, layer.groups):
        raise LayerError(f"'{unit.name}' is {conv}: not what a {type(model).__name__} has there")
    if (
        not isinstance(norm, nn.BatchNorm2d)
        or not (norm.affine and norm.track_running_stats)
        or norm.momentum != RUNNING
        or norm.eps > MOST_EPSILON
    ):
        raise LayerError(
            f"'{unit.norm}' is {norm}: a BatchNorm2d with γ, β, a momentum of {RUNNING} and an ε of at most"
            f" {MOST_EPSILON} is supported (the accelerator has its own ε)"
        )


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
    tensors = {name: torch.from_numpy(value) for name, value in floats_of_state(network, state).items()}
    model.load_state_dict({**model.state_dict(), **tensors})
