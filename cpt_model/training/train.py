"""A whole run: `train(settings)`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import torch

from cpt_model.training import run_folder
from cpt_model.training.processes import processes
from cpt_model.training.settings import Settings
from cpt_model.training.summary import Summary
from cpt_model.training.threads import threads
from cpt_model.training.training import Training
from host.training.signals import watch_signals


def train(
    run: Settings,
    *,
    resume: bool = False,
    overwrite: bool = False,
    start_from: str | Path | None = None,
    allow_different_machine: bool = False,
    progress: bool = True,
) -> Summary:
    """Trains, and returns how it ended; everything is in `run.folder` as well.

    Args:
        run: the settings.
        resume: continue what is in the folder, if there is something; a finished run gives its summary at once.
        overwrite: clear a run that is in the folder. With neither, a folder that holds a run is refused.
        start_from: go on from this checkpoint (a last.pt of the same settings) instead of the folder's.
        allow_different_machine: go on also where the checkpoint's threads, processor or PyTorch were others, and the
            weights will not be those of a run that was never interrupted.
        progress: show a bar, or lines where there is no terminal.

    Raises:
        Stopped: after Ctrl-C or SIGTERM, with the checkpoint written; its `code` is the exit code.
        ValueError: of a kind that says what is wrong (settings, data, folder, checkpoint).
    """
    with processes() as who, threads(run.threads), torch.random.fork_rng(devices=[]), watch_signals() as watch:
        last = Path(run.folder) / run_folder.LAST
        if resume and start_from is None:
            ended = run_folder.finished(run)
            if ended is not None:
                if last.exists():
                    run_folder.load_last(run, last)  # a damaged one is no finished run's
                return ended
        training = Training(run, who)
        file = Path(start_from) if start_from is not None else last if resume and last.exists() else None
        if file is not None:
            saved = run_folder.load_last(run, file)
            training.load(saved, file, allow_different_machine)  # refused before anything is written
        who.any(0)  # all have read: overwriting may remove the very file
        with run_folder.held(Path(run.folder)) if who.first else nullcontext():
            if who.first:
                run_folder.prepare(run, resume, overwrite)
            return training.go(watch, progress)
