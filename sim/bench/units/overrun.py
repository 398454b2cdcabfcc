"""Pushes into a queue that is full: the queue's own assertion has to end the simulation."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles


@cocotb.test()
async def push_until_it_overflows(dut: Any) -> None:
    Clock(dut.clk_i, 2, "ns").start()
    dut.rst_ni.value, dut.clear_i.value, dut.push_i.value, dut.pop_i.value, dut.data_i.value = 0, 0, 0, 0, 0
    await ClockCycles(dut.clk_i, 2)
    dut.rst_ni.value, dut.push_i.value = 1, 1
    await ClockCycles(dut.clk_i, 10)
