"""Sums over taps inside the image, against loops over every tap and pixel."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from cpt_model.arithmetic.taps import _axis, between, by_tap


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 4), st.integers(1, 9))
def test_connections_of_one_axis(kernel: int, stride: int, padding: int, size: int) -> None:
    padding = min(padding, kernel - 1)
    out_size = (size + 2 * padding - kernel) // stride + 1
    if out_size < 1:
        return
    axis = _axis(kernel, stride, padding, size, out_size)
    reads = [(tap, out, out * stride + tap - padding) for tap in range(kernel) for out in range(out_size)]
    reads = [read for read in reads if 0 <= read[2] < size]
    for matrix, row, column in ((axis.connects, 1, 2), (axis.used, 0, 2), (axis.inside, 0, 1)):
        expected = torch.zeros_like(matrix)
        for read in reads:
            expected[read[row], read[column]] += 1
        assert torch.equal(matrix, expected)


def test_sums_by_tap_and_between() -> None:
    generator = torch.Generator().manual_seed(0)
    maps = torch.randint(-9, 9, (4, 5, 6), generator=generator).double()
    rows, columns = (torch.randint(0, 2, shape, generator=generator).double() for shape in ((3, 5), (2, 6)))
    expected = torch.einsum("kh,chw,lw->ckl", rows, maps, columns)
    assert torch.equal(by_tap(rows, maps, columns), expected)
    assert torch.equal(between(rows.mT, maps, columns.mT), expected)
