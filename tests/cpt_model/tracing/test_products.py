"""Every way PyTorch has to multiply matrices, counted by the loops it stands for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from cpt_model.tracing.products import Products


def ones(*shape: int) -> Tensor:
    return torch.ones(*shape)


@pytest.mark.parametrize(
    ("job", "macs"),
    [
        (lambda: ones(2, 3) @ ones(3, 4), 2 * 3 * 4),
        (lambda: ones(5, 2, 3) @ ones(3, 4), 5 * 2 * 3 * 4),
        (lambda: ones(5, 2, 3) @ ones(5, 3, 4), 5 * 2 * 3 * 4),
        (lambda: ones(2, 3) @ ones(3), 2 * 3),
        (lambda: ones(3) @ ones(3), 3),
        (lambda: torch.addmm(ones(2, 4), ones(2, 3), ones(3, 4)), 2 * 3 * 4),
        (lambda: torch.addmv(ones(2), ones(2, 3), ones(3)), 2 * 3),
        (lambda: torch.baddbmm(ones(5, 2, 4), ones(5, 2, 3), ones(5, 3, 4)), 5 * 2 * 3 * 4),
        (lambda: torch.addbmm(ones(2, 4), ones(5, 2, 3), ones(5, 3, 4)), 5 * 2 * 3 * 4),
        (lambda: torch.einsum("abc,cd->abd", ones(5, 2, 3), ones(3, 4)), 5 * 2 * 3 * 4),
        (lambda: torch.nn.functional.linear(ones(5, 2, 3), ones(4, 3), ones(4)), 5 * 2 * 3 * 4),
        (lambda: torch.nn.functional.conv2d(ones(5, 4, 6, 6), ones(8, 2, 3, 3), groups=2), 5 * 8 * 4 * 4 * 2 * 9),
        (lambda: ones(2, 3) * ones(2, 3) + 1, 0),
    ],
)
def test_products(job: Callable[[], Tensor], macs: int) -> None:
    seen: list[int] = []
    with Products(lambda name, count, _: seen.append(count or 0)):
        job()
    assert sum(seen) == macs


def test_a_kernel_not_known_is_told() -> None:
    seen: list[tuple[str, int | None]] = []
    with Products(lambda name, count, _: seen.append((name, count))):
        torch.nn.functional.bilinear(ones(2, 3), ones(2, 4), ones(5, 3, 4))
    assert seen == [("_trilinear", None)]
