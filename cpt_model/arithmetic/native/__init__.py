"""C++ kernels on dense float32 tensors (n, c, h, w): ranges, codes, products of codes, and results made of them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from cpt_model.arithmetic.any_device import is_elsewhere
from cpt_model.arithmetic.native.library import has_bytes as library_has_bytes
from cpt_model.arithmetic.native.library import load

# The kernels write into these: PyTorch's default type and device, which users may change, must not matter.
_FLOAT32: dict[str, Any] = {"dtype": torch.float32, "device": "cpu"}


MANY_WEIGHTS = 1 << 18  # from here on a second thread is worth waking
MOST_BYTE_PIXELS = ((1 << 31) - 1) // (4 * 255 * 128)  # products of bytes of four images fit 32 bits together


def usable(values: Tensor) -> bool:
    """Whether the kernels take this tensor: else PyTorch operations do the same."""
    return not is_elsewhere(values) and values.dtype == torch.float32 and values.numel() > 0 and load() is not None


def has_bytes() -> bool:
    """Whether the processor, and so the library, multiplies bytes."""
    library = load()
    return library is not None and library_has_bytes(library)


def _demand_bytes() -> None:
    if not has_bytes():
        raise ValueError("this CPU has no VNNI instructions")


def dense(values: Tensor) -> Tensor:
    """The tensor itself if its memory is dense in one of the two formats, else a copy."""
    if values.is_contiguous(memory_format=torch.channels_last) or values.is_contiguous():
        return values
    return values.contiguous()


def channels_last(values: Tensor) -> bool:
    """Prefers channels-last where both formats describe the memory (one channel, or one pixel)."""
    return values.is_contiguous(memory_format=torch.channels_last)


def value_range(values: Tensor) -> tuple[float, float] | None:
    """Least and greatest value, or nothing if one is not finite."""
    library = load()
    assert library is not None
    low, high = ctypes.c_float(), ctypes.c_float()
    bad = library.cpt_range(
        values.data_ptr(), values.numel(), torch.get_num_threads(), ctypes.byref(low), ctypes.byref(high)
    )
    return None if bad else (low.value, high.value)


def codes(
    values: Tensor, low: float, scale: float, levels: int, zero: int, keys: tuple[int, int] | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Codes minus `zero`; their sums by pixel (n, 1, h, w) and over the batch (1, c, h, w)."""
    library = load()
    assert library is not None
    images, channels, height, width = values.shape
    last = channels_last(values)
    memory_format = torch.channels_last if last else torch.contiguous_format
    out = torch.empty_like(values)
    by_pixel = torch.empty(images, 1, height, width, **_FLOAT32)
    over_batch = torch.empty((1, channels, height, width), memory_format=memory_format, **_FLOAT32)
    library.cpt_codes(
        *(values.data_ptr(), out.data_ptr(), images, channels, height * width, last),
        *(low, scale, levels, zero, keys is not None, *(keys or (0, 0))),
        *(by_pixel.data_ptr(), over_batch.data_ptr(), torch.get_num_threads()),
    )
    return out, by_pixel, over_batch


def weights(values: Tensor, bits: int, by_input: bool) -> tuple[Tensor, Tensor, Tensor, Tensor, float] | None:
    """Signed codes (out, in, kh, kw) in the weights' memory format; scale and offset (c, 1, 1, 1) of the pass's output
    channels; sums by tap (kh, kw, c); the greatest sum of magnitudes. Nothing if a range is not finite.
    """
    library = load()
    assert library is not None
    values = dense(values)
    outs, ins, *kernel = values.shape
    channels = ins if by_input else outs
    codes = torch.empty_like(values)
    scale, offset = (torch.empty(channels, 1, 1, 1, **_FLOAT32) for _ in range(2))
    tap_sums = torch.empty(*kernel, channels, dtype=torch.float64, device="cpu")
    greatest = ctypes.c_double()
    threads = torch.get_num_threads() if values.numel() >= MANY_WEIGHTS else 1
    bad = library.cpt_weights(
        *(values.data_ptr(), codes.data_ptr(), outs, ins, kernel[0] * kernel[1], channels_last(values), by_input),
        *((1 << bits) - 1, 1 << bits - 1),
        *(scale.data_ptr(), offset.data_ptr(), tap_sums.data_ptr(), ctypes.byref(greatest), threads),
    )
    return None if bad else (codes, scale, offset, tap_sums, greatest.value)


@dataclass(frozen=True)
class Finishing:
    """What makes results of a forward or (transposed) input-error pass's accumulators, as `finish.h` says.

    `geometry` is kernel, stride, padding, size and output size of rows, then of columns; `a` and `b` are scale and
    offset of activations or errors, and of weights. Accumulators are rounded to multiples of 2^shift.
    """

    geometry: tuple[int, ...]
    transposed: bool
    pixels: Tensor
    terms: int
    tap_sums: Tensor
    a: tuple[float, float]
    b: tuple[Tensor, Tensor]
    zero: int
    shift: int = 0

    def tensors(self, channels: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Sums by pixel, sums by tap, scale and offset of the weights: dense, for as long as the caller keeps them."""
        scale, offset = (each.reshape(-1).expand(channels).contiguous() for each in self.b)
        return self.pixels.float().contiguous(), self.tap_sums.float().contiguous(), scale, offset

    @property
    def shape(self) -> ctypes.Array[ctypes.c_int64]:
        return (ctypes.c_int64 * 10)(*self.geometry)


def product(a: Tensor, weights: Tensor, finishing: Finishing, lift: int | None = None) -> Tensor:
    """A dense layer's forward or input-error pass: codes to float32 results, channels-last. No sum may exceed 2^24.

    With a `lift`, bytes are multiplied: a + lift must be unsigned ones and the weights signed. Without, input errors
    are those at stride 1.
    """
    library = load()
    assert library is not None
    geometry, transposed = finishing.geometry, finishing.transposed
    if not channels_last(a) or (lift is None and transposed and (geometry[1], geometry[6]) != (1, 1)):
        raise ValueError("the C++ product takes channels-last codes, and of input errors those at stride 1")
    outs, ins = weights.shape[:2]
    channels = ins if transposed else outs
    height, width = (geometry[axis + (3 if transposed else 4)] for axis in (0, 5))
    weights = dense(weights)
    pixels, tap_sums, scale, offset = finishing.tensors(channels)
    y = torch.empty((a.shape[0], channels, height, width), memory_format=torch.channels_last, **_FLOAT32)
    operands = (
        *(a.data_ptr(), weights.data_ptr(), channels_last(weights), y.data_ptr(), a.shape[0], outs, ins, transposed),
        *(finishing.shape, pixels.data_ptr(), tap_sums.data_ptr(), *finishing.a),
        *(scale.data_ptr(), offset.data_ptr(), finishing.zero, finishing.shift),
    )
    if lift is None:
        library.cpt_product(*operands, torch.get_num_threads())
    else:
        _demand_bytes()
        library.cpt_byte_product(*operands, lift, torch.get_num_threads())
    return y


def finish_(acc: Tensor, finishing: Finishing) -> Tensor:
    """Accumulators of a forward or input-error pass to float32 results, in place."""
    library = load()
    assert library is not None
    images, channels = acc.shape[:2]
    pixels, tap_sums, scale, offset = finishing.tensors(channels)
    library.cpt_finish(
        *(acc.data_ptr(), images, channels, channels_last(acc), finishing.transposed, finishing.shape),
        *(pixels.data_ptr(), finishing.terms, tap_sums.data_ptr(), *finishing.a),
        *(scale.data_ptr(), offset.data_ptr(), finishing.zero, finishing.shift, torch.get_num_threads()),
    )
    return acc


def gradient(
    x: Tensor, error: Tensor, weight_shape: tuple[int, int, int, int], geometry: tuple[int, ...], greatest: int
) -> Tensor:
    """Accumulators of a dense layer's weight gradient, in float64; `greatest` bounds the product of two codes."""
    library = load()
    assert library is not None
    if greatest > 1 << 24 or greatest * error.shape[2] * error.shape[3] >= 1 << 31:
        raise ValueError(f"products of codes up to {greatest} do not fit the C++ gradient: 2^24, and 2^31 for an image")
    x, error = dense(x), dense(error)
    out = torch.empty(weight_shape, dtype=torch.float64, device="cpu")
    library.cpt_gradient(
        *(x.data_ptr(), channels_last(x), error.data_ptr(), channels_last(error), out.data_ptr(), x.shape[0]),
        *(*weight_shape[:2], (ctypes.c_int64 * 10)(*geometry), greatest, torch.get_num_threads()),
    )
    return out


def byte_gradient(
    x: Tensor,
    error: Tensor,
    weight_shape: tuple[int, int, int, int],
    geometry: tuple[int, ...],
    x_signed: bool,
    lift: int,
) -> Tensor:
    """Accumulators of a dense layer's weight gradient, of error + lift, in float64.

    x are signed bytes and error + lift unsigned ones, or the reverse.
    """
    library = load()
    assert library is not None
    _demand_bytes()
    if error.shape[2] * error.shape[3] > MOST_BYTE_PIXELS:
        raise ValueError(f"products of bytes over more than {MOST_BYTE_PIXELS} pixels do not fit the C++ gradient")
    x, error = dense(x), dense(error)
    out = torch.empty(weight_shape, dtype=torch.float64, device="cpu")
    library.cpt_byte_gradient(
        *(x.data_ptr(), channels_last(x), error.data_ptr(), channels_last(error), out.data_ptr(), x.shape[0]),
        *(*weight_shape[:2], (ctypes.c_int64 * 10)(*geometry), x_signed, lift, torch.get_num_threads()),
    )
    return out


def finish_gradient(
    acc: Tensor,
    images: int,
    geometry: tuple[int, ...],
    maps: tuple[Tensor, Tensor],
    x: tuple[float, float],
    error: tuple[float, float],
    zero: int,
    lacking: int,
) -> Tensor:
    """Accumulators (float64) of a weight gradient to float32; `maps` are both operands' codes summed over the batch.

    The errors' sums lack `zero` in each code, those in the accumulators lack `lacking`.
    """
    library = load()
    assert library is not None
    acc = acc.contiguous()
    outs, ins = acc.shape[:2]
    gradient = torch.empty(acc.shape, **_FLOAT32)
    operands = [argument for each in map(dense, maps) for argument in (each.data_ptr(), channels_last(each))]
    library.cpt_finish_gradient(
        *(acc.data_ptr(), gradient.data_ptr(), images, outs, ins, (ctypes.c_int64 * 10)(*geometry)),
        *(*operands, *x, *error, zero, lacking),
    )
    return gradient
