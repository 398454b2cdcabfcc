"""Progress of what lasts: a bar on a terminal that has tqdm; elsewhere a line every 30 seconds, with the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

from sim.common.units import as_time

EVERY = 30.0  # seconds
Item = TypeVar("Item")


class Progress:
    """On standard error; `update` says that more has been done, as tqdm's does.

    Args:
        total: of the units.
        what: is done.
        unit: of it, in the plural.
        done: before this process.
        shown: whether anything is said at all.
    """

    def __init__(self, total: int, what: str, unit: str, done: int = 0, shown: bool = True) -> None:
        self.shown = shown
        self.total, self.what, self.unit = total, what, unit
        self.first = self.done = done
        self.began = self.said = time.monotonic()
        self.bar: Any = None
        if shown and sys.stderr.isatty():
            try:
                from tqdm import tqdm

                self.bar = tqdm(total=total, initial=done, desc=what, unit=unit.removesuffix("s"), leave=False)
            except ModuleNotFoundError:  # on a board
                pass

    def update(self, more: int = 1) -> None:
        self.done += more
        if self.bar is not None:
            self.bar.update(more)
            return
        now = time.monotonic()
        if self.shown and now - self.said >= EVERY and self.done > self.first:
            self.said = now
            left = (now - self.began) / (self.done - self.first) * (self.total - self.done)
            text = f"  {self.what}: {self.done:,} of {self.total:,} {self.unit}, {as_time(now - self.began)} so far"
            print(f"{text}, {as_time(left)} left", file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.close()


def watched(items: Sequence[Item], what: str, unit: str) -> Iterator[Item]:
    """The items one by one."""
    with Progress(len(items), what, unit) as progress:
        for item in items:
            yield item
            progress.update()
