"""The summary of a run on a device, with the names that the summary of `cpt train` has: `cpt report` reads both."""

from __future__ import annotations

from typing import Any

from host.training.cost import Meter
from host.training.precision import precision_name
from host.training.settings import Settings

# What a run on a device does not have.
ABSENT = ("test_perplexity", "best_perplexity", "swa_accuracy", "swa_perplexity")


def summary(run: Settings, meter: Meter, steps: int, **found: Any) -> dict[str, Any]:
    """`found`: what the run came to."""
    (gbitops, hours), saved = meter.after(steps), meter.savings()
    return {
        "folder": run.folder,
        "arch": run.arch,
        "dataset": run.dataset,
        "precision": precision_name(run),
        "seed": run.seed,
        "steps": steps,
        **found,
        "gbitops": gbitops,
        "board_hours": hours,
        "latency": "paper",
        "saving_gbitops_pct": saved[0],
        "saving_hours_pct": saved[1],
        "threads": 1,
        "processes": 1,
        **dict.fromkeys(ABSENT),
    }
