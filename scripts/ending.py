"""How Ctrl-C ends the `cpt` process: with one line, whenever it comes."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from sim.common.leaving import INTERRUPTED

STOPPED = b"cpt: stopped\n"


def watch_interrupts() -> None:
    """Ctrl-C raises KeyboardInterrupt, except in the middle of an import, which it would break in odd ways."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a shell has us ignore it
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    claims = sys.modules.get(f"{__name__.removesuffix('scripts.ending')}host.driver.claim")
    if _importing(frame) and not getattr(claims, "HELD", None):  # a device that is open has to be stopped first
        os.write(2, STOPPED)
        os._exit(INTERRUPTED)
    signal.default_int_handler(number, frame)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
