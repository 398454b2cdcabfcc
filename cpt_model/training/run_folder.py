"""The folder of a run: what may be in it, and when a new run may use it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cpt_model.training import summary
from cpt_model.training.checkpoint import CheckpointError, SavedRun, load_checkpoint
from cpt_model.training.settings import Settings, SettingsError
from host.training import journal
from sim.common.files import locked, write_atomically
from sim.common.json_file import read_json

SETTINGS, LAST, BEST, SWA, TENSORBOARD = "settings.json", "last.pt", "best.pt", "swa.pt", "tensorboard"
LOCK = ".lock"


class FolderError(ValueError):
    """A folder that cannot hold the run; the message names it."""


def finished(run: Settings) -> summary.Summary | None:
    """The summary of this very run, if it has ended; that of a run with other settings is refused."""
    folder = Path(run.folder)
    found = summary.read_summary(folder)
    if found is not None:
        check_same(run, read_settings(folder), folder)
    return found


def prepare(run: Settings, resume: bool, overwrite: bool) -> None:
    """Makes the folder, or refuses one that holds a run already."""
    folder = Path(run.folder)
    there = [name for name in (LAST, summary.FILE) if (folder / name).exists()]
    if there and not (resume or overwrite):
        raise FolderError(
            f"{folder} holds a run already ({there[0]}): continue it with --automatic_resume (resume=True), "
            "start over with --overwrite (overwrite=True), or give another folder"
        )
    if overwrite and not resume:
        clear(folder)
    _make(folder)
    write_atomically(folder / SETTINGS, json.dumps(run.to_dict(), indent=2) + "\n")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """The folder, made if need be, is this process's alone for as long as the block lasts, or the process lives."""
    _make(folder)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder / LOCK, 0))
        except TimeoutError:
            raise FolderError(f"{folder} is in use: another process has it; wait or give another") from None
        except OSError:
            pass  # a file system without locks: as if there were no other process
        yield


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FolderError(f"{folder} cannot be made: {problem.strerror}") from problem


def clear(folder: Path) -> None:
    """Removes a run's own files and nothing else."""
    for name in (SETTINGS, LAST, BEST, SWA, journal.FILE, summary.FILE):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / TENSORBOARD, ignore_errors=True)


def read_settings(folder: Path) -> Settings:
    return Settings.saved(read_json(folder / SETTINGS, FolderError), folder / SETTINGS)


def check_same(run: Settings, saved: Settings, where: Path) -> None:
    """A run goes on with the settings it began with."""
    odd = saved.differences(run)
    if odd:
        name = odd[0]
        raise SettingsError(
            f"{where} holds a run with {name} = {getattr(saved, name)}, this one has {getattr(run, name)}: "
            "give the same settings or another folder"
        )


def load_last(run: Settings, file: Path) -> dict:
    """A checkpoint to go on from; one that was made with other settings is refused."""
    content = load_checkpoint(file)
    if "optimizer" not in content:
        raise CheckpointError(f"{file} holds weights for evaluation only: go on from {LAST}")
    SavedRun.of(content, file)
    check_same(run, Settings.saved(content["settings"], file), file)
    return content
