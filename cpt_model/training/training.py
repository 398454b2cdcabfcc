"""The training loop. All that a step depends on is a function of the step or is in the checkpoint."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

import torch
from torch import nn

from cpt_model.cost import count
from cpt_model.layer_bits import read_layer_bits
from cpt_model.model_precision import quantisation_state
from cpt_model.models import entry
from cpt_model.precision_run import Plan
from cpt_model.training import run_folder
from cpt_model.training.averaging import Averaging
from cpt_model.training.checkpoint import CheckpointError, save_checkpoint, taken_from
from cpt_model.training.evaluation import Result, better, evaluate
from cpt_model.training.latency import board_profile, latency_models
from cpt_model.training.learner import Gradients, Learner, WholeSteps
from cpt_model.training.machine import difference, machine
from cpt_model.training.meter import Meter
from cpt_model.training.precision_plan import plan, precision_name
from cpt_model.training.processes import Processes, mixed
from cpt_model.training.progress import Progress
from cpt_model.training.settings import STEPS, Settings, SettingsError
from cpt_model.training.summary import Summary, read_summary
from cpt_model.training.task import make_task
from host.compiler.bits import Bits
from host.training.journal import Journal
from host.training.rates import rate
from host.training.signals import Stopped, Watch

SAVE_SECONDS = 600  # at least so often, whatever the settings say


class Training:
    """One run in one process, from its settings to its summary."""

    def __init__(self, run: Settings, who: Processes) -> None:
        self.run, self.who = run, who
        self.task = make_task(run, who)
        self.total = run.steps or (STEPS if run.epochs is None else run.epochs * self.task.batches.steps_per_epoch)
        if run.swa_start is not None and run.swa_start >= self.total:
            raise SettingsError(f"swa_start = {run.swa_start}: the run ends after {self.total} steps")
        torch.manual_seed(run.seed)
        self.built = self.task.build()
        layer_bits = read_layer_bits(run.layer_bits or {})
        policy = run.policy or entry(run.arch).policy
        network = count(self.built, self.task.example(), policy=policy, layer_bits=layer_bits)
        schedules = None if run.is_float else plan(run)
        boards = latency_models(run, board_profile(run.latency))
        self.meter = Meter.first(network, schedules, self.total, self.task.batch, boards)
        self.learner = self._learner(schedules)
        self.averaging = None
        if run.swa_start is not None:
            self.averaging = Averaging(self.model, run.swa_start, run.swa_every or self.task.batches.steps_per_epoch)
        self.done = 0
        self.evaluated = 0  # steps done at the last evaluation
        self.result: Result | None = None
        self.best: float | None = None
        self.window = [0.0, 0.0, 0.0, 0.0]  # since the last line of metrics: loss · guesses, right, guesses, steps
        self.seconds = 0.0
        self._began = self._saved = time.monotonic()

    def go(self, watch: Watch, shown: bool) -> Summary:
        """Steps to the end; a signal ends it sooner, with a checkpoint."""
        self._began = self._saved = time.monotonic()
        run, folder = self.run, Path(self.run.folder)
        name = f"{run.arch} {precision_name(run)}"
        self.progress = Progress(name, self.total, self.done, shown and self.who.first)
        try:
            if not self.who.first:
                return self._loop(watch, None)
            writer = summary_writer(folder, self.done) if run.tensorboard else None
            with Journal(folder, self.done, self.evaluated, writer) as journal:
                return self._loop(watch, journal)
        finally:
            self.progress.close()

    def _loop(self, watch: Watch, journal: Journal | None) -> Summary:
        self.model.train()
        while True:
            number = self.who.any(watch.number)
            if number:
                self.save()
                raise Stopped(number, f"stopped after step {self.done}; {self._file(run_folder.LAST)} continues it")
            if self._evaluation_due():
                self._evaluate(watch, journal)
            elif self.done == self.total:
                return self._finish()
            else:
                self._step(journal)
                if self._save_due():
                    self.save()

    def _step(self, journal: Journal | None) -> None:
        run, step = self.run, self.done
        x, target = self.task.batches[step]
        torch.manual_seed(mixed(run.seed, self.who.rank, step))  # dropout
        lr = rate(run, step, self.total)
        value, right, made = self.learner.step(x, target, lr, step)
        self.done += 1
        if self.averaging is not None:
            self.averaging.after_step(self.model, self.done)
        self.window = [sum(pair) for pair in zip(self.window, (value * made, right, made, 1), strict=True)]
        bits, cost = self.meter.bits(step), self.meter.after(self.done)
        score = f"acc {100 * right / made:.1f} %" if self.task.score == "accuracy" else f"ppl {_exp(value):.1f}"
        self.progress.step(self.done, value, score, bits, cost)
        if self.done % run.log_every == 0 or self.done == self.total:
            self._log(journal, lr, bits)

    def _log(self, journal: Journal | None, lr: float, bits: Bits) -> None:
        loss, right, made, _ = self.who.sum(self.window)
        self.window = [0.0, 0.0, 0.0, 0.0]
        if journal is None:
            return
        mean, cost = loss / made, self.meter.after(self.done)
        score = 100 * right / made if self.task.score == "accuracy" else _exp(mean)
        journal.write(
            step=self.done,
            epoch=self.done / self.task.batches.steps_per_epoch,
            loss=mean,
            **{self.task.score: score},
            lr=lr,
            fw_bits=bits.forward,
            bw_bits=bits.backward,
            gbitops=cost.gbitops,
            board_hours=cost.board_hours,
            seconds=self._seconds(),
        )

    def eval_bits(self) -> Bits:
        """Bits of evaluation; 0 is float32."""
        highest = self.meter.highest()
        return highest if self.run.eval_bits is None else Bits(self.run.eval_bits, highest.backward)

    def _evaluation_due(self) -> bool:
        every = self.run.eval_every or self.task.batches.steps_per_epoch
        due = self.done == self.total or (self.done > 0 and self.done % every == 0)
        return due and self.evaluated != self.done

    def _evaluate(self, watch: Watch, journal: Journal | None) -> None:
        """By the first process alone; what a signal cut short is done again on resuming."""
        if journal is None:
            self.evaluated = self.done
            return
        result = self._evaluated(lambda: watch.number)
        if result is None:
            return
        self.evaluated, self.result = self.done, result
        bits, score, part = self.eval_bits(), self.task.score, self.task.part
        journal.write(
            step=self.done,
            **{f"{part}_{score}": result.score, f"{part}_loss": result.loss},
            eval_fw_bits=bits.forward,
            eval_bw_bits=bits.backward,
        )
        unit = " %" if score == "accuracy" else ""
        self.progress.tested(self.done, self.total, f"{part} {score} {result.score:.2f}{unit}")
        if better(self.task, result.score, self.best):
            self.best = result.score
            save_checkpoint(self._file(run_folder.BEST), self.weights())
        if self.run.save_every is None or self.done == self.total:
            self.save()

    def _evaluated(self, stop: Callable[[], object], last: bool = False) -> Result | None:
        """At the bits of evaluation; None if it was stopped."""
        self.learner.begin_evaluation()
        result = evaluate(self.model, self.task, stop, last)
        self.learner.end_evaluation()
        return result

    def _save_due(self) -> bool:
        by_step = self.run.save_every is not None and self.done % self.run.save_every == 0
        return by_step or time.monotonic() - self._saved > SAVE_SECONDS

    def weights(self) -> dict[str, Any]:
        """What evaluation needs."""
        return {
            "settings": self.run.to_dict(),
            "step": self.done,
            **self.learner.weights(),
            "eval_bits": list(self.eval_bits()),
            "result": None if self.result is None else [self.result.loss, self.result.score],
        }

    def save(self) -> None:
        """By the first process alone: the others' state is the same, but for noise and ranges of their own."""
        self._saved = time.monotonic()
        if not self.who.first:
            return
        state = self.weights() | {
            "optimizer": self.learner.optimizer_state(),
            "averaging": None if self.averaging is None else self.averaging.state_dict(),
            "evaluated": self.evaluated,
            "best": self.best,
            "window": self.window,
            "seconds": self._seconds(),
            "total": self.total,
            "batch": self.task.batch,
            "threads": torch.get_num_threads(),
            "processes": self.who.world,
            "machine": machine(),
        }
        save_checkpoint(self._file(run_folder.LAST), state)

    def load(self, state: dict[str, Any], file: Path, allow_different_machine: bool = False) -> None:
        """Continues from a checkpoint, bit for bit, unless another machine is allowed to go on with it."""
        ours = {"total": self.total, "batch": self.task.batch, "processes": self.who.world}
        for name, value in ours.items():
            if state[name] != value:
                raise CheckpointError(
                    f"{file} was saved with {name} = {state[name]}, here it is {value}: it would not go on bit for bit"
                )
        found = difference({"threads": state["threads"]} | state.get("machine", {}), machine())
        if found and not (allow_different_machine or self.learner.repeats_anywhere):
            raise CheckpointError(
                f"{file} was saved with {found}: it would not go on bit for bit; "
                "--allow-different-machine (allow_different_machine=True) goes on all the same"
            )
        with taken_from(file):
            self.learner.load_weights(state)
            if state["step"]:
                self.learner.load_optimizer_state(state["optimizer"])
            if self.averaging is not None:
                self.averaging.load_state_dict(state["averaging"])
        self.done, self.evaluated, self.best = state["step"], state["evaluated"], state["best"]
        self.result = None if state["result"] is None else Result(*state["result"])
        self.window = state["window"] if self.who.first else [0.0, 0.0, 0.0, 0.0]
        self.seconds = state["seconds"]

    def _finish(self) -> Summary:
        """The first process makes the summary; the others wait and read it."""
        if self.who.first:
            self._summary().write()
        self.who.any(0)
        found = read_summary(Path(self.run.folder))
        assert found is not None
        return found

    def _summary(self) -> Summary:
        swa = None if self.averaging is None else self._average()
        if self.task.part != "test":
            self.result = self._evaluated(lambda: False, last=True)
        result = self.result
        assert result is not None
        accurate = self.task.score == "accuracy"
        cost, static = self.meter.after(self.total), self.meter.static()
        hours = None
        if cost.board_hours is not None and static.board_hours is not None:
            hours = 100 * (1 - cost.board_hours / static.board_hours)
        return Summary(
            folder=self.run.folder,
            arch=self.run.arch,
            dataset=self.run.dataset,
            precision=precision_name(self.run),
            seed=self.run.seed,
            steps=self.total,
            batch=self.task.batch,
            epochs=self.total / self.task.batches.steps_per_epoch,
            test_accuracy=result.score if accurate else None,
            best_accuracy=self.best if accurate else None,
            test_loss=result.loss,
            test_perplexity=None if accurate else result.score,
            best_perplexity=None if accurate else self.best,
            swa_accuracy=swa if accurate else None,
            swa_perplexity=None if accurate else swa,
            eval_bits=astuple(self.eval_bits()),
            gbitops=cost.gbitops,
            board_hours=cost.board_hours,
            latency=self.run.latency,
            hours_of=None if cost.board_hours is None else self.meter.board.of,
            saving_gbitops_pct=100 * (1 - cost.gbitops / static.gbitops),
            saving_hours_pct=hours,
            seconds=self._seconds(),
            threads=torch.get_num_threads(),
            processes=self.who.world,
        )

    def _average(self) -> float | None:
        """Evaluates and keeps the averaged weights."""
        assert self.averaging is not None
        torch.manual_seed(self.run.seed)
        found = self.averaging.evaluate(self.task, None if self.run.is_float else self.eval_bits())
        if found is None:
            return None
        averaged = self.averaging.averaged.module
        content = self.weights() | {"model": averaged.state_dict(), "result": [found.loss, found.score]}
        if content["precision"] is not None:  # ranges of the averaged weights, not of the last ones
            content["precision"] |= {"quantisation": quantisation_state(averaged)}
        save_checkpoint(self._file(run_folder.SWA), content)
        return found.score

    def _learner(self, schedules: Plan | None) -> Learner:
        if self.run.step == "integer":
            return WholeSteps(self.run, self.task, self.built, self.meter, self.eval_bits(), self.who)
        return Gradients(self.run, self.task, self.built, schedules, self.meter, self.who)

    @property
    def model(self) -> nn.Module:
        return self.learner.model

    def _file(self, name: str) -> Path:
        return Path(self.run.folder) / name

    def _seconds(self) -> float:
        return self.seconds + time.monotonic() - self._began


def summary_writer(folder: Path, done: int) -> Any:
    """TensorBoard's writer, for a run with `done` steps behind it."""
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder / run_folder.TENSORBOARD), purge_step=done + 1)


def _exp(loss: float) -> float:
    return math.exp(min(loss, 700.0))
