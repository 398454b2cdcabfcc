"""CIFAR-10 and CIFAR-100: converted, or the unpacked archives of their authors (Python pickles or binary records)."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from host.data.images import DataError, ImageData, Images
from host.data.store import data_folder, is_store, read_images, read_npz

PIXELS = 3 * 32 * 32


@dataclass(frozen=True)
class Archive:
    """One of the two formats of a set: which files, and where the labels are."""

    folder: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    key: bytes  # of the labels, in a pickle
    label_bytes: int = 0  # before the pixels of a binary record, the last is the label; 0: pickles


@dataclass(frozen=True)
class Cifar:
    name: str
    classes: int
    mean: tuple[float, ...]
    std: tuple[float, ...]
    archives: tuple[Archive, ...]
    advice: str


BATCHES = tuple(f"data_batch_{number}" for number in range(1, 6))
CIFAR10 = Cifar(
    "cifar10",
    10,
    (0.4914, 0.4822, 0.4465),
    (0.2470, 0.2435, 0.2616),
    (
        Archive("cifar-10-batches-py", BATCHES, ("test_batch",), b"labels"),
        Archive("cifar-10-batches-bin", tuple(f"{name}.bin" for name in BATCHES), ("test_batch.bin",), b"", 1),
    ),
    "'cpt data cifar10' fetches it (139 MB)",
)
CIFAR100 = Cifar(
    "cifar100",
    100,
    (0.5071, 0.4865, 0.4409),
    (0.2673, 0.2564, 0.2762),
    (
        Archive("cifar-100-python", ("train",), ("test",), b"fine_labels"),
        Archive("cifar-100-binary", ("train.bin",), ("test.bin",), b"", 2),
    ),
    "cifar-100-python.tar.gz is at https://www.cs.toronto.edu/~kriz/cifar.html",
)


def load_cifar(cifar: Cifar, datadir: Path | None = None) -> ImageData:
    """The set in a folder, which may itself be the converted one or an unpacked archive."""
    root = data_folder(datadir)
    if (packed := root / f"{cifar.name}.npz").is_file():
        return _data(cifar, *read_npz(packed))
    for folder in (root / cifar.name, root):
        if is_store(folder):
            return _data(cifar, *read_images(folder))
    for archive in cifar.archives:
        for folder in (root / archive.folder, root):
            if any((folder / name).is_file() for name in archive.train + archive.test):
                return _data(cifar, *(_read(folder, names, archive, cifar) for names in (archive.train, archive.test)))
    expected = " or ".join(f"{archive.folder}/" for archive in cifar.archives)
    raise DataError(f"{cifar.name} is not in {root}: expected {cifar.name}/ or, unpacked, {expected}; {cifar.advice}")


def _data(cifar: Cifar, train: Images, test: Images) -> ImageData:
    for part in (train, test):
        if len(part.labels) == 0 or part.pixels.shape[1:] != (32, 32, 3):
            raise DataError(f"{cifar.name}: pixels {part.pixels.shape}, expected (n, 32, 32, 3)")
        if part.labels.min() < 0 or part.labels.max() >= cifar.classes:
            raise DataError(f"{cifar.name}: label {part.labels.max()}, expected 0 to {cifar.classes - 1}")
    return ImageData(cifar.name, cifar.classes, cifar.mean, cifar.std, train, test, padding=4, flip=True)


def _read(folder: Path, names: tuple[str, ...], archive: Archive, cifar: Cifar) -> Images:
    pixels, labels = [], []
    reader: Callable[[Path, Archive], tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]]
    reader = _read_records if archive.label_bytes else _read_pickle
    for name in names:
        path = folder / name
        if not path.is_file():
            raise DataError(f"{path}: missing, expected {', '.join(names)} in {folder}; {cifar.advice}")
        some, numbers = reader(path, archive)
        pixels.append(some.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        labels.append(numbers)
    return Images(np.concatenate(pixels), np.concatenate(labels))


def _read_records(path: Path, archive: Archive) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    record = archive.label_bytes + PIXELS
    found = np.fromfile(path, np.uint8)
    if found.size == 0 or found.size % record:
        raise DataError(f"{path}: {found.size:,} bytes, expected a multiple of {record:,}; unpack the archive again")
    found = found.reshape(-1, record)
    return found[:, archive.label_bytes :], found[:, archive.label_bytes - 1].astype(np.int64)


class _ArraysOnly(pickle.Unpickler):
    """A pickle can run anything: only what makes up an array is let through."""

    ALLOWED = frozenset(
        [
            ("numpy.core.multiarray", "_reconstruct"),
            ("numpy._core.multiarray", "_reconstruct"),
            ("numpy", "ndarray"),
            ("numpy", "dtype"),
            ("_codecs", "encode"),
        ]
    )

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self.ALLOWED:
            raise pickle.UnpicklingError(f"names {module}.{name}, which is no array")
        return super().find_class(module, name)


def _read_pickle(path: Path, archive: Archive) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    try:
        with path.open("rb") as file:
            found = _ArraysOnly(file, encoding="bytes").load()
        pixels, labels = np.asarray(found[b"data"]), np.asarray(found[archive.key], dtype=np.int64)
    except Exception as problem:  # a damaged pickle raises almost anything
        raise DataError(f"{path}: damaged ({problem}); unpack the archive again") from None
    if pixels.dtype != np.uint8 or pixels.shape != (len(labels), PIXELS):
        raise DataError(f"{path}: {pixels.dtype}{pixels.shape} for {len(labels)} labels, expected bytes (n, {PIXELS})")
    return pixels, labels
