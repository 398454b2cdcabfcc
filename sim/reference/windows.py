"""The two matrices that a command multiplies: result[m, n] = Σ_k A[m, k] · B[n, k].

The same functions serve codes and single bit planes, since all they do is move elements.

                 m                     n                 k
    CONV         image, y, x           output channel    input channel, ky, kx
    WGRAD        input channel, ky, kx output channel    image, y, x
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.contract import Command, Opcode


def windows(maps: npt.NDArray, command: Command) -> npt.NDArray:
    """Every window of maps (n, c, h, w), as (n, y, x, c, ky, kx): zero insertion, then padding, then stride."""
    n, c, h, w = maps.shape
    height, width = (h - 1) * command.up_y + 1, (w - 1) * command.up_x + 1
    padded = np.zeros(
        (n, c, command.pad_top + height + command.pad_bottom, command.pad_left + width + command.pad_right),
        dtype=maps.dtype,
    )
    inside = padded[:, :, command.pad_top :, command.pad_left :]
    inside[:, :, : height : command.up_y, : width : command.up_x] = maps
    kernel = (command.kernel_h, command.kernel_w)
    every = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(2, 3))  # type: ignore[call-overload]
    return every[:, :, :: command.stride_y, :: command.stride_x].transpose(0, 2, 3, 1, 4, 5)


def a_matrix(maps: npt.NDArray, command: Command) -> npt.NDArray:
    """Operand A (n, c, h, w) as the matrix A[m, k]."""
    view = windows(maps, command)
    n, y, x = view.shape[:3]
    rows = view.reshape(n * y * x, -1)
    return rows if command.opcode == Opcode.CONV else rows.T


def b_matrix(codes: npt.NDArray, command: Command) -> npt.NDArray:
    """Operand B (n, c, h, w) as the matrix B[n, k]."""
    if command.opcode == Opcode.CONV:
        return codes.reshape(codes.shape[0], -1)
    return codes.transpose(1, 0, 2, 3).reshape(codes.shape[1], -1)


def result_maps(result: npt.NDArray, command: Command) -> npt.NDArray:
    """result[m, n] as a tensor (images, channels, height, width): the map, or the gradient by input channel."""
    if command.opcode == Opcode.CONV:
        extents = (command.images, command.y_height, command.y_width)
    else:
        extents = (-1, command.kernel_h, command.kernel_w)
    return result.reshape(*extents, result.shape[1]).transpose(0, 3, 1, 2)
