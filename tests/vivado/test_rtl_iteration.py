"""Whole iterations of training on the Verilated core: every byte as the reference leaves it, cycles as modelled."""

from __future__ import annotations

import pytest

from sim.contract import CLASSES, COMMAND_BYTES, Command, Memory, Outcome
from sim.devices.rtl_executor import Ddr, RtlExecutor
from sim.latency import Memory as ModelledMemory
from sim.latency import command_time
from tests.tools import TINY
from tests.whole_iterations import assert_trains_as_the_reference

DDR = Ddr(bytes_per_cycle=8, latency=20)


class Timed(RtlExecutor):
    """Adds up the cycles of all commands, simulated and by the latency model."""

    seen = modelled = 0.0

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        outcome = super().run(memory, list_offset, list_bytes, mem_base, mem_bytes)
        for start in range(list_offset, list_offset + list_bytes, COMMAND_BYTES):
            command = CLASSES.get(memory[start], Command).decode(memory[start : start + COMMAND_BYTES].tobytes())
            self.modelled += command_time(command, TINY, ModelledMemory(DDR.bytes_per_cycle, DDR.latency)).cycles
        self.seen += sum(counters.total for counters in self.commands)
        return outcome


@pytest.mark.slow
def test_iterations_of_resnet_8_leave_what_the_reference_leaves_in_the_cycles_of_the_model() -> None:
    executor = Timed(TINY, DDR)
    assert_trains_as_the_reference(executor, batch=8)
    assert executor.modelled == pytest.approx(executor.seen, rel=0.1)
