"""Range batch normalisation (Banner et al. 2018): the spread of a batch from its extremes instead of its squares.

y = weight · (x − mean) / sqrt(v + eps) + bias, with v = (C(n) · range)². The range, max − min, is a mean over `chunks`
equal parts of the batch, n values each. Two constants C(n):

- "paper": 1 / sqrt(2 ln n). On Gaussian data C · range is not 1 standard deviation, but 1.5 (n = 16) to 1.8
  (n = 16,384); `weight` learns that.
- "gaussian": 1 / (expected range of n standard normal values), so C · range is the standard deviation itself.

`running_var` holds the running mean of v, so evaluation is plain batch normalisation and a checkpoint loads both ways.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def paper_constant(n: int) -> float:
    """C(n) as the paper has it.

    >>> round(paper_constant(512), 4)
    0.2831
    """
    return 1 / math.sqrt(2 * math.log(n))


@lru_cache(maxsize=256)
def gaussian_constant(n: int) -> float:
    """C(n) that makes the range an unbiased estimate of a Gaussian's standard deviation.

    The expected range of n standard normal values is ∫ 1 − Φ(x)^n − (1 − Φ(x))^n dx.

    >>> [round(1 / gaussian_constant(n), 3) for n in (2, 5, 25)]  # the d2 of control charts
    [1.128, 2.326, 3.931]
    """
    x = torch.linspace(-12, 12, 24_001, dtype=torch.float64)
    above, below = torch.exp(n * torch.special.log_ndtr(x)), torch.exp(n * torch.special.log_ndtr(-x))
    return 1 / float(torch.trapezoid(1 - above - below, x))


CONSTANTS: dict[str, Callable[[int], float]] = {"paper": paper_constant, "gaussian": gaussian_constant}


class RangeBatchNorm2d(nn.BatchNorm2d):
    """`nn.BatchNorm2d` that trains by ranges; parameters, buffers and momentum are those of its parent.

    The batch is cut along its first axis into the most equal parts there are up to `chunks`. Values all equal give
    `bias`. Fewer than two values in a channel are refused in training, as by the parent.

    >>> layer = RangeBatchNorm2d(3, chunks=4)
    >>> layer(torch.randn(8, 3, 5, 5)).shape
    torch.Size([8, 3, 5, 5])
    """

    def __init__(self, num_features: int, chunks: int = 16, constant: str = "paper", eps: float = 1e-5) -> None:
        super().__init__(num_features, eps)
        _configure(self, chunks, constant)

    chunks: int
    constant: str

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        if not self.training and self.running_mean is not None:
            return F.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
        mean, variance = input.mean((0, 2, 3)), self._variance(input)
        if self.training:
            self._track(mean, variance)
        scale = torch.rsqrt(variance + self.eps)
        if self.weight is not None:
            scale = scale * self.weight
        output = (input - mean[:, None, None]) * scale[:, None, None]
        return output if self.bias is None else output + self.bias[:, None, None]

    def _variance(self, x: Tensor) -> Tensor:
        chunks = _parts(x.shape[0], self.chunks, per_image=x.shape[2] * x.shape[3])
        parts = x.unflatten(0, (chunks, -1))
        extremes = parts.amax((1, 3, 4)) - parts.amin((1, 3, 4))
        n = x.shape[0] // chunks * x.shape[2] * x.shape[3]
        return (CONSTANTS[self.constant](n) * extremes.mean(0)).square()

    @torch.no_grad()
    def _track(self, mean: Tensor, variance: Tensor) -> None:
        if self.running_mean is None or self.running_var is None or self.num_batches_tracked is None:
            return
        self.num_batches_tracked.add_(1)
        share = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), share)
        self.running_var.lerp_(variance.to(self.running_var.dtype), share)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, chunks={self.chunks}, constant={self.constant}"


def convert_range_norm_(model: nn.Module, chunks: int = 16, constant: str = "paper") -> nn.Module:
    """Makes every `nn.BatchNorm2d` of a model a range one, in place; parameters and statistics stay as they are.

    >>> model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
    >>> convert_range_norm_(model, chunks=8)  # doctest: +ELLIPSIS
    Sequential(
      (0): Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))
      (1): RangeBatchNorm2d(4, ..., chunks=8, constant=paper)
    )
    """
    layers = [module for module in model.modules() if type(module) is nn.BatchNorm2d]
    if not layers:
        raise ValueError("the model has no BatchNorm2d to convert")
    for layer in layers:
        _configure(layer, chunks, constant)
        layer.__class__ = RangeBatchNorm2d
    return model


def restore_batch_norm_(model: nn.Module) -> nn.Module:
    """Makes every range layer of a model `nn.BatchNorm2d` again, in place."""
    for module in model.modules():
        if type(module) is RangeBatchNorm2d:
            del module.chunks, module.constant
            module.__class__ = nn.BatchNorm2d  # type: ignore[assignment]
    return model


def _configure(layer: nn.Module, chunks: int, constant: str) -> None:
    if chunks < 1:
        raise ValueError(f"chunks = {chunks} is below 1")
    if constant not in CONSTANTS:
        raise ValueError(f"constant '{constant}' is unknown; there are: {', '.join(CONSTANTS)}")
    layer.chunks, layer.constant = chunks, constant  # type: ignore[assignment]


def _parts(images: int, chunks: int, per_image: int) -> int:
    """The most equal parts of a batch, at most `chunks`, that leave two values in each."""
    if images * per_image < 2:
        raise ValueError(f"a range needs 2 values per channel or more; the batch has {images * per_image}")
    return max(c for c in range(1, chunks + 1) if images % c == 0 and images // c * per_image >= 2)
