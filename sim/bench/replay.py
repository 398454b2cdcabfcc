"""The system bench: replays vector files through the device's pins, under random delays and back-pressure.

Set by the runner: CPT_VECTORS (files, one per line), CPT_SEED, CPT_PAUSE (share of paused cycles), CPT_LATENCY (most
cycles a read is delayed), CPT_WATCHDOG (most cycles a list may take).
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, SimTimeoutError, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiReadBus, AxiSlaveRead, AxiSlaveWrite, AxiWriteBus

from sim.bench.memory import SlowMemory, hold_back
from sim.bench.runner import PERIOD_NS
from sim.contract import VERSION_MAGIC, ApCtrl, Error, Irq, Register
from sim.devices.native import arguments
from sim.vectors.vector import Vector

BASE = 0x1000_0000
READERS, WRITER = ("m_axi_commands", "m_axi_loads"), "m_axi_stores"
RESET_POLLS = 1000
REGISTER_MICROSECONDS = 100  # cycles after which a register is taken for dead


class Device:
    """The device's pins, driven: registers on one side, a memory on the other."""

    def __init__(self, dut: Any, random: Random, pause: float, latency: int) -> None:
        self.dut = dut
        self.control = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, "s_axi_control"), dut.ap_clk, dut.ap_rst_n, reset_active_level=False
        )
        self.memory = SlowMemory(BASE, random, latency)
        bus = (dut.ap_clk, dut.ap_rst_n, self.memory)
        channels = []
        for prefix in READERS:
            reader = AxiSlaveRead(AxiReadBus.from_prefix(dut, prefix), *bus, reset_active_level=False)
            reader.log.setLevel("ERROR")
            channels += [reader.ar_channel, reader.r_channel]
        writer = AxiSlaveWrite(AxiWriteBus.from_prefix(dut, WRITER), *bus, reset_active_level=False)
        writer.log.setLevel("ERROR")
        channels += [writer.aw_channel, writer.w_channel, writer.b_channel]
        for channel in channels:
            channel.log.setLevel("WARNING")
        if pause:
            cocotb.start_soon(hold_back(dut.ap_clk, channels, random, pause))
        self.control.write_if.log.setLevel("WARNING")
        self.control.read_if.log.setLevel("WARNING")

    async def reset(self) -> None:
        Clock(self.dut.ap_clk, PERIOD_NS, "ns").start()
        if hasattr(self.dut, "bus_errors"):
            cocotb.start_soon(self.show_bus_errors())
        self.dut.ap_rst_n.value = 0
        await ClockCycles(self.dut.ap_clk, 5)
        self.dut.ap_rst_n.value = 1
        await ClockCycles(self.dut.ap_clk, 5)
        await self.enable_interrupt()

    async def enable_interrupt(self) -> None:
        await self.write(Register.GIER, 1)
        await self.write(Register.IER, 1 << Irq.DONE)

    async def write(self, register: int, value: int) -> None:
        await with_timeout(self.control.write_dword(register, value), REGISTER_MICROSECONDS, "us")

    async def read(self, register: int) -> int:
        return int(await with_timeout(self.control.read_dword(register), REGISTER_MICROSECONDS, "us"))

    async def start(self, vector: Vector) -> None:
        """Puts a vector's memory behind the pins and starts its list."""
        self.memory.image = bytearray(vector.before.tobytes())
        self.memory.base = BASE + vector.mem_base
        await self.start_with(arguments(vector.list_offset, vector.list_bytes, self.memory.base, vector.mem_bytes))

    async def start_with(self, registers: dict[int, int]) -> None:
        for register, value in registers.items():
            await self.write(register, value)
        self.memory.errors = 0
        await self.write(Register.AP_CTRL, 1 << ApCtrl.START)

    async def run(self, vector: Vector, watchdog: int) -> list[str]:
        """Runs a vector's list; returns what was wrong, empty if it agrees."""
        await self.start(vector)
        if not await self.wait_for_interrupt(watchdog):
            return [f"no interrupt within {watchdog} cycles"]
        wrong = await self.compare(vector)
        await self.write(Register.ISR, 1 << Irq.DONE)
        if int(self.dut.interrupt.value):
            wrong.append("the interrupt stays high after it was acknowledged")
        return wrong

    async def wait_for_interrupt(self, watchdog: int) -> bool:
        if int(self.dut.interrupt.value):
            return True
        try:
            await with_timeout(RisingEdge(self.dut.interrupt), PERIOD_NS * watchdog, "ns")
        except SimTimeoutError:
            return False
        return True

    async def soft_reset(self) -> bool:
        """Stops what runs; true if the device is idle soon, with its bus transfers complete."""
        await self.write(Register.AP_CTRL, 1 << ApCtrl.SW_RESET)
        for _ in range(RESET_POLLS):
            if await self.read(Register.AP_CTRL) >> ApCtrl.IDLE & 1:
                return True
        return False

    async def show_bus_errors(self) -> None:
        """Drives what a response monitor at Vitis' masters would report to the kernel, every cycle."""
        while True:
            self.dut.bus_errors.value = self.memory.errors
            await RisingEdge(self.dut.ap_clk)

    async def compare(self, vector: Vector) -> list[str]:
        expected = {
            Register.STATUS: vector.error,
            Register.ERROR_INDEX: vector.error_index,
            Register.COMMANDS_DONE: vector.commands_done,
            Register.MAGIC: VERSION_MAGIC,
        }
        wrong = []
        for register, value in expected.items():
            found = await self.read(register)
            if found != value:
                wrong.append(f"{register.name} is {found:#x}, expected {int(value):#x}")
        control = await self.read(Register.AP_CTRL)
        if not control >> ApCtrl.DONE & 1 or not control >> ApCtrl.IDLE & 1:
            wrong.append(f"AP_CTRL is {control:#x} after the list: done and idle expected")
        after = vector.after.tobytes()
        if self.memory.image != after:
            place = next(i for i, (x, y) in enumerate(zip(self.memory.image, after, strict=True)) if x != y)
            wrong.append(f"memory at {place:#x} is {self.memory.image[place]:#x}, expected {after[place]:#x}")
        return wrong


async def reset_device(dut: Any) -> Device:
    """The device with the runner's settings, after a reset."""
    settings = {name: os.environ[f"CPT_{name}"] for name in ("SEED", "PAUSE", "LATENCY")}
    device = Device(dut, Random(int(settings["SEED"])), float(settings["PAUSE"]), int(settings["LATENCY"]))
    await device.reset()
    return device


def vectors() -> list[Vector]:
    return [Vector.load(Path(line)) for line in Path(os.environ["CPT_VECTORS"]).read_text().splitlines()]


@cocotb.test()
async def replay(dut: Any) -> None:
    """Every vector, one list after another on one device that is reset only once."""
    device = await reset_device(dut)
    failures = []
    files = vectors()
    for vector in files:
        wrong = await device.run(vector, int(os.environ["CPT_WATCHDOG"]))
        failures += [f"{vector.name}: {problem}" for problem in wrong]
        if failures and "no interrupt" in failures[-1]:
            break
    assert not failures, "\n".join([f"{len(failures)} problems in {len(files)} vectors", *failures[:20]])
    dut._log.info("%d vectors agree", len(files))


@cocotb.test()
async def reset_in_mid_flight(dut: Any) -> None:
    """A list is stopped by SW_RESET at different moments; the next one is right, whatever was in flight."""
    device = await reset_device(dut)
    vector = next((vector for vector in vectors() if vector.commands_done), None)
    if vector is None:
        return
    for cycles in (3, 17, 60, 200):
        await device.start(vector)
        await ClockCycles(dut.ap_clk, cycles)
        assert await device.soft_reset(), f"not idle after a reset at cycle {cycles}"
        await device.enable_interrupt()
        wrong = await device.run(vector, int(os.environ["CPT_WATCHDOG"]))
        assert not wrong, f"after a reset at cycle {cycles}: {wrong}"


@cocotb.test()
async def errors_in_mid_flight(dut: Any) -> None:
    """Beats fail at random: the list ends, with a bus error if any, and the next list is right."""
    device = await reset_device(dut)
    vector = next((vector for vector in vectors() if vector.commands_done and not vector.error), None)
    if vector is None:
        return
    watchdog, seen = int(os.environ["CPT_WATCHDOG"]), set()
    for share in (0.3, 0.05, 0.01, 0.01, 0.003, 0.001):
        device.memory.failing = share
        await device.start(vector)
        assert await device.wait_for_interrupt(watchdog), f"no interrupt within {watchdog} cycles, {share} of beats bad"
        status, index = await device.read(Register.STATUS), await device.read(Register.ERROR_INDEX)
        assert status in (Error.OK, Error.READ_BUS, Error.WRITE_BUS), f"STATUS is {status}"
        if status:
            assert index == await device.read(Register.COMMANDS_DONE), f"ERROR_INDEX is {index}"
        same = vector.before == vector.after
        found = np.frombuffer(device.memory.image, dtype=np.uint8)
        assert np.array_equal(found[same], vector.before[same]), "a byte was written that is not part of a result"
        await device.write(Register.ISR, 1 << Irq.DONE)
        device.memory.failing = 0.0
        wrong = await device.run(vector, watchdog)
        assert not wrong, f"after STATUS {status}: {wrong}"
        seen.add(status)
    assert Error.READ_BUS in seen, "no read failed"


@cocotb.test()
async def registers_keep_what_they_should(dut: Any) -> None:
    """Enables keep their defined bits, arguments read back, and writes elsewhere do nothing."""
    device = await reset_device(dut)
    await device.write(Register.GIER, 0xFFFFFFFF)
    await device.write(Register.IER, 0xFFFFFFFF)
    await device.write(Register.MEM_BYTES, 0x12345640)
    await device.write(Register.MEM_BYTES + 4, 0xFFFFFFFF)
    await device.write(Register.STATUS, 0xFFFFFFFF)
    assert await device.read(Register.GIER) == 1
    assert await device.read(Register.IER) == 3
    assert await device.read(Register.MEM_BYTES) == 0x12345640
    assert await device.read(Register.MEM_BYTES + 4) == 0
    assert await device.read(Register.STATUS) == 0
