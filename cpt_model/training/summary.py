"""How a run ended: what summary.json holds."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from sim.common.files import write_atomically

FILE = "summary.json"


@dataclass(frozen=True)
class Summary:
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
        saving_gbitops_pct: against the same run at its highest bits throughout.
        saving_hours_pct: likewise.
        seconds: training and evaluation took here, over all resumptions.
        threads: of PyTorch in each process.
        processes: of the run.
    """

    folder: str
    arch: str
    dataset: str
    precision: str
    seed: int
    steps: int
    batch: int
    epochs: float
    test_accuracy: float | None
    best_accuracy: float | None
    test_loss: float
    test_perplexity: float | None
    best_perplexity: float | None
    swa_accuracy: float | None
    swa_perplexity: float | None
    eval_bits: tuple[int, int]
    gbitops: float
    board_hours: float | None
    latency: str
    saving_gbitops_pct: float
    saving_hours_pct: float | None
    seconds: float
    threads: int
    processes: int

    def write(self) -> None:
        write_atomically(Path(self.folder) / FILE, json.dumps(asdict(self), indent=2) + "\n")


def read_summary(folder: Path) -> Summary | None:
    """Of a finished run; None where there is none."""
    file = folder / FILE
    if not file.exists():
        return None
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        known = {field.name: values[field.name] for field in fields(Summary)}
    except (ValueError, KeyError, TypeError) as problem:
        raise ValueError(f"{file} is not a summary of cpt train: {problem!r}") from problem
    known["eval_bits"] = tuple(known["eval_bits"])
    known["folder"] = str(folder)
    return Summary(**known)
