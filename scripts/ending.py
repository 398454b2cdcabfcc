"""How the `cpt` process ends: one line after Ctrl-C whenever it comes, and one for output that could not be written."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
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


def leave(code: int) -> None:
    """Ends the process. After an interruption at once: threads of a simulated device may still be in C++ code, whose
    memory the usual end of a process would take away.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the result is there; nothing is left to stop
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os._exit(141)
    except OSError as problem:
        os.write(2, f"cpt: standard output: {problem.strerror}\n".encode())
        os._exit(2)
    if code == INTERRUPTED:
        os._exit(code)
    sys.exit(code)
