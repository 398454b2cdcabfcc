"""The folder of a run on a device: the files of `cpt train`, with checkpoints that need NumPy alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from host.training import host_time, journal
from host.training.checkpoint import BEFORE
from host.training.settings import Settings, SettingsError
from sim.common.files import locked, write_atomically

SETTINGS, LAST, BEST, SUMMARY, LOCK = "settings.json", "last.npz", "best.npz", "summary.json", ".lock"


class FolderError(ValueError):
    """A folder that cannot hold the run; the message names it."""


def prepare(run: Settings, resume: bool, overwrite: bool) -> None:
    """Writes the settings, or refuses a folder that holds a run already."""
    folder = Path(run.folder)
    there = [name for name in (LAST, "last.pt", SUMMARY) if (folder / name).exists()]
    if there and not (resume or overwrite):
        raise FolderError(
            f"{folder} holds a run already ({there[0]}): continue it with --automatic_resume, start over with"
            " --overwrite, or give another folder"
        )
    if overwrite and not resume:
        for name in (SETTINGS, LAST, BEFORE, BEST, journal.FILE, host_time.FILE, SUMMARY):
            (folder / name).unlink(missing_ok=True)
    write_atomically(folder / SETTINGS, json.dumps(run.to_dict(), indent=2) + "\n")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """The folder, made if need be, is this process's alone for as long as the block lasts, or the process lives."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FolderError(f"{folder} cannot be made: {problem.strerror}") from problem
    try:
        with locked(folder / LOCK, 0):
            yield
    except TimeoutError:
        raise FolderError(f"{folder} is in use: another process trains there; wait or give another") from None


def check_same(run: Settings, saved: Settings, where: Path) -> None:
    """A run goes on with the settings it began with."""
    for name in saved.differences(run):
        raise SettingsError(
            f"{where} holds a run with {name} = {getattr(saved, name)}, this one has {getattr(run, name)}: "
            "give the same settings or another folder"
        )
