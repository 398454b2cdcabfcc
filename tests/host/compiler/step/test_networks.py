"""Network descriptions: those of PyTorch's models, and what is refused."""

import pytest
import torch
from torch import nn

from cpt_model.models.registry import NETWORKS, build
from host.compiler.layer import LayerError
from host.compiler.step.network import Block, Head, Network
from host.compiler.step.networks import named, plain, unit

COVERED = [name for name in NETWORKS if name.startswith(("cifar", "digits", "fashion"))]


@pytest.mark.parametrize("name", COVERED)
def test_units_are_the_convolutions_of_the_model(name):
    with torch.device("meta"):
        model = build(name)
    network = named(name)
    modules = dict(model.named_modules())
    convs = {key for key, module in modules.items() if isinstance(module, nn.Conv2d)}
    assert {unit.name for unit in network.units} == convs
    for unit_ in network.units:
        conv, layer = modules[unit_.name], unit_.layer
        assert tuple(conv.weight.shape) == layer.weight_shape
        assert (conv.stride, conv.padding, conv.groups) == (layer.stride, layer.padding, layer.groups)
        assert modules[unit_.norm].num_features == layer.out_channels
    assert modules[network.head.name].weight.shape == (network.head.classes, network.last_map[0])


@pytest.mark.parametrize("name", ["cifar10_resnet_20", "cifar10_mobilenet_v2", "fashion_resnet_8"])
def test_maps_have_the_sizes_of_the_model(name):
    model, shapes = build(name), {}
    for key, module in model.named_modules():
        if isinstance(module, nn.Conv2d):
            module.register_forward_hook(lambda _, x, y, key=key: shapes.update({key: (x[0].shape[1:], y.shape[1:])}))
    model.eval()(torch.zeros(1, *NETWORKS[name].input_shape))
    assert {unit.name: (unit.reads, unit.makes) for unit in named(name).units} == {
        key: (tuple(x), tuple(y)) for key, (x, y) in shapes.items()
    }


@pytest.mark.parametrize("name", ["resnet18", "transformer_lm", "lstm_lm", "cifar10_vgg", "cifar10_resnet_9", "mnist"])
def test_other_networks_are_refused_by_name(name):
    with pytest.raises(LayerError, match=name):
        named(name)


def test_blocks_that_do_not_fit_are_refused():
    first, second = unit("a.", 1, (16, 8, 8), 16, 3), unit("b.", 1, (32, 8, 8), 32, 3)
    with pytest.raises(LayerError, match=r"'a.conv1' makes 16×8×8, 'b.conv1' reads 32×8×8"):
        Block("both", (first, second))
    with pytest.raises(LayerError, match="reads the images"):
        Network("n", (Block("a", (first,), stream=True),), Head("fc", 10))
    with pytest.raises(LayerError, match="block 'a' makes 16×8×8, block 'b' reads 32×8×8"):
        Network("n", (Block("a", (first,)), Block("b", (second,))), Head("fc", 10))


def test_plain_stacks():
    network = plain("small", (3, 32, 32), (16, 32, 32), (1, 2, 1), 10)
    assert [unit.name for unit in network.units] == ["conv1", "conv2", "conv3"]
    assert network.last_map == (32, 16, 16)
