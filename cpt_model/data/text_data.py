"""A text as word numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

PARTS = ("train", "valid", "test")


@dataclass(frozen=True)
class TextData:
    """Word numbers of the three parts, which may be memory-mapped."""

    name: str
    vocabulary: tuple[str, ...]  # the most frequent first
    train: npt.NDArray[np.int32]
    valid: npt.NDArray[np.int32]
    test: npt.NDArray[np.int32]
