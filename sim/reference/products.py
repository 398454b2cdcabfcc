"""Two formulations of a command's exact accumulators: by bit planes, as the hardware does, and by plain integers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.contract import CHANNEL_BLOCK, Command, Flag, unpack_planes
from sim.reference.windows import a_matrix, b_matrix

Planes = npt.NDArray[np.integer]
Accumulators = npt.NDArray[np.int64]

ONES_IN_BYTE = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def bit_serial(command: Command, a: Planes, b: Planes) -> tuple[Accumulators, Accumulators]:
    """result[m, n] and the row sums Σ_k A[m, k], by bit planes: a transcription of the contract.

    acc[m][n] += ± 2^(i+j) · popcount(A_i[m] & B_j[n]), minus for a signed operand's top plane.
    """
    a_planes = [np.packbits(a_matrix(plane, command), axis=1) for plane in plane_maps(a)]
    b_planes = [np.packbits(b_matrix(plane, command), axis=1) for plane in plane_maps(b)]
    accumulators = np.zeros((len(a_planes[0]), len(b_planes[0])), dtype=np.int64)
    sums = np.zeros((len(a_planes[0]), 1), dtype=np.int64)
    a_weights = plane_weights(command.a_bits, command.flag(Flag.A_SIGNED))
    b_weights = plane_weights(command.b_bits, command.flag(Flag.B_SIGNED))
    for a_weight, a_plane in zip(a_weights, a_planes, strict=True):
        sums[:, 0] += a_weight * ONES_IN_BYTE[a_plane].sum(axis=1, dtype=np.int64)
        for b_weight, b_plane in zip(b_weights, b_planes, strict=True):
            for n, column in enumerate(b_plane):
                ones = ONES_IN_BYTE[a_plane & column].sum(axis=1, dtype=np.int64)
                accumulators[:, n] += a_weight * b_weight * ones
    return accumulators, sums


def plane_weights(bits: int, signed: bool) -> list[int]:
    """The value of each plane's bit: powers of two, the top one negative when signed."""
    weights = [1 << bit for bit in range(bits)]
    return [*weights[:-1], -weights[-1]] if signed else weights


def plane_maps(planes: Planes) -> list[npt.NDArray[np.uint8]]:
    """Each bit plane of (n, blocks, h, bits, w) as a map (n, c, h, w) of zeros and ones."""
    n, blocks, h, bits, w = planes.shape
    ones = planes[..., None] >> np.arange(CHANNEL_BLOCK, dtype=np.uint16) & np.uint16(1)
    maps = ones.transpose(3, 0, 1, 5, 2, 4).reshape(bits, n, blocks * CHANNEL_BLOCK, h, w)
    return list(maps.astype(np.uint8))


def plain_integer(command: Command, a: Planes, b: Planes) -> tuple[Accumulators, Accumulators]:
    """The same by one matrix product of codes.

    It runs in float64, which is exact here: the contract keeps every partial sum below 2^47.
    """
    a_codes = unpack_planes(a, a.shape[1] * CHANNEL_BLOCK, command.flag(Flag.A_SIGNED))
    b_codes = unpack_planes(b, b.shape[1] * CHANNEL_BLOCK, command.flag(Flag.B_SIGNED))
    left = a_matrix(a_codes.astype(np.float64), command)
    right = b_matrix(b_codes.astype(np.float64), command)
    return (left @ right.T).astype(np.int64), left.sum(axis=1, keepdims=True).astype(np.int64)
