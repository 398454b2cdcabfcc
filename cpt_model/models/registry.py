"""Networks by name: the authors' names (`cifar100_resnet_74`, `resnet18`) and short ones for the language models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from cpt_model.models.cifar_bottleneck import CifarBottleneckResNet
from cpt_model.models.cifar_resnet import CifarResNet
from cpt_model.models.imagenet_resnet import ImageNetResNet
from cpt_model.models.lstm_lm import LstmLM
from cpt_model.models.mobilenet_v2 import CifarMobileNetV2
from cpt_model.models.own import USUAL_CLASSES, is_own, own_network
from cpt_model.models.transformer_lm import WORDS, TransformerLM

# The depths of the papers; `CifarResNet` itself takes any 6n + 2.
CIFAR_DEPTHS = (8, 20, 38, 74, 110, 152, 164)
CIFAR_CLASSES = {"cifar10": 10, "cifar100": 100}
GREY_SIZES = {"digits": 8, "fashion": 28}


@dataclass(frozen=True)
class Entry:
    """How a network is made, how many classes (or words) it has by itself, one input of it, and its float layers."""

    make: Callable[[int], nn.Module]
    classes: int
    input_shape: tuple[int, ...]
    policy: str

    def example(self, batch: int = 2) -> Tensor:
        """An input without values, for tracing shapes: images, or word numbers."""
        kind = torch.long if len(self.input_shape) == 1 else torch.float32
        return torch.empty(batch, *self.input_shape, dtype=kind, device="meta")


def _cifar() -> dict[str, Entry]:
    makers: dict[str, Callable[[int], nn.Module]] = {
        f"resnet_{depth}": partial(CifarResNet, depth) for depth in CIFAR_DEPTHS
    }
    makers["resnet_164_bottleneck"] = partial(CifarBottleneckResNet, 164)
    makers["mobilenet_v2"] = CifarMobileNetV2
    return {
        f"{data}_{name}": Entry(make, classes, (3, 32, 32), "cifar")
        for data, classes in CIFAR_CLASSES.items()
        for name, make in makers.items()
    }


def _small() -> dict[str, Entry]:
    """The CIFAR networks for grey images: scikit-learn's digits and Fashion-MNIST."""
    return {
        f"{data}_resnet_{depth}": Entry(partial(CifarResNet, depth, channels=1), 10, (1, size, size), "cifar")
        for data, size in GREY_SIZES.items()
        for depth in (8, 20)
    }


NETWORKS: dict[str, Entry] = {
    **_cifar(),
    **{
        f"resnet{depth}": Entry(partial(ImageNetResNet, depth), 1000, (3, 224, 224), "imagenet")
        for depth in (18, 34, 50)
    },
    **_small(),
    "transformer_lm": Entry(TransformerLM, WORDS, (512,), "cifar"),
    "lstm_lm": Entry(LstmLM, 10_000, (35,), "cifar"),
    "transformer_lm_small": Entry(
        partial(TransformerLM, width=128, layers=4, heads=4, inner=512), 10_000, (64,), "cifar"
    ),
    "lstm_lm_small": Entry(partial(LstmLM, width=128, dropout=0.2), 10_000, (35,), "cifar"),
}


def entry(name: str) -> Entry:
    """What is known of a network; a name that is not is refused with all that are. A class of one's own is loaded.

    >>> entry("resnet18").policy
    'imagenet'
    """
    if is_own(name):
        own = own_network(name)
        return Entry(own.make, USUAL_CLASSES, own.image, "cifar")
    if name not in NETWORKS:
        raise ValueError(f"no network '{name}'; there are: {', '.join(NETWORKS)}, and FILE.py:CLASS")
    return NETWORKS[name]


def build(name: str, classes: int | None = None) -> nn.Module:
    """A network by name, with random weights.

    Args:
        name: one of `NETWORKS`, or FILE.py:CLASS.
        classes: how many, or words of a language model; by default those of the name's data set.

    >>> build("cifar100_resnet_20").fc.out_features, build("cifar100_resnet_20", classes=7).fc.out_features
    (100, 7)
    """
    known = entry(name)
    if classes is not None and classes < 1:
        raise ValueError(f"classes = {classes}: a network has at least one")
    return known.make(known.classes if classes is None else classes)
