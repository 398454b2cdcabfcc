"""Folders of runs as `cpt train` leaves them, without the training: real costs, made-up losses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cpt_model.cost import paper_board
from cpt_model.reports.costs import network_count
from cpt_model.training import Settings, Summary, precision_name
from cpt_model.training.meter import Meter
from cpt_model.training.precision_plan import plan

Line = dict[str, Any]


def leave_run(
    folder: Path, done: int | None = None, finished: bool = True, reached: float = 75.0, **changes: Any
) -> Path:
    """A run of 40 steps of ResNet-8 at 3-8/8, with a line every 4 steps; `done` steps of it."""
    values: Line = {"arch": "cifar10_resnet_8", "steps": 40, "batch": 64, "fw_bits": (3, 8), "cycles": 2}
    values |= {"log_every": 4, "tensorboard": False}
    run = Settings(folder=str(folder), **(values | changes))
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps(run.to_dict()))
    steps = run.steps or 40
    schedules = None if run.is_float else plan(run)
    meter = Meter(network_count(run), schedules, steps, run.batch, paper_board())
    last = steps if done is None else done
    lines = [_line(run, meter, step, reached) for step in range(4, last + 1, 4)]
    score, part = ("perplexity", "valid") if run.is_text else ("accuracy", "test")
    bits = {"eval_fw_bits": run.fw_bits[-1], "eval_bw_bits": 8}
    if last == steps:
        lines.append({"step": last, f"{part}_{score}": reached, f"{part}_loss": 0.7, **bits})
        if finished:
            _summary(run, meter, steps, reached).write()
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def _line(run: Settings, meter: Meter, step: int, reached: float) -> Line:
    cost, bits = meter.after(step), meter.bits(step - 1)
    score = {"perplexity": 1000 / step} if run.is_text else {"accuracy": reached * step / meter.steps}
    return {
        "step": step,
        "epoch": step / 20,
        "loss": 10 / step,
        **score,
        "lr": 0.1,
        "fw_bits": bits.forward,
        "bw_bits": bits.backward,
        "gbitops": cost.gbitops,
        "board_hours": cost.board_hours,
        "seconds": 0.5 * step,
    }


def _summary(run: Settings, meter: Meter, steps: int, reached: float) -> Summary:
    cost, accuracy, perplexity = meter.after(steps), reached, None
    if run.is_text:
        accuracy, perplexity = None, reached  # type: ignore[assignment]
    return Summary(
        folder=run.folder,
        arch=run.arch,
        dataset=run.dataset,
        precision=precision_name(run),
        seed=run.seed,
        steps=steps,
        batch=run.batch,
        epochs=2.0,
        test_accuracy=accuracy,
        best_accuracy=accuracy,
        test_loss=0.7,
        test_perplexity=perplexity,
        best_perplexity=perplexity,
        swa_accuracy=None,
        swa_perplexity=None,
        eval_bits=(run.fw_bits[-1], 8),
        gbitops=cost.gbitops,
        board_hours=cost.board_hours,
        latency="paper",
        saving_gbitops_pct=0.0,
        saving_hours_pct=None,
        seconds=20.0,
        threads=1,
        processes=1,
    )
