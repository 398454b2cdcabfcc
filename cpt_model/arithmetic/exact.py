"""Exact accumulators of the three passes by float convolutions: when PyTorch's are, and when the C++ kernels' are.

float32 holds whole numbers up to 2^24. Every partial sum, in any order, lies between the sum of the negative terms and
that of the positive ones, and what is known of the codes bounds these. Where the bound stays below 2^24, a float32
convolution of codes is exact. Else the sum is split, and the parts are added in float64; where no split helps,
everything runs in float64, exact up to 2^53. Weight gradients of narrow codes have a C++ kernel of their own, which
sums so few pixels in float32 that their widths alone are bound enough. Codes of up to 8 bits are multiplied as bytes
where the processor can: one operand unsigned, the other signed, so that codes of the wrong sign are lifted by a
constant. Those sums are exact modulo 2^32, and their results fit.

    forward, input error   Σ|a·b| ≤ max|a| · max over output channels of Σ|b|
    weight gradient        for each part of the batch, with ‖a⁺‖ = √(Σa²) of an image's positive codes, ‖a⁻‖ of its
                           negative ones (Cauchy-Schwarz):
                           positive terms ≤ Σ over images of ‖a⁺‖·‖b⁺‖ + ‖a⁻‖·‖b⁻‖
                           negative terms ≤ Σ over images of ‖a⁺‖·‖b⁻‖ + ‖a⁻‖·‖b⁺‖ in magnitude

Results leave in the type they were computed in, so float64 means "may exceed 2^24".
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from cpt_model.arithmetic import any_device, native
from cpt_model.arithmetic.affine import EXACT_FLOAT32, Quantised
from cpt_model.arithmetic.float32_probe import float32_is_exact
from host.compiler.layer import Conv, Pass

MOST_PARTS = 16  # more parts than these are slower than float64
# Below these, in pixels, PyTorch's convolutions are taken. Guesses: the layers of `cpt bench train` lie far above.
LEAST_TILE = 64  # that add up in float32 in the C++ gradient
LEAST_MAP = 16  # results of an image


def convolve(layer: Conv, which: Pass, a: Quantised, b: Quantised, weight_sum: float) -> Tensor:
    """Σ of stored codes of the forward or input-error pass. Weights are given in the layer's shape; `weight_sum` is the
    greatest Σ |weight| of an output channel of the pass.
    """
    if any_device.is_elsewhere(a.codes):
        return any_device.convolve(layer, which, a.codes, b.codes, greatest_code(a) * b.greatest)
    greatest, parts = greatest_code(a), parts_of(a, weight_sum)
    k_axis = 1 if which is Pass.FORWARD else 0  # of the weights; layers with groups are not split
    if not float32_is_exact() or (parts > 1 and (parts > MOST_PARTS or layer.groups > 1)):
        return _run(layer, which, a.codes.double(), b.codes.double())
    if parts == 1:
        return _run(layer, which, a.codes, b.codes)
    pieces = zip(a.codes.chunk(parts, dim=1), b.codes.chunk(parts, dim=k_axis), strict=True)
    total = torch.zeros((), dtype=torch.float64)
    for a_piece, b_piece in pieces:
        piece_bound = greatest * greatest_weight_sum(which, b_piece)
        exact = piece_bound <= EXACT_FLOAT32
        operands = (a_piece, b_piece) if exact else (a_piece.double(), b_piece.double())
        total = total + _run(layer, which, *operands).double()
    return total


def greatest_code(a: Quantised) -> int:
    """Bounds stored codes and the contract's: sums of both must be exact."""
    return a.greatest + abs(a.zero)


def parts_of(a: Quantised, weight_sum: float) -> int:
    """Into how many parts a product's sums are split so that each is exact in float32."""
    return max(1, math.ceil(greatest_code(a) * weight_sum / EXACT_FLOAT32))


def weight_gradient(layer: Conv, x: Quantised, e: Quantised) -> Tensor:
    """Σ of products of stored codes over images and pixels, in float64, in the shape of the weights."""
    if any_device.is_elsewhere(x.codes):
        return any_device.weight_gradient(layer, x.codes, e.codes, x.greatest * e.greatest)
    if suits_native_gradient(layer, x, e):
        return native.gradient(x.codes, e.codes, layer.weight_shape, geometry_numbers(layer), x.greatest * e.greatest)
    if float32_is_exact():
        norms = x.norms, e.norms
        pixels = max(layer.height * layer.width, layer.out_height * layer.out_width)
        rounding = 1 + (pixels + 4 * layer.batch) * 2.0**-23  # norms and bounds are sums in float32
        for parts in (1, 2, 4, 8, MOST_PARTS):  # few different sizes: oneDNN compiles a kernel for each
            size = math.ceil(layer.batch / parts)
            if _greatest_bound(*norms, size) * rounding <= EXACT_FLOAT32:
                first, *rest = (
                    _gradient(layer, *piece) for piece in zip(x.codes.split(size), e.codes.split(size), strict=True)
                )
                total = first.double()
                for piece in rest:
                    total += piece
                return total
            if size == 1:
                break
    return _gradient(layer, x.codes.double(), e.codes.double())


def geometry_numbers(layer: Conv) -> tuple[int, ...]:
    """Kernel, stride, padding, size and output size of rows, then of columns: what the C++ kernels take."""
    axes = zip(layer.kernel, layer.stride, layer.padding, layer.input_shape[2:], layer.output_shape[2:], strict=True)
    return tuple(number for axis in axes for number in axis)


def lift_to_bytes(a: Quantised, b: Quantised) -> int | None:
    """What makes unsigned bytes of a's stored codes and of 0, which pads them, if b's are signed bytes.

    Nothing where bytes are not multiplied.
    """
    low, high = min(a.least, 0), max(a.most, 0)
    narrow = high - low <= 255 and b.bits <= 8 and b.signed and not b.zero
    return -low if narrow and native.has_bytes() else None


def suits_native_product(layer: Conv, which: Pass, a: Quantised, weight_sum: float, bytes_suit: bool) -> bool:
    """Channels-last maps of dense layers, sums that need no splitting; unless as bytes, no zeros between codes.

    Where both memory formats describe the codes, PyTorch chooses the one of the result.
    """
    straight = bytes_suit or which is Pass.FORWARD or layer.stride == (1, 1)
    pixels = layer.out_height * layer.out_width if which is Pass.FORWARD else layer.height * layer.width
    in_order = native.channels_last(a.codes) and not a.codes.is_contiguous()
    suits = straight and in_order and pixels >= LEAST_MAP and layer.groups == 1 and parts_of(a, weight_sum) == 1
    return suits and native.usable(a.codes)


def suits_native_gradient(layer: Conv, x: Quantised, e: Quantised) -> bool:
    """Codes narrow enough for tiles of some size, and for an image's sum in 32 bits; dense layers on maps."""
    greatest, pixels = x.greatest * e.greatest, layer.out_height * layer.out_width
    fits = greatest * LEAST_TILE <= EXACT_FLOAT32 and greatest * pixels < 1 << 31
    return fits and layer.groups == 1 and pixels >= LEAST_MAP and native.usable(x.codes) and native.usable(e.codes)


def lift_errors_to_bytes(layer: Conv, x: Quantised, e: Quantised) -> int | None:
    """What makes bytes of the error's stored codes: signed ones, or unsigned ones where activations are signed. Nothing
    where the weight gradient is not one of bytes: else it is for dense layers on maps, four of which fit 32 bits.
    """
    pixels = layer.out_height * layer.out_width
    narrow = x.bits <= 8 and e.bits <= 8 and not x.zero
    suits = narrow and layer.groups == 1 and LEAST_MAP <= pixels <= native.MOST_BYTE_PIXELS and native.has_bytes()
    if not suits or not native.usable(x.codes) or not native.usable(e.codes):
        return None
    return -e.least - (0 if x.signed else 128)


def byte_gradient(layer: Conv, x: Quantised, e: Quantised, lift: int) -> Tensor:
    """Σ x·(e + lift) of stored codes, as `weight_gradient`; the lift is `lift_errors_to_bytes`'."""
    return native.byte_gradient(x.codes, e.codes, layer.weight_shape, geometry_numbers(layer), x.signed, lift)


def greatest_weight_sum(which: Pass, weights: Tensor, groups: int = 1) -> float:
    """The greatest Σ |weight| of an output channel of the pass; unused on other devices."""
    if any_device.is_elsewhere(weights):
        return math.inf
    if which is Pass.FORWARD:
        return weights.abs().sum((1, 2, 3), dtype=torch.float64).max().item()
    by_group = weights.abs().sum((2, 3), dtype=torch.float64).unflatten(0, (groups, -1))
    return by_group.sum(1).max().item()


def _greatest_bound(of_x: Tensor, of_e: Tensor, size: int) -> float:
    """The greatest sum of terms of one sign, of all pairs of channels and all parts of `size` images."""
    missing = -len(of_x) % size
    same_and_other_sign = torch.cat([of_e, of_e.flip(1)], dim=2)
    x, e = (
        functional.pad(each, (0, 0, 0, 0, 0, missing)).view(-1, 2 * size, each.shape[2])
        for each in (of_x, same_and_other_sign)
    )
    return torch.bmm(x.mT, e).max().item()


def _run(layer: Conv, which: Pass, a: Tensor, b: Tensor) -> Tensor:
    if which is Pass.FORWARD:
        return functional.conv2d(a, b, None, layer.stride, layer.padding, groups=layer.groups)
    return _backward(layer, a, None, b, (True, False, False))


def _gradient(layer: Conv, x: Tensor, e: Tensor) -> Tensor:
    if layer.kernel == (1, 1) and layer.stride != (1, 1) and layer.in_channels % 8:
        x, e = x.contiguous(), e.contiguous()  # channels-last, PyTorch 2.13 writes past the end of its memory here
    return _backward(layer, e, x, None, (False, True, False))


def _backward(
    layer: Conv, e: Tensor, x: Tensor | None, weights: Tensor | None, mask: tuple[bool, bool, bool]
) -> Tensor:
    """One product of the convolution's backward step; the operand that is not asked for only lends its shape."""
    layout = torch.channels_last if e.is_contiguous(memory_format=torch.channels_last) else torch.contiguous_format
    if x is None:
        shape = (e.shape[0], layer.in_channels, layer.height, layer.width)
        x = torch.empty(shape, dtype=e.dtype, device=e.device, memory_format=layout)
    if weights is None:
        weights = torch.empty(layer.weight_shape, dtype=e.dtype, device=e.device, memory_format=layout)
    input_error, gradient, _ = torch.ops.aten.convolution_backward(
        e, x, weights, None, layer.stride, layer.padding, (1, 1), False, (0, 0), layer.groups, mask
    )
    return input_error if mask[0] else gradient
