"""The simulated board: its memory, its cache, its interrupt, and the races it does not let pass."""

from __future__ import annotations

import numpy as np
import pytest

from host.compiler.layer import Pass
from sim.contract import CLASSES, COMMAND_BYTES, OVERLAY_CONTROL_BYTES, ApCtrl, Register
from sim.devices.pynq_api import MMIO
from sim.devices.pynq_device import CONTROL_ADDRESS, SimulatedDevice
from sim.devices.pynq_memory import FIRST_ADDRESS, PAGE, ContiguousPool
from sim.devices.pynq_registers import ConcurrentRegisters, Faults
from sim.reference import Reference
from tests.host.driver.driving import BITS, LAYER, Slow, compiled, driven
from tests.tools import TINY, operands


def test_host_and_accelerator_see_different_bytes_until_they_are_moved() -> None:
    device = SimulatedDevice(Reference(TINY), "reference")
    buffer = device.allocate((256,), np.uint8)
    dram = device.pool.dram(buffer.device_address, 256)
    buffer[:] = 7
    assert not (dram == 7).any()
    buffer[64:128].flush()
    assert (dram == 7).sum() == 64
    dram[:] = 9
    assert not (buffer == 9).any()
    buffer[128:192].invalidate()
    assert np.flatnonzero(buffer == 9).tolist() == list(range(128, 192))
    assert (device.flushes, device.invalidates) == (1, 1)
    device.release()


def test_memory_is_given_in_pages_and_taken_back() -> None:
    pool = ContiguousPool(4 * PAGE)
    first, second, third = pool.allocate(1), pool.allocate(PAGE + 1), pool.allocate(PAGE)
    assert [pool.blocks[handle].address - FIRST_ADDRESS for handle in (first, second, third)] == [0, PAGE, 3 * PAGE]
    assert pool.largest_hole() == 0
    with pytest.raises(MemoryError, match="no 4,096 bytes in one piece"):
        pool.allocate(1)
    pool.release(second)
    assert pool.largest_hole() == 2 * PAGE
    pool.release(first)
    assert pool.largest_hole() == 3 * PAGE, "neighbours are one hole"


def test_nothing_answers_beside_the_blocks() -> None:
    pool = ContiguousPool(4 * PAGE)
    pool.allocate(100)
    assert pool.dram(FIRST_ADDRESS + 64, 100).size == 36
    assert pool.dram(FIRST_ADDRESS + 100, 4).size == 0
    assert pool.dram(0, 4).size == 0


def test_a_buffer_is_freed_when_it_is_forgotten() -> None:
    device = SimulatedDevice(Reference(TINY), "reference", memory_bytes=PAGE)
    for _ in range(3):
        device.allocate((PAGE,), np.uint8)
    assert device.free_bytes() == PAGE
    device.release()


def test_the_device_counts_its_own_time_from_start_to_interrupt() -> None:
    (program,), commands, plan = compiled((LAYER, Pass.FORWARD))
    with driven(Slow(TINY)) as accelerator, accelerator.allocate(plan) as region:
        region.upload(program, *operands(LAYER, Pass.FORWARD, BITS))
        region.upload_list(commands)
        before = accelerator.device.list_seconds
        outcome = accelerator.run(region, commands)
        assert Slow.delay <= accelerator.device.list_seconds - before <= outcome.seconds


def test_registers_answer_at_their_addresses() -> None:
    device = SimulatedDevice(Reference(TINY), "reference")
    registers = MMIO(CONTROL_ADDRESS, OVERLAY_CONTROL_BYTES, device=device)
    registers.write(Register.LIST_OFFSET, 0x1234)
    assert registers.read(Register.LIST_OFFSET) == 0x1234
    assert device.accesses == 2
    further = MMIO(CONTROL_ADDRESS + Register.LIST_OFFSET, 4, device=device)
    assert further.read(0) == 0x1234
    with pytest.raises(ValueError, match="nothing answers at 0x40000000"):
        MMIO(0x4000_0000, OVERLAY_CONTROL_BYTES, device=device)
    device.release()


@pytest.mark.parametrize("what", ["upload", "result"])
def test_handling_what_a_running_list_uses_is_refused(what: str) -> None:
    with driven(Slow(TINY)) as accelerator:
        (program,), commands, plan = compiled((LAYER, Pass.FORWARD))
        with accelerator.allocate(plan) as region:
            a, b = operands(LAYER, Pass.FORWARD, BITS)
            region.upload(program, a, b)
            region.upload_list(commands)
            accelerator.start(region, commands)
            with pytest.raises(RuntimeError, match="which command 0 of the running list uses"):
                region.upload(program, a, b) if what == "upload" else region.result(program)
            accelerator.finish()
            region.result(program)


SHORT = [0, 1, COMMAND_BYTES - 1, COMMAND_BYTES, COMMAND_BYTES + 1, 2 * COMMAND_BYTES]


@pytest.mark.parametrize("size", SHORT)
@pytest.mark.parametrize("opcode", [*CLASSES, 0xFF])
def test_a_list_that_reaches_beyond_a_short_image_is_the_executors_error(opcode: int, size: int) -> None:
    """What the host flushes meanwhile is compared with the commands that are there, be they whole or not."""
    pool = ContiguousPool(PAGE)
    registers = ConcurrentRegisters(Reference(TINY), pool, Faults(hang=True), lambda: None)
    block = pool.blocks[pool.allocate(size)]
    block.dram[:] = 0xFF  # fields without sense
    block.dram[::COMMAND_BYTES] = opcode
    registers.write(Register.MEM_BASE, block.address)
    registers.write(Register.MEM_BYTES, PAGE)
    registers.write(Register.LIST_BYTES, 4 * COMMAND_BYTES)
    registers.write(Register.AP_CTRL, 1 << ApCtrl.START)
    registers.refuse_in_use(block.address, 1, written_only=False)
    registers.close()
