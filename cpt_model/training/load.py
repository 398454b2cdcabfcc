"""The network of a run that was saved, as it was evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from cpt_model.training import run_folder
from cpt_model.training.checkpoint import load_checkpoint, taken_from
from cpt_model.training.evaluation import Result, evaluate
from cpt_model.training.processes import Processes
from cpt_model.training.settings import Settings
from cpt_model.training.task import Task
from cpt_model.training.training import Training
from host.compiler.bits import Bits


@dataclass(frozen=True)
class LoadedRun:
    """A network with its ranges, set to its bits of evaluation, and the data it was trained on."""

    settings: Settings
    step: int
    model: nn.Module
    task: Task
    bits: Bits

    def evaluate(self) -> Result:
        found = evaluate(self.model, self.task)
        assert found is not None
        return found


def load_run(path: str | Path, eval_bits: int | None = None, datadir: str | None = None) -> LoadedRun:
    """From a checkpoint, or from a run's folder (its last one).

    Args:
        path: last.pt, best.pt, swa.pt, or the folder they are in.
        eval_bits: forward bits of evaluation; None is those of the run.
        datadir: where the data is, if it is elsewhere now.
    """
    file = Path(path)
    file = file / run_folder.LAST if file.is_dir() else file
    content = load_checkpoint(file)
    given = {"eval_bits": eval_bits, "datadir": datadir}
    settings = Settings.saved(content["settings"], file)
    settings = settings.changed(**{name: value for name, value in given.items() if value is not None})
    with torch.random.fork_rng(devices=[]):  # building a network draws from the caller's numbers
        training = Training(settings, Processes())
    with taken_from(file):
        training.learner.load_weights(content)
    training.learner.begin_evaluation()
    return LoadedRun(settings, content["step"], training.model, training.task, training.eval_bits())
