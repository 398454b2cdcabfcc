"""A converted set on disk: a folder of .npy files with their sizes and checksums; it is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from host.data.images import DataError, Images
from sim.common.files import write_atomically
from sim.common.json_file import parse_json

ABOUT = "about.json"
PARTS = ("train-pixels", "train-labels", "test-pixels", "test-labels")


def data_folder(datadir: Path | None = None) -> Path:
    """The folder named, or that of CPT_DATA, or ~/.cache/cpt-kit."""
    return Path(datadir or os.environ.get("CPT_DATA") or Path.home() / ".cache" / "cpt-kit").expanduser()


def again(folder: Path) -> str:
    """How to repair a damaged store."""
    return f"'cpt data {folder.name} --datadir {folder.parent} --again' makes the folder again"


def write_images(folder: Path, train: Images, test: Images, source: str) -> None:
    arrays: list[npt.NDArray[Any]] = [train.pixels, train.labels, test.pixels, test.labels]
    write_arrays(folder, dict(zip(PARTS, arrays, strict=True)), source)


def write_arrays(folder: Path, arrays: Mapping[str, npt.NDArray[Any]], source: str) -> None:
    """Writes next to the folder, then renames: a reader, or a kill, never sees half of it."""
    check_replaceable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    try:
        files = {}
        for name, array in arrays.items():
            path = part / f"{name}.npy"
            with path.open("wb") as file:
                np.save(file, array)
                file.flush()
                os.fsync(file.fileno())
            files[path.name] = {"bytes": path.stat().st_size, "sha256": sha256(path)}
        (part / ABOUT).write_text(json.dumps({"source": source, "files": files}, indent=2) + "\n")
        part.chmod(0o755)  # mkdtemp's folder can be read by its owner only
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_replaceable(folder: Path) -> None:
    """Nothing but a store, or an empty folder, is ever replaced."""
    if folder.exists() and not is_store(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder}: there is something else of that name; move it or name another --datadir")


def is_store(folder: Path) -> bool:
    return (folder / ABOUT).is_file()


def read_images(folder: Path, checksums: bool = False) -> tuple[Images, Images]:
    """Training and test part, pixels memory-mapped."""
    arrays = read_arrays(folder, checksums)
    missing = [name for name in PARTS if name not in arrays]
    if missing:
        raise DataError(f"{folder / ABOUT}: does not name {missing[0]}.npy; {again(folder)}")
    found = [arrays[name] for name in PARTS]
    return Images(found[0], np.array(found[1])), Images(found[2], np.array(found[3]))


def write_npz(file: Path, train: Images, test: Images) -> None:
    """The set as one file, for a machine that has NumPy alone."""
    arrays: list[npt.NDArray[Any]] = [train.pixels, train.labels, test.pixels, test.labels]
    write_atomically(file, lambda stream: np.savez_compressed(stream, **dict(zip(PARTS, arrays, strict=True))))


def read_npz(file: Path) -> tuple[Images, Images]:
    """Training and test part of such a file."""
    try:
        with file.open("rb") as stream, np.load(stream) as found:  # np.load leaves a damaged file open
            pixels, labels, more, others = (np.asarray(found[name]) for name in PARTS)
    except KeyError as missing:
        raise DataError(f"{file}: has no array {missing}; expected {', '.join(PARTS)}") from None
    except Exception as problem:  # a damaged archive raises almost anything
        raise DataError(f"{file}: damaged ({problem}); 'cpt data NAME --npz FILE' writes it again") from None
    return Images(pixels, labels.astype(np.int64)), Images(more, others.astype(np.int64))


def read_arrays(folder: Path, checksums: bool = False) -> dict[str, npt.NDArray[Any]]:
    """The arrays, memory-mapped; sizes are checked always, checksums (seconds for a large set) where asked for."""
    arrays = {}
    for name, expected in about(folder)["files"].items():
        path = folder / name
        if not path.is_file():
            raise DataError(f"{path}: missing; {again(folder)}")
        if path.stat().st_size != expected["bytes"]:
            raise DataError(f"{path}: {path.stat().st_size:,} bytes, expected {expected['bytes']:,}; {again(folder)}")
        if checksums and sha256(path) != expected["sha256"]:
            raise DataError(f"{path}: checksum is not {expected['sha256']}; {again(folder)}")
        try:
            arrays[path.stem] = np.load(path, mmap_mode="r")
        except Exception as problem:  # a damaged header raises almost anything
            raise DataError(f"{path}: not an array ({problem}); {again(folder)}") from None
    return arrays


def about(folder: Path) -> dict[str, Any]:
    """What the store says of itself: `source` and `files`."""
    try:
        found = parse_json((folder / ABOUT).read_text())
        files = {
            str(name): {"bytes": int(file["bytes"]), "sha256": str(file["sha256"])}
            for name, file in found["files"].items()
        }
        return {"source": str(found["source"]), "files": files}
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise DataError(f"{folder / ABOUT}: damaged ({problem}); {again(folder)}") from None


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
