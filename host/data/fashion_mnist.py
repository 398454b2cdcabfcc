"""Fashion-MNIST: 28 × 28 grey images of ten kinds of clothes, converted or as the usual idx files (.gz or not)."""

from __future__ import annotations

import gzip
import struct
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt

from host.data.images import DataError, ImageData, Images
from host.data.store import data_folder, is_store, read_images, read_npz

NAME = "fashion-mnist"
DEBIAN_PACKAGE = "dataset-fashion-mnist"
DEBIAN_FOLDER = Path("usr/share/datasets/fashion-mnist")  # below /, or below where the package was unpacked
ADVICE = (
    "'cpt data fashion-mnist' fetches Debian's package dataset-fashion-mnist (31 MB); its four files are also at"
    " https://github.com/zalandoresearch/fashion-mnist"
)
UNSIGNED_BYTES = 8  # the type code of an idx file


def load_fashion_mnist(datadir: Path | None = None) -> ImageData:
    root = data_folder(datadir)
    if (packed := root / f"{NAME}.npz").is_file():
        return _data(*read_npz(packed))
    for folder in (root / NAME, root):
        if is_store(folder):
            return _data(*read_images(folder))
    installed = [Path("/") / DEBIAN_FOLDER] if datadir is None else []
    for folder in (root / NAME, root, *installed):
        if any(folder.glob("train-images-idx3-ubyte*")):
            return _data(*read_idx_folder(folder))
    raise DataError(f"{NAME} is not in {root}: expected {NAME}/ or train-images-idx3-ubyte(.gz) and so on; {ADVICE}")


def _data(train: Images, test: Images) -> ImageData:
    if train.pixels.shape[1:] != (28, 28, 1) or test.pixels.shape[1:] != (28, 28, 1):
        raise DataError(f"{NAME}: pixels {train.pixels.shape}, expected (n, 28, 28, 1)")
    return ImageData(NAME, 10, (0.2860,), (0.3530,), train, test, padding=2, flip=True)


def read_idx_folder(folder: Path) -> tuple[Images, Images]:
    return _part(folder, "train"), _part(folder, "t10k")


def _part(folder: Path, part: str) -> Images:
    pixels = read_idx(_file(folder, f"{part}-images-idx3-ubyte"), 3)
    labels = read_idx(_file(folder, f"{part}-labels-idx1-ubyte"), 1).astype(np.int64)
    if labels.size == 0 or labels.max() >= 10:
        raise DataError(f"{folder}: {part} labels up to {labels.max(initial=0)}, expected 0 to 9")
    return Images(pixels[..., None], labels)


def _file(folder: Path, name: str) -> Path:
    for path in (folder / f"{name}.gz", folder / name):
        if path.is_file():
            return path
    raise DataError(f"{folder / name}(.gz): missing; {ADVICE}")


def read_idx(path: Path, dimensions: int) -> npt.NDArray[np.uint8]:
    """An idx file of bytes: two zeros, type, number of dimensions, the sizes (big-endian), the data."""
    try:
        contents = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError) as problem:
        raise DataError(f"{path}: damaged ({problem}); {ADVICE}") from None
    head = 4 + 4 * dimensions
    if len(contents) < head or contents[:4] != bytes([0, 0, UNSIGNED_BYTES, dimensions]):
        raise DataError(f"{path}: not an idx file of bytes with {dimensions} dimensions; {ADVICE}")
    sizes = struct.unpack(f">{dimensions}I", contents[4:head])
    if len(contents) - head != np.prod(sizes, dtype=np.int64):
        raise DataError(f"{path}: {len(contents) - head:,} bytes of data, expected {sizes}; {ADVICE}")
    return np.frombuffer(contents, np.uint8, offset=head).reshape(sizes)


def fetch(folder: Path, seconds: float = 900) -> Path:
    """Downloads and unpacks Debian's package into a folder, without installing it; returns where the files are."""
    for command in (["apt-get", "download", DEBIAN_PACKAGE], ["sh", "-c", f"dpkg-deb -x {DEBIAN_PACKAGE}_*.deb ."]):
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
        except FileNotFoundError:
            raise DataError(f"'{command[0]}' is not here, this is no Debian; {ADVICE}") from None
        except subprocess.TimeoutExpired:
            raise DataError(f"{' '.join(command)} took more than {seconds:.0f} s") from None
        if done.returncode:
            said = " ".join(line.strip() for line in done.stderr.splitlines()[-3:])
            raise DataError(f"{' '.join(command)} failed: {said}")
    return folder / DEBIAN_FOLDER
