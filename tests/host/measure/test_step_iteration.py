"""A whole training step's cycles by layer and kind of work, on a stand-in whose commands all take as long."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from host.compiler.bits import Bits
from host.compiler.step.networks import named
from host.compiler.step.program import StepProgram
from host.measure.model_error import step_iteration_deviations
from host.measure.step_iteration import simulated, summary, write
from host.measure.step_time import Work, iteration_time
from sim.contract import COMMAND_BYTES, NOTHING, Counters, Memory, Outcome
from sim.latency import Memory as LatencyMemory
from sim.latency.core import LIST_BEGINS
from sim.reference import Reference
from tests.tools import TINY

ARCH, BATCH, BITS, EACH = "digits_resnet_8", 2, Bits(3, 8), 10


class Clock:
    """Executes as the reference does; every command takes `EACH` cycles."""

    def __init__(self) -> None:
        self.reference = Reference(TINY)
        self.build, self.features = TINY, self.reference.features
        self.commands: list[Counters] = []

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        number = list_bytes // COMMAND_BYTES
        self.commands = [replace(NOTHING, total=EACH)] * number
        outcome = self.reference.run(memory, list_offset, list_bytes, mem_base, mem_bytes)
        return replace(outcome, cycles=EACH * number)


def test_cycles_are_added_up_and_compared_with_the_model(tmp_path: Path) -> None:
    network = named(ARCH)
    found = simulated(Clock(), network, BATCH, BITS)  # type: ignore[arg-type]
    lists = StepProgram(network, BATCH, TINY).training(BITS)
    wanted = [EACH * len(each.commands) for each in (lists.forward, lists.backward)]
    assert found["lists"] == wanted
    assert all(cycles == EACH * number for _, _, number, cycles in found["work"])
    assert sum(row[3] for row in found["work"]) == sum(wanted)
    updates = [row for row in found["work"] if row[1] == Work.UPDATE.value]
    assert {row[0] for row in updates} == {unit.name for unit in network.units}
    assert f"{sum(wanted):,}" in summary(found, 200)

    heading = {"arch": ARCH, "batch": BATCH, "fw_bits": 3, "bw_bits": 8, "build": TINY.parameters()}
    write(tmp_path / "new" / "step.json", heading | {"bytes_per_cycle": 8, "latency": 60}, found)
    whole, *parts = step_iteration_deviations(tmp_path / "new" / "step.json")
    times = iteration_time(network, BATCH, BITS, TINY, LatencyMemory(8, 60))
    assert whole.rtl == sum(wanted) == sum(part.rtl for part in parts)
    assert whole.model == pytest.approx(sum(time.cycles for time in times.values()) + 2 * LIST_BEGINS)
    assert [part.what.strip() for part in parts] == [work.value for work in Work]
