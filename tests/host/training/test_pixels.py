"""Packing by a table, in NumPy and in C: what augmenting, normalising, quantising and packing in turn gives."""

from __future__ import annotations

import numpy as np
import pytest

from host.compiler.step.images import IMAGE_RANGE, image_codes
from host.data.images import ImageData, Images
from host.training import pixels
from host.training.pixels import PixelPacker
from sim.contract import pack_planes


def drawn(shape: tuple[int, int, int, int], padding: int, flip: bool, seed: int = 0) -> ImageData:
    rng = np.random.default_rng(seed)
    images = Images(rng.integers(0, 256, shape, dtype=np.uint8), rng.integers(0, 10, shape[0]))
    means, stds = (0.4914, 0.4822, 0.4465)[: shape[3]], (0.2470, 0.2435, 0.2616)[: shape[3]]
    return ImageData("drawn", 10, means, stds, images, images, padding, flip)


@pytest.mark.parametrize("native", [True, False], ids=["c", "numpy"])
@pytest.mark.parametrize("augmented", [True, False])
@pytest.mark.parametrize(
    ("shape", "padding", "flip"),
    [((40, 32, 32, 3), 4, True), ((9, 8, 8, 1), 0, False), ((9, 28, 27, 1), 2, True), ((5, 6, 7, 2), 3, False)],
)
def test_the_planes_are_those_of_the_long_way(native, augmented, shape, padding, flip, monkeypatch) -> None:
    if native and pixels.library() is None:
        pytest.skip("no C compiler")
    data, rng = drawn(shape, padding, flip), np.random.default_rng(1)
    rows = rng.permutation(shape[0])
    drawn_chances = rng.random((shape[0], 3))
    drawn_chances[0], drawn_chances[1] = 0.0, 1 - 2.0**-53  # both ends
    chances = drawn_chances if augmented else None
    if not native:
        monkeypatch.setattr(pixels, "library", lambda: None)
    found = PixelPacker(data, IMAGE_RANGE).training(rows, chances)
    expected = pack_planes(image_codes(data.training(rows, chances), IMAGE_RANGE), 8, signed=True)
    assert np.array_equal(found, expected)


def test_every_byte_has_its_code() -> None:
    data = drawn((1, 16, 16, 3), 0, False)
    data.train.pixels[...] = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1)
    found = PixelPacker(data, IMAGE_RANGE).training(np.zeros(1, np.int64), None)
    assert np.array_equal(found, pack_planes(image_codes(data.testing(np.zeros(1, np.int64))), 8, signed=True))


def test_without_a_compiler_numpy_does_it(monkeypatch) -> None:
    monkeypatch.setenv("CPT_NATIVE", "0")
    pixels.library.cache_clear()
    try:
        assert pixels.library() is None
    finally:
        pixels.library.cache_clear()
