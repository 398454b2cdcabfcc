"""Crop, flip and normalise, beside the plain definition of each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import torch

from host.data.augment import Normalise, augment
from tests.cpt_model.data.small_sets import pixels


def plainly(image: npt.NDArray[np.uint8], chance: list[float], padding: int) -> npt.NDArray[np.uint8]:
    height, width = image.shape[:2]
    out = np.zeros_like(image)
    down, right = (int(number * (2 * padding + 1)) - padding for number in chance[:2])
    for y in range(height):
        for x in range(width):
            if 0 <= y + down < height and 0 <= x + right < width:
                column = width - 1 - x if chance[2] < 0.5 else x
                out[y, column] = image[y + down, x + right]
    return out


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("padding", [0, 2])
def test_agrees_with_the_plain_definition(channels: int, padding: int) -> None:
    images = pixels(24, 6, 5, channels)
    before = images.copy()
    chances = np.random.default_rng(2).random((24, 3))
    found = augment(images, chances, padding, flip=True)
    expected = [plainly(image, chance, padding) for image, chance in zip(images, chances.tolist(), strict=True)]
    assert np.array_equal(found, np.stack(expected))
    assert np.array_equal(images, before)


def test_every_place_and_both_sides_are_as_likely() -> None:
    mark = np.zeros((1, 9, 9, 1), np.uint8)
    mark[0, 4, 4] = 1
    chances = np.random.default_rng(0).random((10_000, 3))
    found = augment(np.repeat(mark, len(chances), 0), chances, 2, flip=False)
    counts = found.sum(0)[2:7, 2:7, 0].astype(np.int64)
    assert counts.shape == (5, 5)
    assert found.sum() == len(chances)
    assert np.abs(counts - 400).max() < 100
    corner = np.zeros((1, 3, 3, 1), np.uint8)
    corner[0, 0, 0] = 1
    flipped = augment(np.repeat(corner, len(chances), 0), chances, 0, flip=True)[:, 0, 2, 0].sum(dtype=np.int64)
    assert 4800 < flipped < 5200


def test_normalise_is_the_usual_formula_in_channels_last() -> None:
    mean, std = (0.5, 0.4, 0.3), (0.2, 0.25, 0.3)
    images = pixels(8)
    found = Normalise(mean, std, 32)(images)
    expected = (torch.from_numpy(images).double() / 255 - torch.tensor(mean)) / torch.tensor(std)
    assert found.shape == (8, 3, 32, 32)
    assert found.dtype == np.float32
    assert torch.from_numpy(found).is_contiguous(memory_format=torch.channels_last)
    assert torch.allclose(torch.from_numpy(found).double(), expected.permute(0, 3, 1, 2), atol=1e-5)
