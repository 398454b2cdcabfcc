"""Sleeps until pynq reports an interrupt, for a bounded time, from code that is not asynchronous itself."""

from __future__ import annotations

import asyncio
import time
import warnings
from typing import Any


class InterruptSleeper:
    """Waits on one `pynq.Interrupt`; pynq hands interrupts to the thread's own event loop."""

    def __init__(self, interrupt: Any) -> None:
        self._interrupt = interrupt
        self._loop = thread_loop()

    def usable(self) -> bool:
        """False inside a coroutine (in a notebook, say): no loop can be run from there."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return not self._loop.is_running() and not self._loop.is_closed()
        return False

    def sleep(self, seconds: float) -> bool:
        """True as soon as the interrupt is reported, False after `seconds` without one."""
        end = time.monotonic() + seconds
        waiting = self._loop.create_task(self._hear())
        alarm = self._loop.call_later(seconds, self._loop.stop)
        try:
            while not waiting.done() and time.monotonic() < end:
                self._loop.run_forever()
            if waiting.done():
                waiting.result()  # a failed wait raises here: otherwise the caller would spin
            return waiting.done()
        finally:  # also on Ctrl-C: leave nothing in the loop
            alarm.cancel()
            if not waiting.done():
                waiting.cancel()
                self._loop.run_until_complete(asyncio.gather(waiting, return_exceptions=True))

    async def _hear(self) -> None:
        """Stops the loop from inside: a callback of the task would run one turn of the loop later."""
        try:
            await self._interrupt.wait()
        except Exception:  # not on cancellation: the loop then belongs to the canceller
            self._loop.stop()
            raise
        self._loop.stop()


def thread_loop() -> asyncio.AbstractEventLoop:
    """This thread's event loop, made if there is none: the one pynq attaches its interrupt files to."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return asyncio.get_event_loop()
    except RuntimeError:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        return loop
