"""Registers and list runner through the kernel's pins, with a stub for the core whose commands end as requested."""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from sim.bench.replay import BASE, Device
from sim.contract import (
    COMMAND_BYTES,
    NO_COMMAND,
    VERSION_MAGIC,
    ApCtrl,
    Build,
    Command,
    Error,
    Format,
    Irq,
    Opcode,
    Register,
    check_command,
    check_list,
    encode_list,
)
from sim.devices.native import arguments
from sim.devices.registers import COUNTERS

TINY = Build.named("tiny")
MEM_BYTES = 0x2000
PATIENCE = 4000  # cycles a list may take
GOOD = Command(
    opcode=Opcode.CONV, a_bits=1, b_bits=1, out_format=Format.INT32, b_addr=64, out_addr=0x400, out_image_stride=64
)
FATES = (Error.OK, Error.READ_BUS, Error.WRITE_BUS)  # what seed_hi asks of the stub


def expected(commands: list[Command], offset: int) -> tuple[Error, int, int]:
    """STATUS, ERROR_INDEX and COMMANDS_DONE by the contract."""
    span = (offset, offset + COMMAND_BYTES * len(commands))
    for index, command in enumerate(commands):
        error = check_command(command.encode(), TINY, MEM_BYTES, span, features=0) or FATES[command.seed_hi]
        if error:
            return error, index, index
    return Error.OK, NO_COMMAND, len(commands)


class Control(Device):
    """The kernel with the stub behind it."""

    async def start_list(self, commands: list[Command], offset: int = 0x1000, base: int = BASE) -> None:
        self.memory.base = base
        self.memory.image = bytearray(MEM_BYTES)
        data = encode_list(commands)
        self.memory.image[offset : offset + len(data)] = data
        await self.start_with(arguments(offset, len(data), base, MEM_BYTES))

    async def results(self) -> tuple[Error, int, int]:
        """Waits for the interrupt and acknowledges it."""
        assert await self.wait_for_interrupt(PATIENCE), "no interrupt"
        await self.write(Register.ISR, 1 << Irq.DONE)
        control = await self.read(Register.AP_CTRL)
        assert control & 0x1F == 1 << ApCtrl.DONE | 1 << ApCtrl.IDLE | 1 << ApCtrl.READY, f"AP_CTRL is {control:#x}"
        assert await self.read(Register.AP_CTRL) == 1 << ApCtrl.IDLE, "done and ready are not cleared by reading"
        status = Error(await self.read(Register.STATUS))
        return status, await self.read(Register.ERROR_INDEX), await self.read(Register.COMMANDS_DONE)


async def new_device(dut: Any, pause: float = 0.0) -> Control:
    device = Control(dut, Random(f"{os.environ['CPT_SEED']} {pause}"), pause, latency=10 if pause else 0)
    await device.reset()
    return device


def random_list(random: Random) -> list[Command]:
    commands = []
    for _ in range(random.randint(0, 5)):
        command = replace(GOOD, seed_lo=random.choice([0, 1, 3, 30, 200]))
        fate = random.random()
        if fate < 0.1:
            command = replace(command, seed_hi=random.choice([1, 2]))
        elif fate < 0.2:
            command = replace(command, **random.choice([{"a_bits": 0}, {"out_addr": 4}, {"a_addr": MEM_BYTES}]))
        commands.append(command)
    return commands


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.4])
async def lists_end_as_the_contract_says(dut: Any, pause: float) -> None:
    device = await new_device(dut, pause)
    for _ in range(25):
        commands = random_list(device.memory.random)
        offset = device.memory.random.choice([0x1000, 0x0FC0, 0x1040, 0x800])  # 0x0FC0: over a 4 KB boundary
        await device.start_list(commands, offset)
        found = await device.results()
        assert found == expected(commands, offset), f"{found} for {commands}"
    assert await device.read(Register.MAGIC) == VERSION_MAGIC
    for name, value in TINY.parameters().items():
        assert await device.read(Register[name.upper()]) == value


@cocotb.test()
async def arguments_are_judged(dut: Any) -> None:
    """The LIST_ checks, at their bounds, before anything is fetched."""
    device = await new_device(dut)
    device.memory.image = bytearray()
    good = arguments(list_offset=0x1F80, list_bytes=0, mem_base=0x1000_0000, mem_bytes=0x2000)
    changes: list[dict[int, int]] = [
        {},
        {Register.MEM_BASE: 0x1000_0020},
        {Register.MEM_BYTES: 0x2020},
        {Register.LIST_OFFSET: 0x1F90},
        {Register.LIST_BYTES: 64},
        {Register.LIST_BYTES: 256},
        {Register.LIST_BYTES: 0xFFFFFF80},
        {Register.LIST_OFFSET: 0x2000},
        {Register.LIST_OFFSET: 0x2040},
        {Register.MEM_BASE: 0xFFFFE000},
        {Register.MEM_BASE: 0xFFFFE040},
        {Register.MEM_BASE + 4: 1},
        {Register.MEM_BASE + 4: 0x8000_0000},
    ]
    seen = set()
    for change in changes:
        values = {**good, **change}
        await device.start_with(values)
        low, high, *region_and_list = values.values()
        error = check_list(low | high << 32, *region_and_list)
        assert await device.results() == (error, NO_COMMAND, 0)
        seen.add(error)
    assert seen == {Error.OK, Error.LIST_ALIGNMENT, Error.LIST_TRUNCATED, Error.LIST_RANGE}


@cocotb.test()
async def a_fetch_that_fails_blames_its_command(dut: Any) -> None:
    """Earlier commands are completed first, however long they take."""
    device = await new_device(dut, pause=0.2)
    for slow in (0, 150):
        await device.start_list([replace(GOOD, seed_lo=slow)] * 4, offset=MEM_BYTES - 3 * COMMAND_BYTES)
        assert await device.results() == (Error.LIST_RANGE, NO_COMMAND, 0)
        await device.start_list([replace(GOOD, seed_lo=slow)] * 3, offset=MEM_BYTES - 3 * COMMAND_BYTES)
        del device.memory.image[-COMMAND_BYTES:]
        assert await device.results() == (Error.READ_BUS, 2, 2)


@cocotb.test()
async def counters_cover_completed_commands(dut: Any) -> None:
    device = await new_device(dut)

    async def counters() -> list[int]:
        return [await device.read(offset) | await device.read(offset + 4) << 32 for offset in COUNTERS]

    await device.start_list([replace(GOOD, seed_lo=100), replace(GOOD, seed_lo=50)])
    await device.results()
    total, *events = await counters()
    assert events == [150, 0, 75]
    assert 150 < total < 500
    await device.start_list([replace(GOOD, seed_lo=100), replace(GOOD, seed_lo=500, seed_hi=1)])
    await device.results()
    total, *events = await counters()
    assert events == [100, 0, 50]
    assert total < 400


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.5])
async def a_reset_stops_at_once(dut: Any, pause: float) -> None:
    """At any moment; arguments are gone, the device is idle, and the next list is right though the old one drains."""
    device = await new_device(dut, pause)
    for cycles in (*range(12), 40, 90, 100, 110, 130, 200, 260):
        commands = [replace(GOOD, seed_lo=60), replace(GOOD, seed_lo=20, seed_hi=1)]
        await device.start_list(commands)
        await ClockCycles(dut.ap_clk, cycles)
        assert await device.soft_reset(), f"not idle after a reset at {cycles}"
        assert await device.read(Register.AP_CTRL) == 1 << ApCtrl.IDLE
        for register in (Register.MEM_BYTES, Register.STATUS, Register.ISR, Register.GIER, Register.COMMANDS_DONE):
            assert await device.read(register) == 0
        await device.enable_interrupt()
        commands = random_list(device.memory.random)
        await device.start_list(commands)
        found = await device.results()
        assert found == expected(commands, 0x1000), f"{found} after a reset at {cycles}"


@cocotb.test()
async def the_interrupt_follows_its_enables(dut: Any) -> None:
    device = await new_device(dut)
    await device.write(Register.GIER, 0)
    await device.write(Register.IER, 0)
    await device.start_list([])
    await ClockCycles(dut.ap_clk, 30)
    assert await device.read(Register.ISR) == 0, "ISR is set without IER"
    assert await device.read(Register.AP_CTRL) >> ApCtrl.DONE & 1
    await device.write(Register.IER, 3)
    await device.start_list([])
    await ClockCycles(dut.ap_clk, 30)
    assert await device.read(Register.ISR) == 3
    assert not int(dut.interrupt.value)
    await device.write(Register.GIER, 1)
    await RisingEdge(dut.ap_clk)
    assert int(dut.interrupt.value)
    assert await device.read(Register.AP_CTRL) >> ApCtrl.INTERRUPT & 1
    await device.write(Register.ISR, 3)
    await RisingEdge(dut.ap_clk)
    assert not int(dut.interrupt.value)
    await device.write(Register.ISR, 1)
    assert await device.read(Register.ISR) == 1, "writing 1 does not toggle"
