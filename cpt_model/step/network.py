"""A network that learns in whole integer steps: what PyTorch code holds in the place of a model and its optimiser."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from cpt_model.step.describe import describe, floats_of, write_floats
from cpt_model.step.machine import TensorDevice
from host.compiler.bits import Bits
from host.compiler.step.program import WIDEST
from host.driver.integer_step import IntegerStep


class IntegerNetwork(nn.Module):
    """Called, it gives logits by running statistics; `learn` does a training step. Both run the accelerator's lists.

    Args:
        model: where description and weights are taken from; `describe` says which models can be.
        image: channels, height and width.
        batch: images of a step.
        widest: the greatest bits of any step, and those of evaluation unless `bits` is set.
        options: of `host.driver.integer_step.IntegerStep`: seed, momentum, weight_decay, ...

    >>> from cpt_model.models import CifarResNet
    >>> network = IntegerNetwork(CifarResNet(8), (3, 16, 16), batch=4)
    >>> loss, right = network.learn(torch.randn(4, 3, 16, 16), torch.tensor([1, 2, 3, 4]), Bits(3, 8), lr=0.1)
    >>> network(torch.randn(2, 3, 16, 16)).shape
    torch.Size([2, 10])
    """

    def __init__(
        self, model: nn.Module, image: tuple[int, int, int], batch: int, widest: Bits = WIDEST, **options: Any
    ) -> None:
        super().__init__()
        self.description = describe(model, image)
        self.integers = IntegerStep(self.description, batch, TensorDevice(), floats_of(model), widest=widest, **options)
        self.bits = widest

    def learn(self, x: Tensor, target: Tensor, bits: Bits, lr: float) -> tuple[float, int]:
        """One step: the mean loss before the update, and how many guesses were right."""
        loss = self.integers.train(x.numpy(), target.numpy(), bits, lr)
        assert self.integers.last is not None
        return loss, int((self.integers.last.logits.argmax(1) == target.numpy()).sum())

    def forward(self, x: Tensor) -> Tensor:
        return torch.from_numpy(self.integers.evaluate(x.numpy(), self.bits))

    def export(self, model: nn.Module) -> None:
        """Weights and statistics into a float model of the same shape."""
        write_floats(model, self.description, self.integers.state())

    def get_extra_state(self) -> dict[str, Tensor]:
        """All integers that the next step depends on."""
        return {name: torch.from_numpy(np.array(value)) for name, value in self.integers.state().items()}

    def set_extra_state(self, state: dict[str, Tensor]) -> None:
        self.integers.load({name: value.numpy() for name, value in state.items()})
