"""Ctrl-C, SIGTERM, SIGHUP and SIGQUIT end a run after the step that is running, with a checkpoint."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

ALWAYS = (signal.SIGINT, signal.SIGTERM)
SIGNALS = (*ALWAYS, signal.SIGHUP, signal.SIGQUIT)  # a terminal that closes, Ctrl-\\; nohup has the first ignored


class Stopped(Exception):  # noqa: N818 (not an error: the user wanted it)
    """The run was asked to end and has saved its checkpoint; `code` is the exit code shells expect (130, 143)."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.code = 128 + number


class Watch:
    """The number of the signal that came, or 0."""

    number = 0


@contextmanager
def watch_signals() -> Iterator[Watch]:
    """While it lasts, the first signal is noted; the second one does what it always does. Outside the main thread
    Python delivers none.
    """
    watch = Watch()
    if threading.current_thread() is not threading.main_thread():
        yield watch
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    numbers = [number for number in SIGNALS if number in ALWAYS or before[number] is not signal.SIG_IGN]

    def note(number: int, frame: FrameType | None) -> None:
        watch.number = number
        for each in numbers:
            signal.signal(each, before[each])
        with suppress(OSError):  # not print: the signal may have come in the middle of one
            os.write(2, b"stopping after this step, with a checkpoint; once more ends at once, without\n")

    for number in numbers:
        signal.signal(number, note)
    try:
        yield watch
    finally:
        for number in numbers:
            signal.signal(number, before[number])
