"""A training run on a device: the loop of `cpt board train`, with NumPy alone.

While the device runs an iteration's lists, a thread reads, crops, flips and packs the images of the next one. All that
a step depends on is a function of the step or is in the checkpoint.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from host.compiler.bits import Bits
from host.compiler.step.head import Loss, cross_entropy, in_order
from host.compiler.step.initial import drawn_parameters
from host.compiler.step.networks import named
from host.compiler.step.widths import ABLATIONS
from host.data.batches import TrainingBatches, test_batches
from host.data.catalogue import load_images
from host.driver.errors import DeviceError
from host.driver.integer_step import IntegerStep
from host.driver.list_times import ListTimes
from host.training import folder as folders
from host.training.ahead import Ahead, Preparing
from host.training.checkpoint import BEFORE, CheckpointError, load_newest, save_checkpoint
from host.training.cost import Meter
from host.training.host_time import Host
from host.training.journal import Journal
from host.training.pixels import PixelPacker
from host.training.precision import precision_name
from host.training.progress import Progress
from host.training.rates import rate
from host.training.settings import STEPS, Settings, SettingsError
from host.training.signals import Stopped, Watch, watch_signals
from host.training.summary import summary
from host.training.weights import read_weights
from sim.common.files import write_atomically
from sim.contract import has_vector_unit

TIMED_SECONDS = 60  # from one iteration in parts to the next
SAVE_SECONDS = 600  # at least so often, whatever the settings say


class Run:
    """One run, from its settings to its summary, on an opened device (or an executor, or what brings a machine)."""

    def __init__(self, run: Settings, device: Any, weights: Path | None = None) -> None:
        check_device(device)
        self.run, self.network = run, named(run.arch)
        data = load_images(run.dataset, None if run.datadir is None else Path(run.datadir))
        if data.shape != self.network.image:
            raise SettingsError(f"{run.arch} takes images of {self.network.image}, {run.dataset} has {data.shape}")
        there = min(len(data.train_labels), run.limit or len(data.train_labels))
        self.batch = min(run.batch, there) if run.fit_batch else run.batch
        self.data = data
        self.batches = TrainingBatches(data, self.batch, run.seed, run.augment, limit=run.limit)
        test_batches(data, self.batch, run.test_limit)  # a limit that cannot be is refused now, not after an epoch
        epoch = self.batches.steps_per_epoch
        self.total = run.steps or (STEPS if run.epochs is None else run.epochs * epoch)
        self.meter = Meter(run, self.network, self.total, self.batch)
        forward, backward = (max(pair) for pair in zip(self.meter.highest(), self.eval_bits(), strict=True))
        self.step = IntegerStep(
            self.network,
            self.batch,
            device,
            read_weights(weights, self.network) if weights else drawn_parameters(self.network, run.seed),
            widest=Bits(forward, backward),
            seed=run.seed,
            momentum=run.momentum,
            weight_decay=run.weight_decay,
            widths=ABLATIONS[run.widths],
        )
        packer = PixelPacker(data, self.step.image_range)
        rates = partial(rate, run, steps=self.total)
        self._steps = Preparing(data, self.batches, packer, self.total, self.meter.bits, rates)
        self.done = self.evaluated = 0
        self.result: tuple[float, float] | None = None  # loss and accuracy of the last evaluation
        self.best: float | None = None
        self.window = [0.0, 0.0, 0.0, 0.0]  # since the last line of metrics: loss · guesses, right, guesses, steps
        self.seconds = 0.0
        self.host = Host()
        self._began = self._saved = self._timed = time.monotonic()

    def go(self, watch: Watch, shown: bool) -> dict[str, Any]:
        """Steps to the end; a signal ends it sooner, with a checkpoint."""
        self._began = self._saved = time.monotonic()
        folder = Path(self.run.folder)
        self.progress = Progress(f"{self.run.arch} {precision_name(self.run)}", self.total, self.done, shown)
        with self._steps, Journal(folder, self.done, self.evaluated) as self._journal:
            while True:
                if watch.number:
                    self.save()
                    file = self._file(folders.LAST)
                    raise Stopped(watch.number, f"stopped after step {self.done}; {file} continues it")
                if self._evaluation_due():
                    self._evaluate(watch)
                elif self.done == self.total:
                    return self._finish()
                else:
                    self._train()
                    if self._save_due():
                        self.save()

    def _train(self) -> None:
        began, number = time.perf_counter(), self.done
        now = self._steps.now(number)
        before, hidden = self.step.device_seconds, self.step.hidden_seconds
        logged = (number + 1) % self.run.log_every == 0 or number + 1 == self.total
        times = ListTimes() if logged and self._timing_due(number + 1) else None

        def meanwhile(loss: Loss) -> None:
            self._account(number + 1, loss, now)
            images = self._steps.images()
            if images is not None:
                self.step.upload(images)

        self.step.train(now.images, now.labels, now.bits, now.lr, times, meanwhile)
        self.done += 1
        lists = self.step.device_seconds - before
        self.host.device += lists
        self.host.shown += time.perf_counter() - began - lists
        self.host.hidden += now.seconds + self.step.hidden_seconds - hidden
        if times is not None:
            self.host.take(times)
            self.host.write(Path(self.run.folder), self.done, now.bits)
        if logged:
            self._log(now.lr, now.bits)

    def _account(self, done: int, loss: Loss, of: Ahead) -> None:
        """What the metrics and the progress take of a step; its backward list still runs."""
        right, images = int((loss.logits.argmax(1) == of.labels).sum()), len(of.labels)
        parts = loss.loss * images, right, images, 1
        self.window = [sum(pair) for pair in zip(self.window, parts, strict=True)]
        self.progress.step(done, loss.loss, 100 * right / images, of.bits, self.host)

    def _log(self, lr: float, bits: Bits) -> None:
        loss, right, made, _ = self.window
        self.window = [0.0, 0.0, 0.0, 0.0]
        gbitops, hours = self.meter.after(self.done)
        self._journal.write(
            step=self.done,
            epoch=self.done / self.batches.steps_per_epoch,
            loss=loss / made,
            accuracy=100 * right / made,
            lr=lr,
            fw_bits=bits.forward,
            bw_bits=bits.backward,
            gbitops=gbitops,
            board_hours=hours,
            seconds=self._seconds(),
            device_seconds=self.host.device,
            host_seconds=self.host.shown,
            host_seconds_hidden=self.host.hidden,
            **{f"{kind.lower()}_seconds": seconds for kind, seconds in self.host.kinds().items()},
        )

    def _timing_due(self, done: int) -> bool:
        """An iteration in parts takes a board twice as long as another: the first there is, the last, few between."""
        due = done == self.total or not self.host.parts or time.monotonic() - self._timed > TIMED_SECONDS
        if due:
            self._timed = time.monotonic()
        return due

    def eval_bits(self) -> Bits:
        highest = self.meter.highest()
        return highest if self.run.eval_bits is None else Bits(self.run.eval_bits, highest.backward)

    def _evaluation_due(self) -> bool:
        every = self.run.eval_every or self.batches.steps_per_epoch
        due = self.done == self.total or (self.done > 0 and self.done % every == 0)
        return due and self.evaluated != self.done

    def _evaluate(self, watch: Watch) -> None:
        """What a signal cuts short is done again on resuming."""
        bits, losses, right = self.eval_bits(), [], 0
        for images, labels in test_batches(self.data, self.batch, self.run.test_limit):
            logits = self.step.evaluate(images, bits)
            losses.append(cross_entropy(logits, labels)[0])
            right += int((logits.argmax(1) == labels).sum())
            if watch.number:
                return
        every = np.concatenate(losses)
        loss, score = in_order(every) / len(every), 100 * right / len(every)
        self.evaluated, self.result = self.done, (loss, score)
        self._journal.write(
            step=self.done,
            test_accuracy=score,
            test_loss=loss,
            eval_fw_bits=bits.forward,
            eval_bw_bits=bits.backward,
        )
        self.progress.tested(self.done, self.total, f"test accuracy {score:.2f} %")
        if self.best is None or score > self.best:
            self.best = score
            self.save(folders.BEST)
        if self.run.save_every is None or self.done == self.total:
            self.save()

    def _save_due(self) -> bool:
        by_step = self.run.save_every is not None and self.done % self.run.save_every == 0
        return by_step or time.monotonic() - self._saved > SAVE_SECONDS

    def save(self, name: str = folders.LAST) -> None:
        self._saved = time.monotonic()
        about = {
            "settings": self.run.to_dict(),
            "step": self.done,
            "eval_bits": list(self.eval_bits()),
            "result": self.result,
            "evaluated": self.evaluated,
            "best": self.best,
            "window": self.window,
            "seconds": self._seconds(),
            "total": self.total,
            "batch": self.batch,
        }
        save_checkpoint(self._file(name), self.step.state(), about, keep=name == folders.LAST)

    def load(self, file: Path) -> None:
        """Goes on from a checkpoint, bit for bit; one of another run is refused."""
        (state, about), file, note = load_newest(file)
        if note:
            print(f"cpt: {note}", file=sys.stderr)
        folders.check_same(self.run, Settings.from_dict(about["settings"]), file)
        for name, value in {"total": self.total, "batch": self.batch}.items():
            if about[name] != value:
                raise CheckpointError(f"{file} was saved with {name} = {about[name]}, here it is {value}")
        self.step.load(state)
        self.done, self.evaluated, self.best = about["step"], about["evaluated"], about["best"]
        self.result = None if about["result"] is None else tuple(about["result"])
        self.window, self.seconds = about["window"], about["seconds"]

    def _finish(self) -> dict[str, Any]:
        assert self.result is not None
        found = summary(
            self.run,
            self.meter,
            steps=self.total,
            batch=self.batch,
            epochs=self.total / self.batches.steps_per_epoch,
            test_accuracy=self.result[1],
            best_accuracy=self.best,
            test_loss=self.result[0],
            eval_bits=list(self.eval_bits()),
            seconds=self._seconds(),
        )
        write_atomically(self._file(folders.SUMMARY), json.dumps(found, indent=2) + "\n")
        return found

    def _file(self, name: str) -> Path:
        return Path(self.run.folder) / name

    def _seconds(self) -> float:
        return self.seconds + time.monotonic() - self._began


def check_device(device: Any) -> None:
    """A core without the vector unit cannot run whole iterations: said before anything is written."""
    if not has_vector_unit(getattr(device, "features", ~0)):
        name = getattr(device, "simulates", None) or "board"
        raise DeviceError(
            f"the core of '{name}' has no vector unit (register FEATURES is 0): it runs matrix passes only, not whole"
            " iterations; use reference or hls, or an overlay with the vector unit"
        )


def train(
    run: Settings,
    device: Any,
    resume: bool = False,
    overwrite: bool = False,
    shown: bool = True,
    weights: Path | None = None,
) -> dict[str, Any]:
    """Trains, and returns the summary; everything is in `run.folder` as well.

    Args:
        run: the settings.
        device: an opened device, or an executor of the contract.
        resume: continue what is in the folder, if there is something.
        overwrite: clear a run that is in the folder. With neither, a folder that holds a run is refused.
        shown: print progress.
        weights: file of the weights to begin with; drawn ones by default.
    """
    with watch_signals() as watch:
        made = Run(run, device, weights)
        try:
            last = Path(run.folder) / folders.LAST
            if resume and (last.exists() or last.with_name(BEFORE).exists()):
                made.load(last)  # refused before anything is written
            with folders.held(Path(run.folder)):
                folders.prepare(run, resume, overwrite)
                if weights and made.done == 0:
                    made.save()  # from now on the file is not needed
                return made.go(watch, shown)
        finally:
            made.step.close()
