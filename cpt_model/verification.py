"""Are quantised layers on a device the CPU's to the bit? Small layers are trained one step on both and compared.

The yardstick is the CPU with every sum in float64, without kernels, convolutions and float32 bounds. "fake" is no
device: the CPU's memory, computed as on other devices. Layers whose own functions round (softmax, tanh) are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from cpt_model.arithmetic.affine import noise
from cpt_model.arithmetic.any_device import as_elsewhere
from cpt_model.layers.matmul import matmul
from cpt_model.layers.state import LayerState
from cpt_model.prepare import Config, prepare_
from cpt_model.quantisers import quantiser as make_quantiser
from host.compiler.bits import Bits
from sim.common.table import as_table

FAKE = "fake"
BITS = (Bits(3, 8), Bits(4, 6), Bits(8, 8), Bits(12, 16))
NOISE = 1 << 16
Results = dict[str, Tensor]


@dataclass(frozen=True)
class Checked:
    """One layer at one precision: how many results of each pass differ from the yardstick's."""

    name: str
    bits: str
    differing: dict[str, int]

    @property
    def equal(self) -> bool:
        return not any(self.differing.values())


class _Scores(nn.Linear):
    """Products of two activations, as of attention: here of the input and of the weights, batch by batch."""

    cpt: LayerState

    def forward(self, input: Tensor) -> Tensor:
        return matmul(input, self.weight.expand(len(input), -1, -1).contiguous(), self.cpt, "query key", True)


def _layers() -> dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]]:
    """Each kind of product, and sums that need several parts; with the shapes of their inputs."""
    return {
        "conv 3x3": (lambda: nn.Conv2d(16, 24, 3, padding=1, bias=False), (4, 16, 12, 12)),
        "conv 3x3, stride 2": (lambda: nn.Conv2d(16, 24, 3, 2, 1, bias=False), (4, 16, 11, 9)),
        "conv 1x1, stride 2": (lambda: nn.Conv2d(16, 24, 1, 2, bias=False), (4, 16, 8, 8)),
        "conv 5x3, 256 channels": (lambda: nn.Conv2d(256, 16, (5, 3), padding=(2, 1), bias=False), (2, 256, 6, 6)),
        "conv 3x3, 4 groups": (lambda: nn.Conv2d(16, 24, 3, padding=1, groups=4, bias=False), (4, 16, 8, 8)),
        "depthwise 3x3": (lambda: nn.Conv2d(24, 24, 3, padding=1, groups=24, bias=False), (4, 24, 8, 8)),
        "linear": (lambda: nn.Linear(1024, 64, bias=False), (32, 1024)),
        "scores": (lambda: _Scores(64, 32, bias=False), (6, 20, 64)),
    }


def verify(device: str) -> Iterator[Checked]:
    """Checks every layer at every precision, one after the other; noise first."""
    place, context = _place(device)
    differing = (noise(7, NOISE, place).cpu() != noise(7, NOISE)).sum().item()
    yield Checked("noise", "", {"values": int(differing)})
    for quantiser in ("sbm", "wageubn"):
        for name, (make, shape) in _layers().items():
            for bits in BITS:
                with as_elsewhere(in_float64=True):
                    expected = _step(make, shape, bits, quantiser, "cpu")
                with context():
                    found = _step(make, shape, bits, quantiser, place)
                wrong = {key: int((found[key] != value).sum()) for key, value in expected.items()}
                yield Checked(f"{name}, {quantiser}", str(bits), wrong)


def _place(device: str) -> tuple[str, Callable[[], AbstractContextManager[None]]]:
    if device == FAKE:
        return "cpu", as_elsewhere
    try:
        torch.zeros(1, device=device).item()
    except Exception as problem:  # PyTorch's own errors are of many kinds
        reason = str(problem).partition("\n")[0]
        raise ValueError(f"device '{device}' cannot be used here: {reason}") from None
    return device, nullcontext


def _step(make: Callable[[], nn.Module], shape: Sequence[int], bits: Bits, quantiser: str, place: str) -> Results:
    """Results of the three passes of one step, on the CPU again."""
    torch.manual_seed(0)
    layer = make()
    x, target = torch.randn(*shape), torch.randn(1 << 14)
    if isinstance(layer, _Scores):
        layer.cpt = LayerState("scores", make_quantiser(quantiser), bits, seed=1)
    else:
        prepare_(layer, Config(quantiser, "none", bits))
    layer.to(place)
    x = x.to(place).requires_grad_()
    y = layer(x)
    y.backward(target.repeat(-(-y.numel() // len(target)))[: y.numel()].reshape(y.shape).to(place))
    (weight,) = layer.parameters()
    assert x.grad is not None
    assert weight.grad is not None
    return {"forward": y.detach().cpu(), "input error": x.grad.cpu(), "weight gradient": weight.grad.cpu()}


def table(checks: Sequence[Checked]) -> str:
    rows = [(each.name, each.bits, _words(each.differing)) for each in checks]
    return as_table(("layer", "bits", "against the CPU"), rows, left=(0, 1, 2))


def _words(differing: dict[str, int]) -> str:
    wrong = [f"{count} of the {name} differ" for name, count in differing.items() if count]
    return ", ".join(wrong) or "equal"
