"""Small sets in the formats of the large ones, made by the tests."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import pickle
import struct
import tarfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from cpt_model.data import ImageData, Images
from cpt_model.data.cifar10_package import Package


def pixels(count: int, height: int = 32, width: int = 32, channels: int = 3, seed: int = 0) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (count, height, width, channels), np.uint8)


def image_data(count: int = 40, **options: object) -> ImageData:
    """Random pixels; the label of an image is its row."""
    train = Images(pixels(count), np.arange(count))
    test = Images(pixels(17, seed=1), np.arange(17))
    settings: dict = {"padding": 4, "flip": True} | options
    return ImageData("small", count, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), train, test, **settings)


def planes(images: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """As CIFAR's archives keep them: red, green and blue plane one after the other."""
    return images.transpose(0, 3, 1, 2).reshape(len(images), -1)


def write_pickles(folder: Path, files: dict[str, tuple[npt.NDArray[np.uint8], list[int]]], key: bytes) -> None:
    folder.mkdir(parents=True)
    for name, (images, labels) in files.items():
        (folder / name).write_bytes(pickle.dumps({b"data": planes(images), key: labels}, protocol=2))


def write_idx(path: Path, array: npt.NDArray[np.uint8]) -> None:
    head = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    contents = head + array.tobytes()
    path.write_bytes(gzip.compress(contents) if path.suffix == ".gz" else contents)


def write_package(path: Path, train: npt.NDArray[np.uint8], test: npt.NDArray[np.uint8]) -> Package:
    """Like the npm package, two training sheets; labels 0 ... 9 again and again."""
    half = len(train) // 2
    labels = {"train_lables.json": len(train), "test_lables.json": len(test)}
    sheets = {"data_batch_1.png": train[:half], "data_batch_2.png": train[half:], "test_batch.png": test}
    members = {name: json.dumps([row % 10 for row in range(count)]).encode() for name, count in labels.items()}
    for name, images in sheets.items():
        sheet = io.BytesIO()
        Image.fromarray(images.reshape(len(images), 1024, 3)).save(sheet, "PNG")
        members[name] = sheet.getvalue()
    with tarfile.open(path, "w:gz") as archive:
        for name, contents in members.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(contents)
            archive.addfile(entry, io.BytesIO(contents))
    return Package(
        file=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        train=len(train),
        test=len(test),
        train_sheets=("data_batch_1.png", "data_batch_2.png"),
    )


def write_jpeg(path: Path, width: int, height: int, colour: tuple[int, int, int]) -> None:
    """Left half of the colour, right half black."""
    image = Image.new("RGB", (width, height))
    image.paste(colour, (0, 0, width // 2, height))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, "JPEG", quality=95)
