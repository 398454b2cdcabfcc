"""Exact accumulators on any device: matrix products in float32 whose sums stay within 2^24, added in float64.

Convolutions of other devices may be Winograd's or Fourier's, which round; a matrix product adds products, in some
order. The widths of the codes alone bound its sums, so that no number is read back from the device:

    terms that float32 adds exactly = ⌊2^24 / (max|a| · max|b|)⌋;   with fewer than LEAST_TERMS, float64 does it all

TensorFloat-32, which rounds operands to 11 bits, is off meanwhile. With `as_elsewhere` the CPU takes the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.nn import functional

from host.compiler.layer import Conv, Pass

EXACT_FLOAT32 = 1 << 24
LEAST_TERMS = 16
MOST_RESULTS = 1 << 26  # of partial sums of a weight gradient that are held at a time

_elsewhere = _all_in_float64 = False


def is_elsewhere(values: Tensor) -> bool:
    """Whether this tensor's products go the way of other devices."""
    return _elsewhere or values.device.type != "cpu"


@contextmanager
def as_elsewhere(in_float64: bool = False) -> Iterator[None]:
    """The CPU's tensors are computed as those of other devices, without the C++ kernels and float convolutions.

    All sums in float64, if asked for: that is the yardstick of `cpt verify`.
    """
    global _elsewhere, _all_in_float64
    before = _elsewhere, _all_in_float64
    _elsewhere, _all_in_float64 = True, in_float64
    try:
        yield
    finally:
        _elsewhere, _all_in_float64 = before


def exact_terms(greatest: int) -> int:
    """How many products up to `greatest` float32 adds exactly; 0 where float64 should."""
    terms = EXACT_FLOAT32 // greatest
    return 0 if _all_in_float64 or terms < LEAST_TERMS else terms


def read(value: Tensor) -> float:
    """A number of a device: the one place where the host waits for it."""
    return float(value.item())


@contextmanager
def full_float32() -> Iterator[None]:
    """Float32 products of all 24 bits, whatever the user has allowed."""
    matmul = torch.backends.cuda.matmul
    before = matmul.fp32_precision
    matmul.fp32_precision = "ieee"
    try:
        yield
    finally:
        matmul.fp32_precision = before


def multiply(a: Tensor, b: Tensor, greatest: int) -> Tensor:
    """a (..., m, k) times b (..., k, n), exactly; `greatest` bounds the product of two codes. May be float64."""
    terms = exact_terms(greatest)
    if not terms:
        return a.double() @ b.double()
    with full_float32():
        if a.shape[-1] <= terms:
            return a @ b
        pieces = zip(a.split(terms, dim=-1), b.split(terms, dim=-2), strict=True)
        first, *rest = ((left @ right).double() for left, right in pieces)
    for piece in rest:
        first += piece
    return first


def columns_of(layer: Conv, x: Tensor) -> Tensor:
    """What each result's product reads of the input: (n, in · taps, pixels)."""
    rows, columns = layer.padding
    windows = functional.pad(x, (columns, columns, rows, rows)).unfold(2, layer.kernel[0], layer.stride[0])
    windows = windows.unfold(3, layer.kernel[1], layer.stride[1])  # (n, in, y, x, taps of rows, of columns)
    return windows.permute(0, 1, 4, 5, 2, 3).flatten(1, 3).flatten(2)


def convolve(layer: Conv, which: Pass, a: Tensor, b: Tensor, greatest: int) -> Tensor:
    """Σ of products of codes of the forward or input-error pass; weights in the layer's shape."""
    weights = b.reshape(layer.groups, layer.out_channels // layer.groups, -1)  # (g, out, in · taps)
    if which is Pass.FORWARD:
        columns = columns_of(layer, a)
        y = multiply(weights, columns.unflatten(1, (layer.groups, -1)), greatest)
        return y.flatten(1, 2).unflatten(2, (layer.out_height, layer.out_width))
    errors = a.reshape(a.shape[0], layer.groups, layer.out_channels // layer.groups, -1)
    columns = multiply(weights.mT, errors, greatest).flatten(1, 2)
    if (
        columns.dtype == torch.float32
        and greatest * weights.shape[1] * layer.kernel[0] * layer.kernel[1] > EXACT_FLOAT32
    ):
        columns = columns.double()  # the taps of a pixel add up to more
    size = layer.height, layer.width
    return functional.fold(columns, size, layer.kernel, padding=layer.padding, stride=layer.stride)


def weight_gradient(layer: Conv, x: Tensor, e: Tensor, greatest: int) -> Tensor:
    """Σ of products over images and pixels, in float64, in the shape of the weights."""
    columns = columns_of(layer, x)
    columns = columns.unflatten(1, (layer.groups, -1)).permute(1, 0, 3, 2).flatten(1, 2)  # (g, n · pixels, in · taps)
    errors = e.reshape(e.shape[0], layer.groups, layer.out_channels // layer.groups, -1)
    errors = errors.permute(1, 2, 0, 3).flatten(2, 3)  # (g, out, n · pixels)
    terms = exact_terms(greatest)
    if not terms:
        return (errors.double() @ columns.double()).reshape(layer.weight_shape)
    missing = -columns.shape[1] % terms if columns.shape[1] > terms else 0
    columns, errors = functional.pad(columns, (0, 0, 0, missing)), functional.pad(errors, (0, missing))
    terms = min(terms, columns.shape[1])
    left, right = errors.unflatten(2, (-1, terms)).transpose(1, 2), columns.unflatten(1, (-1, terms))
    at_a_time = max(1, MOST_RESULTS // (left.shape[2] * right.shape[3] * layer.groups))
    total = torch.zeros(layer.groups, left.shape[2], right.shape[3], dtype=torch.float64, device=x.device)
    with full_float32():
        for some, others in zip(left.split(at_a_time, dim=1), right.split(at_a_time, dim=1), strict=True):
            total += (some @ others).sum(1, dtype=torch.float64)
    return total.reshape(layer.weight_shape)
