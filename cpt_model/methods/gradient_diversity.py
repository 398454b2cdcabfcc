"""How much the gradients of successive epochs differ, as MuPPET measures it.

    diversity = mean over layers of  Σ_k ‖g_k‖² / ‖Σ_k g_k‖²,     k the last `window` epochs

1 / window where all gradients are the same, 1 where they are at right angles, more where they cancel.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from cpt_model.model_precision import prepared_layers


class GradientDiversity:
    """Looks at a prepared model's gradients, those of the weights of quantised layers.

    Args:
        model: as `prepare_` left it.
        window: how many epochs are compared.

    >>> from cpt_model import prepare_
    >>> model = prepare_(nn.Linear(2, 1, bias=False))
    >>> diversity = GradientDiversity(model, window=2)
    >>> for gradient in ([1.0, 0.0], [0.0, 1.0]):
    ...     model.weight.grad = torch.tensor([gradient])
    ...     print(diversity.measure())
    None
    1.0
    """

    def __init__(self, model: nn.Module, window: int = 3) -> None:
        if window < 2:
            raise ValueError(f"window = {window}: gradients of at least 2 epochs are compared")
        self.model, self.window = model, window
        self._seen: list[dict[str, Tensor]] = []

    def measure(self) -> float | None:
        """After the last backward pass of an epoch: with this epoch's gradients; None before the window is full."""
        now = {
            f"{layer}.{name}": weights.grad.detach().clone()
            for layer, module in prepared_layers(self.model).items()
            for name, weights in module.named_parameters(recurse=False)
            if weights.ndim > 1 and weights.grad is not None
        }
        if not now:
            raise ValueError("no quantised layer has a gradient: measure after backward(), before zero_grad()")
        self._seen = [*self._seen, now][-self.window :]
        if len(self._seen) < self.window:
            return None
        ratios = [_ratio(torch.stack([each[name] for each in self._seen])) for name in now]
        return sum(ratios) / len(ratios)

    def state_dict(self) -> dict[str, Any]:
        return {"window": self.window, "gradients": [dict(each) for each in self._seen]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["window"] != self.window:
            raise ValueError(f"saved with a window of {state['window']}, this one has {self.window}")
        self._seen = [dict(each) for each in state["gradients"]]


def _ratio(gradients: Tensor) -> float:
    """Of one layer, gradients stacked; where all are 0, as if they were at right angles."""
    single = gradients.double().square().sum()
    together = gradients.double().sum(0).square().sum()
    return float(single / together) if together > 0 else 1.0
