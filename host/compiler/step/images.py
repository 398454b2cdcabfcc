"""Images as the first unit reads them: 8 bits, signed, with a constant range."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from host.compiler.step.widths import IMAGE_BITS

IMAGE_RANGE = 2.5  # of normalised pixels: beyond it they are cut
GREATEST = (1 << IMAGE_BITS - 1) - 1


def image_codes(images: npt.ArrayLike, image_range: float = IMAGE_RANGE) -> npt.NDArray[np.int32]:
    """round(x · 127 / range) in double, ties to even, cut to ±127; 1 stands for `image_step`. NaN is refused.

    >>> image_codes([[-9.0, 0.01, 2.5]]).tolist()
    [[-127, 1, 127]]
    """
    scaled = np.asarray(images, dtype=np.float64) * (GREATEST / image_range)
    if np.isnan(scaled).any():
        raise ValueError("images hold NaN: there is no code for it")
    return np.clip(np.rint(scaled), -GREATEST, GREATEST).astype(np.int32)


def image_step(image_range: float = IMAGE_RANGE) -> float:
    return image_range / GREATEST
