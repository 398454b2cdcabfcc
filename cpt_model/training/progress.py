"""The progress bar: loss, accuracy, bits, cost; without a terminal, a line every 30 seconds and an evaluation."""

from __future__ import annotations

import sys
import time
from typing import Any

from tqdm import tqdm

from cpt_model.training.meter import Cost
from host.compiler.bits import Bits
from sim.common.progress import EVERY
from sim.common.units import as_time


class Progress:
    """Shown by the first process only."""

    def __init__(self, name: str, steps: int, done: int, shown: bool) -> None:
        self.shown = shown
        self._bar: Any = tqdm(
            total=steps, initial=done, desc=name, unit="step", disable=None if shown else True, dynamic_ncols=True
        )
        self._test = ""
        self._steps, self._first = steps, done
        self._began = self._said = time.monotonic()
        if shown and self._bar.disable:
            print(f"{name}: {steps:,} steps, {done:,} done before", file=sys.stderr, flush=True)

    def step(self, step: int, loss: float, score: str, bits: Bits, cost: Cost) -> None:
        if self._bar.disable:
            self._lines(step, loss, score, bits)
            return
        hours = "" if cost.board_hours is None else f" {cost.board_hours:.3g}h"
        width = str(bits) if bits.forward else "float32"
        text = f"loss {loss:.3f} {score}{self._test} bits {width} {cost.gbitops:.3g}GBitOPs{hours}"
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(step - self._bar.n)

    def _lines(self, step: int, loss: float, score: str, bits: Bits) -> None:
        now = time.monotonic()
        if not self.shown or now - self._said < EVERY:
            return
        self._said = now
        left = (self._steps - step) * (now - self._began) / max(1, step - self._first)
        text = f"step {step}/{self._steps} loss {loss:.3f} {score} bits {bits}"
        print(f"{text}, {as_time(left)} left", file=sys.stderr, flush=True)

    def tested(self, step: int, steps: int, text: str) -> None:
        self._test = f" ({text})"
        if self.shown and self._bar.disable:
            print(f"step {step}/{steps}: {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        self._bar.close()
