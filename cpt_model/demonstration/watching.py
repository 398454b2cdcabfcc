"""The demonstration's two runs while they train: bits as a staircase of characters, accuracies, a chart that grows."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from cpt_model.drawing.chart import Point, Series, chart, colour_of
from cpt_model.drawing.style import smooth
from cpt_model.experiments.definition import PlannedRun
from cpt_model.training.precision_plan import plan
from host.compiler.bits import Bits
from host.training.journal import read_metrics

LEVELS = "▁▂▃▄▅▆▇█"  # of 1 to 8 bits
LETTERS = 32  # of a whole run's staircase
ON_SCREEN, WITHOUT = 4.0, 15.0  # seconds between lines, on a terminal and elsewhere


def staircase(run: PlannedRun, done: int | None = None) -> str:
    """Forward bits over the run, as far as it has come."""
    steps = np.linspace(0, run.steps - 1, LETTERS).astype(int)
    levels = [LEVELS[min(bits, 8) - 1] for bits in bits_at(run, steps)]
    reached = run.steps if done is None else done
    return "".join(level if step < reached else "·" for level, step in zip(levels, steps, strict=True))


def bits_at(run: PlannedRun, steps: np.ndarray) -> list[int]:
    return [int(bits) for bits in plan(run.settings).forward.bits(steps, run.steps)]


def lines_of(run: PlannedRun) -> list[dict]:
    """Metrics of training so far."""
    return [line for line in read_metrics(Path(run.settings.folder)) if "accuracy" in line]


class Watch:
    """Called while runs train: prints a line now and then, and lets a page grow."""

    def __init__(self, runs: Sequence[PlannedRun], grow: Callable[[], object]) -> None:
        self.runs, self.grow = runs, grow
        self.every = ON_SCREEN if sys.stdout.isatty() else WITHOUT
        self.printed = time.monotonic() - self.every  # the first line comes with the first metrics

    def __call__(self, running: Sequence[PlannedRun]) -> None:
        if not running or time.monotonic() - self.printed < self.every:
            return
        last = {run.variant.title: lines_of(run)[-1:] for run in running}
        states = [
            f"{title} {smooth_accuracy(run):.0f} %" for title, run in zip(last, running, strict=True) if last[title]
        ]
        if not states and time.monotonic() - self.printed < WITHOUT:
            return
        self.printed = time.monotonic()
        if not states:
            print("  training begins ...", flush=True)
            return
        cyclic = next((run for run in running if len(run.settings.fw_bits) > 1), running[-1])
        done = int(lines_of(cyclic)[-1]["step"]) if lines_of(cyclic) else 0
        print(f"  step {done:4} of {cyclic.steps}  {staircase(cyclic, done)}  {', '.join(states)}", flush=True)
        self.grow()


def smooth_accuracy(run: PlannedRun) -> float:
    """Mean of the last few lines: of one batch alone, it jumps."""
    return smooth([line["accuracy"] for line in lines_of(run)])[-1]


def pictures(runs: Sequence[PlannedRun]) -> list[str]:
    """Bits and accuracy over the steps; what has not begun is left out."""
    bits, scores = [], []
    for run in runs:
        seed = f", seed {run.seed}" if len({each.seed for each in runs}) > 1 else ""
        name, colour = run.variant.title, colour_of([Bits(each, 8) for each in run.settings.fw_bits])
        steps = np.arange(run.steps)
        widths = np.array(bits_at(run, steps))
        turns = [0, *(1 + np.flatnonzero(widths[1:] != widths[:-1])).tolist(), run.steps - 1]
        if not seed or run.seed == runs[0].seed:
            points = [(int(step), int(widths[step]), f"step {step}: {widths[step]} bits") for step in turns]
            bits.append(Series(name, colour, points, step=True))
        lines = lines_of(run)
        values = smooth([line["accuracy"] for line in lines])
        learnt: list[Point] = [(line["step"], value, "") for line, value in zip(lines, values, strict=True)]
        if learnt:
            scores.append(Series(name + seed, colour, learnt))
    parts = [chart("Forward bits", "lines", "step", "bits", bits, least=0, whole=True)]
    if scores:
        parts.append(chart("Accuracy on the training batches", "lines", "step", "%", scores, least=0))
    return parts
