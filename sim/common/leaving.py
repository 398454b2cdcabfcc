"""How a process ends: quietly when the reader of its output has gone, as `head` does; one line for a full disk."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

INTERRUPTED, NO_READER = 130, 141


def run_and_leave(main: Callable[[], int]) -> None:
    """For `python -m`."""
    try:
        code = main()
    except BrokenPipeError:
        code = reader_left()
    leave(code)


def reader_left() -> int:
    """What is left of the output goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return NO_READER


def leave(code: int) -> None:
    """Ends the process. After an interruption at once: threads of a simulated device may still be in C++ code, whose
    memory the usual end of a process would take away.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the result is there; nothing is left to stop
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        os._exit(NO_READER)
    except OSError as problem:
        os.write(2, f"cpt: standard output: {problem.strerror}\n".encode())
        os._exit(2)
    if code == INTERRUPTED:
        os._exit(code)
    sys.exit(code)
