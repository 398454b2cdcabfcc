"""How a run ended: what summary.json holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict

from sim.common.checked import Checked, Count, Listed, Whole
from sim.common.files import write_atomically
from sim.common.json_file import read_json

FILE = "summary.json"


class Summary(Checked):
    """A finished run. Accuracies are per cent, of the test set; a language model has perplexities instead.

    Args:
        folder: of the run.
        arch: network.
        dataset: data.
        precision: as the papers write it, "3-8/8 cpt x32".
        seed: of the run.
        steps: done.
        batch: samples of a step.
        epochs: passes over the training data.
        test_accuracy: after the last step.
        best_accuracy: of all evaluations.
        test_loss: after the last step.
        test_perplexity: after the last step (text).
        best_perplexity: of all evaluations (text).
        swa_accuracy: of the averaged weights, if there are any.
        swa_perplexity: likewise (text).
        eval_bits: forward and backward bits of evaluation; 0 is float32.
        gbitops: 10⁹ bit operations of the run, as the papers count.
        board_hours: on the board called `latency`; None for float32.
        latency: name of that board.
        hours_of: what the hours are of: whole training steps, or their matrix passes alone.
        saving_gbitops_pct: against the same run at its highest bits throughout.
        saving_hours_pct: likewise.
        seconds: training and evaluation took here, over all resumptions.
        threads: of PyTorch in each process.
        processes: of the run.
    """

    model_config = ConfigDict(extra="ignore", allow_inf_nan=True)  # of another version; of a run that diverged

    folder: str
    arch: str
    dataset: str
    precision: str
    seed: Whole
    steps: Count
    batch: Count
    epochs: float
    test_accuracy: float | None
    best_accuracy: float | None
    test_loss: float
    test_perplexity: float | None
    best_perplexity: float | None
    swa_accuracy: float | None
    swa_perplexity: float | None
    eval_bits: Annotated[tuple[int, int], Listed]
    gbitops: float
    board_hours: float | None
    latency: str
    hours_of: str | None = None
    saving_gbitops_pct: float
    saving_hours_pct: float | None
    seconds: float
    threads: Count
    processes: Count

    def write(self) -> None:
        write_atomically(Path(self.folder) / FILE, json.dumps(dict(self), indent=2) + "\n")


def read_summary(folder: Path) -> Summary | None:
    """Of a finished run; None where there is none."""
    file = folder / FILE
    return Summary.of(read_json(file), file).changed(folder=str(folder)) if file.exists() else None
