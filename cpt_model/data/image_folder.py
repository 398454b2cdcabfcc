"""ImageNet as a folder: train/CLASS/*.JPEG and val/CLASS/*.JPEG, decoded when asked for, by a pool of threads.

Training takes a random part of each image (8 % to 100 % of its area, sides 3:4 to 4:3) at 224 × 224, mirrored one time
in two; testing takes the middle 224 × 224 of the image with its short side at 256.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from host.data.augment import Normalise, Pixels
from host.data.images import Chances, DataError, Floats, Rows
from host.data.store import data_folder

if TYPE_CHECKING:
    from PIL import Image

NAME = "imagenet"
SIDE = 224
SHORT_SIDE = 256
ENDINGS = (".jpeg", ".jpg", ".png")
AREA = 0.08, 1.0
RATIO = 3 / 4, 4 / 3
TRIES = 10
ADVICE = "it is not fetched: unpack it from https://image-net.org (validation images sorted into class folders)"

Box = tuple[int, int, int, int]  # left, top, right, bottom


class FolderPart:
    """The files of one part and their labels, classes in the order of their names."""

    def __init__(self, folder: Path, classes: list[str]) -> None:
        self.folder = folder
        self.paths: list[str] = []
        counts = []
        for name in classes:
            with os.scandir(folder / name) as entries:
                found = sorted(entry.path for entry in entries if entry.name.lower().endswith(ENDINGS))
            if not found:
                raise DataError(f"{folder / name}: no image; expected {', '.join(ENDINGS)} files")
            self.paths += found
            counts.append(len(found))
        self.labels = np.repeat(np.arange(len(classes)), counts)


class ImageFolderData:
    """An image folder as a source of batches; `workers` threads decode."""

    name = NAME
    shape = (3, SIDE, SIDE)
    draws = 2 * TRIES + 3  # area and ratio of every try, left, top, mirrored
    ahead = True

    def __init__(self, root: Path, workers: int = 2) -> None:
        if workers < 1:
            raise ValueError(f"{workers} workers: must be 1 or more")
        self.class_names = _class_names(root / "train")
        if self.class_names != (names := _class_names(root / "val")):
            odd = sorted(set(names) ^ set(self.class_names))[0]
            raise DataError(f"{root}: class '{odd}' is in only one of train/ and val/")
        self.classes = len(self.class_names)
        self.train, self.test = (FolderPart(root / part, self.class_names) for part in ("train", "val"))
        self._pool = ThreadPoolExecutor(workers, "decode")
        self._normalise = Normalise((0.485, 0.456, 0.406), (0.229, 0.224, 0.225), SIDE)

    @property
    def train_labels(self) -> npt.NDArray[np.int64]:
        return self.train.labels

    @property
    def test_labels(self) -> npt.NDArray[np.int64]:
        return self.test.labels

    def training(self, rows: Rows, chances: Chances | None) -> Floats:
        if chances is None:
            return self._read(self.train, rows, _middle)
        paths = ((self.train.paths[row], chance) for row, chance in zip(rows.tolist(), chances, strict=True))
        return self._floats(self._pool.map(lambda item: _decode(item[0], lambda image: _part(image, item[1])), paths))

    def testing(self, rows: Rows) -> Floats:
        return self._read(self.test, rows, _middle)

    def _read(self, part: FolderPart, rows: Rows, cut: Callable[[Image.Image], Pixels]) -> Floats:
        paths = (part.paths[row] for row in rows.tolist())
        return self._floats(self._pool.map(lambda path: _decode(path, cut), paths))

    def _floats(self, images: Iterable[Pixels]) -> Floats:
        return self._normalise(np.stack(list(images)))


def load_image_folder(datadir: Path | None = None, workers: int = 2) -> ImageFolderData:
    """The folder named, or imagenet/ in the cache."""
    return ImageFolderData(data_folder() / NAME if datadir is None else datadir, workers)


def _class_names(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; expected train/CLASS/*.JPEG and val/CLASS/*.JPEG; {ADVICE}")
    names = sorted(path.name for path in folder.iterdir() if path.is_dir())
    if not names:
        raise DataError(f"{folder}: no class folders in it; expected {folder.name}/CLASS/*.JPEG; {ADVICE}")
    return names


def _decode(path: str, cut: Callable[[Image.Image], Pixels]) -> Pixels:
    from PIL import Image

    try:
        with Image.open(path) as image:
            return cut(image.convert("RGB"))
    except (OSError, SyntaxError, Image.DecompressionBombError) as problem:
        raise DataError(f"{path}: cannot be decoded ({problem}); get this file again or take it away") from None


def _part(image: Image.Image, chance: npt.NDArray[np.float64]) -> Pixels:
    from PIL import Image

    box = random_part(image.width, image.height, chance)
    pixels = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR, box))
    return pixels[:, ::-1] if chance[-1] < 0.5 else pixels


def _middle(image: Image.Image) -> Pixels:
    from PIL import Image

    width, height = image.size
    short = min(width, height)
    size = SHORT_SIDE * width // short, SHORT_SIDE * height // short
    left, top = (round((side - SIDE) / 2) for side in size)
    box = left, top, left + SIDE, top + SIDE
    return np.asarray(image.resize(size, Image.Resampling.BILINEAR).crop(box))


def random_part(width: int, height: int, chance: npt.NDArray[np.float64]) -> Box:
    """The first of ten random shapes that fits, at a random place; else the middle, as near the shapes as it can be."""
    logs = math.log(RATIO[0]), math.log(RATIO[1])
    for attempt in range(TRIES):
        area = width * height * (AREA[0] + (AREA[1] - AREA[0]) * chance[2 * attempt])
        ratio = math.exp(logs[0] + (logs[1] - logs[0]) * chance[2 * attempt + 1])
        wide, high = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < wide <= width and 0 < high <= height:
            left = int(chance[-3] * (width - wide + 1))
            top = int(chance[-2] * (height - high + 1))
            return left, top, left + wide, top + high
    wide = min(width, round(height * RATIO[1]))
    high = min(height, round(width / RATIO[0]))
    left, top = (width - wide) // 2, (height - high) // 2
    return left, top, left + wide, top + high
