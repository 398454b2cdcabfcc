"""What runs command lists: the reference, the C-simulated HLS kernel, the Verilated core."""

from __future__ import annotations

from typing import Protocol

from sim.contract.build import Build
from sim.contract.outcome import Outcome
from sim.contract.tensors import Memory


class Executor(Protocol):
    """Anything that obeys the contract."""

    @property
    def build(self) -> Build: ...

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        """Runs a list on the region `memory`, in place, up to its end or its first error.

        `mem_bytes` is the size the host claims (register MEM_BYTES); reaching past `memory` is a bus error.
        """
        ...
