"""The HLS kernel with time: the same C++ with streams and masters that record, replayed with their depths and IIs.

`hls/README.md` says what is assumed. Results are those of the untimed kernel.
"""

from __future__ import annotations

import ctypes
import json
from typing import TypedDict

from sim.contract import BOARD_BYTES_PER_CYCLE, BOARD_LATENCY_CYCLES, NOTHING, Build, Counters, Memory, Outcome
from sim.devices.hls_executor import HlsExecutor
from sim.devices.registers import COUNTERS


class StageTime(TypedDict):
    """Cycles of a stage: at work, and waiting for a stream to fill or to empty, for memory, for a ping-pong half."""

    active: int
    empty: int
    full: int
    memory: int
    neighbour: int


class StreamFill(TypedDict):
    depth: int
    high_water: int


class Timing(TypedDict):
    """What a list took."""

    cycles: int
    stages: dict[str, StageTime]
    streams: dict[str, StreamFill]


class TimedHlsExecutor(HlsExecutor):
    """After `run`: `counters` and `timing` of the list. A dataflow that waits for itself raises RuntimeError."""

    counters: Counters
    timing: Timing

    def __init__(
        self,
        build: Build,
        bytes_per_cycle: float = BOARD_BYTES_PER_CYCLE,
        latency: int = BOARD_LATENCY_CYCLES,
        library: str | None = None,
    ) -> None:
        if bytes_per_cycle <= 0 or latency < 0:
            raise ValueError(f"bandwidth {bytes_per_cycle} must be positive, latency {latency} not negative")
        self.memory = (bytes_per_cycle, latency)
        self._name = library or f"{build.name}-timed"
        self.counters = NOTHING
        super().__init__(build)

    def library_name(self, build: Build, vector_unit: bool) -> str:
        return self._name

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        library = self._library
        library.cpt_set_memory(ctypes.c_double(self.memory[0]), ctypes.c_uint32(self.memory[1]))
        library.cpt_timing.restype = library.cpt_problem.restype = ctypes.c_char_p
        outcome = super().run(memory, list_offset, list_bytes, mem_base, mem_bytes)
        problem = library.cpt_problem().decode()
        if problem:
            raise RuntimeError(f"the HLS kernel would hang: {problem}")
        self.timing = json.loads(library.cpt_timing())
        self.counters = Counters(*(self.wide_register(offset) for offset in COUNTERS))
        return Outcome(outcome.error, outcome.error_index, outcome.commands_done, self.counters.total)
