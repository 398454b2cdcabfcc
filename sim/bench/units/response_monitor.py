"""The response monitor against a model: random traffic on all its taps, with starts and occasional resets."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.contract import ApCtrl, Register

CYCLES = 6_000
OKAY, EXOKAY, SLVERR, DECERR = range(4)


class Model:
    """The errors that a list's masters have received since its start, handshake by handshake."""

    def __init__(self) -> None:
        self.errors = 0
        self.addresses: list[int] = []
        self.words: list[tuple[int, int]] = []

    def respond(self, bit: int, response: int) -> None:
        if response in (SLVERR, DECERR):
            self.errors |= 1 << bit

    def settle(self) -> None:
        """A register is written when both its address and its word are there; a start clears everything."""
        if self.addresses and self.words:
            address, (word, strobe) = self.addresses.pop(), self.words.pop()
            if address & ~3 == Register.AP_CTRL and strobe & 1 and word >> ApCtrl.START & 1:
                self.errors = 0


def response(random: Random) -> int:
    """Errors are rare, so that both keeping and clearing are exercised."""
    return random.choice((SLVERR, DECERR)) if random.random() < 0.02 else random.choice((OKAY, EXOKAY))


def handshake(dut: Any, channel: str, random: Random, willing: bool = True) -> bool:
    """Drives valid and ready of a channel; True if they meet."""
    valid, ready = random.random() < 0.6, willing and random.random() < 0.6
    getattr(dut, f"{channel}valid").value, getattr(dut, f"{channel}ready").value = valid, ready
    return valid and ready


def drive(dut: Any, model: Model, random: Random) -> None:
    """One cycle of traffic."""
    for channel, pin, bit in (("commands_r", "commands_rresp", 0), ("loads_r", "loads_rresp", 0)):
        answer = response(random)
        getattr(dut, pin).value = answer
        if handshake(dut, channel, random):
            model.respond(bit, answer)
    answer = response(random)
    dut.stores_bresp.value = answer
    if handshake(dut, "stores_b", random):
        model.respond(1, answer)
    address = random.choice((Register.AP_CTRL, Register.AP_CTRL + 1, Register.GIER, Register.MEM_BASE, 0x400))
    word, strobe = random.getrandbits(32), random.choice((0b1111, 0b0001, 0b1110, 0))
    dut.control_awaddr.value, dut.control_wdata.value, dut.control_wstrb.value = address, word, strobe
    # A register file takes one address and one word at a time, in either order.
    if handshake(dut, "control_aw", random, willing=not model.addresses):
        model.addresses.append(address)
    if handshake(dut, "control_w", random, willing=not model.words):
        model.words.append((word, strobe))
    model.settle()


@cocotb.test()
async def keeps_errors_from_start_to_start(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.ap_clk, 2, "ns").start()
    model, seen, forgotten = Model(), set(), 0
    dut.ap_rst_n.value = 0
    for cycle in range(CYCLES):
        before = model.errors
        drive(dut, model, random)
        if cycle % 1000 < 2:
            dut.ap_rst_n.value, model = 0, Model()
        else:
            dut.ap_rst_n.value = 1
            forgotten += before > model.errors
        await FallingEdge(dut.ap_clk)
        if cycle > 2:
            assert int(dut.bus_errors.value) == model.errors, f"cycle {cycle}"
        seen.add(model.errors)
    assert seen == {0, 1, 2, 3}
    assert forgotten > 30
