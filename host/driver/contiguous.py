"""How much contiguous memory there is for the accelerator, and how to get a piece of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from host.driver.errors import ContiguousMemoryError
from sim.contract import OVERLAY_PL_MEMORY

MEMINFO = Path("/proc/meminfo")
ADVICE = (
    "use a smaller batch or fewer layers, free other buffers, or give the kernel a larger cma= at boot"
    " (see vivado/BRINGUP.md)"
)


class ContiguousMemory:
    """Where regions come from: the fabric's own memory if the overlay has it, else the system's contiguous pool."""

    def __init__(self, overlay: Any) -> None:
        device = overlay.device
        banks = [entry for name, entry in overlay.mem_dict.items() if name.split("/")[0] == OVERLAY_PL_MEMORY]
        self._source = device.get_memory(banks[0]) if banks else device
        self._bank_bytes = int(banks[0]["size"]) if banks else None

    def free_bytes(self) -> int | None:
        """Free bytes; None where they are unknown. A fragmented pool may have less in one piece."""
        probe = getattr(self._source, "free_bytes", None)
        if probe is not None:  # a simulated device knows
            return int(probe())
        if self._bank_bytes is not None:
            return self._bank_bytes
        found = re.search(r"^CmaFree:\s+(\d+) kB", MEMINFO.read_text() if MEMINFO.exists() else "", re.MULTILINE)
        return int(found[1]) * 1024 if found else None

    def take(self, size: int) -> Any:
        """A buffer of `size` bytes, or an error that says how many are missing."""
        free = self.free_bytes()
        if free is not None and size > free:
            raise ContiguousMemoryError(
                f"the plan needs {size:,} contiguous bytes, {free:,} are free: {size - free:,} too few; {ADVICE}"
            )
        try:
            buffer = self._source.allocate((size,), np.dtype(np.uint8))
        except (MemoryError, RuntimeError, OSError) as problem:
            raise ContiguousMemoryError(
                f"{size:,} contiguous bytes were refused ({problem}), though {amount(free)} are free; {ADVICE}"
            ) from problem
        if buffer.device_address + size > 1 << 32:
            buffer.freebuffer()
            raise ContiguousMemoryError(
                f"the memory lies beyond 4 GB of the bus, which the accelerator cannot reach; {ADVICE}"
            )
        return buffer


def amount(size: int | None) -> str:
    """For messages.

    >>> amount(2048), amount(None)
    ('2,048 bytes', 'an unknown number of bytes')
    """
    return "an unknown number of bytes" if size is None else f"{size:,} bytes"
