"""Progress of a run, with the time left: on a terminal a line that is written over, else a line every 30 seconds."""

from __future__ import annotations

import sys
import time
from datetime import timedelta

from host.compiler.bits import Bits
from host.training.host_time import Host

EVERY = 30.0  # seconds


class Progress:
    """On standard error."""

    def __init__(self, name: str, steps: int, done: int, shown: bool) -> None:
        self.name, self.steps, self.first, self.shown = name, steps, done, shown
        self._began = self._printed = time.monotonic()
        self._live = shown and sys.stderr.isatty()
        if shown:
            print(f"{name}: {steps:,} steps, {done:,} done before", file=sys.stderr, flush=True)

    def step(self, done: int, loss: float, accuracy: float, bits: Bits, host: Host) -> None:
        now = time.monotonic()
        if not self.shown or not (self._live or now - self._printed >= EVERY):
            return
        left = (self.steps - done) * (now - self._began) / (done - self.first)
        text = f"step {done}/{self.steps} loss {loss:.3f} acc {accuracy:.1f} % bits {bits}"
        text += f" host {100 * host.share:.1f} % {host.brief()} left {timedelta(seconds=round(left))}"
        self._printed = now
        print(f"\r\033[K{text}" if self._live else text, end="" if self._live else "\n", file=sys.stderr, flush=True)

    def tested(self, done: int, steps: int, text: str) -> None:
        if self.shown:
            start = "\r\033[K" if self._live else ""
            print(f"{start}step {done}/{steps}: {text}", file=sys.stderr, flush=True)
