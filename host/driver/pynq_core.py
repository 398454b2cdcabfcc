"""The accelerator as pynq sees it: a driver bound to the IP, whose registers are pynq's MMIO."""

from __future__ import annotations

from typing import Any

from host.driver.core import Core
from host.driver.interrupts import InterruptSleeper, thread_loop
from sim.contract import OVERLAY_VLNV
from sim.devices.pynq_api import DefaultIP


class PynqCore(DefaultIP):
    """What pynq makes for each IP of our type; `core` is what the driver uses."""

    bindto = [OVERLAY_VLNV]  # noqa: RUF012 (pynq's metaclass wants a list here)

    def __init__(self, description: dict[str, Any]) -> None:
        thread_loop()  # pynq needs one when it finds an interrupt, and new threads have none
        super().__init__(description)
        interrupt = getattr(self, "interrupt", None)
        self.core = Core(self, None if interrupt is None else InterruptSleeper(interrupt))
