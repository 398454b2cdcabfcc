"""Counts of what is ahead of the array against sets: commands and passes that follow each other, room for batches."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from sim.devices.rtl_sources import rtl_constant

MOST_AHEAD = rtl_constant("MostAhead")
CYCLES = 6000


class Model:
    """Row steps by whose they are, and chunks; what a cycle's events change counts from the next one on."""

    def __init__(self) -> None:
        self.earlier_command = self.earlier_pass = self.ahead = self.coming = self.chunks = 0

    def room(self, p: dict[str, int], batch: int, begins: bool) -> bool:
        halo = p["pass_ky"] - p["step_rows"] if self.earlier_pass else 0
        rows = (self.ahead + batch - 1) * p["step_rows"] + p["pass_ky"] + halo
        first = self.chunks == 0 or p["column_free"] or not self.earlier_command
        chunk = not p["wgrad"] or not begins or (self.chunks < p["chunk_buffers"] and first)
        few = self.ahead + batch <= p["most_ahead"] and self.earlier_command + self.ahead + batch <= MOST_AHEAD
        return rows <= p["ring_rows"] and few and bool(chunk)


@cocotb.test()
async def counts_agree(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk_i, 2, "ns").start()
    events = ("command_i", "pass_i", "asked_i", "step_loaded_i", "step_done_i", "chunk_done_i")
    for pin in (*events, "begins_chunk_i"):
        getattr(dut, pin).value = 0
    model, seen = Model(), {True: 0, False: 0}
    p: dict[str, int] = {}
    batch, since = 1, 0
    dut.rst_ni.value, dut.batch_i.value = 0, batch
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    for cycle in range(CYCLES):
        begins = random.random() < 0.5
        event = dict.fromkeys(events, False)
        if cycle == 0 or (random.random() < 0.01 and not model.coming):
            event["command_i"] = True
            ky = random.randint(1, 7)
            p = {
                "wgrad": random.getrandbits(1),
                "step_rows": random.randint(1, ky),
                "pass_ky": ky,
                "ring_rows": random.randint(ky, 31),
                "most_ahead": random.randint(1, MOST_AHEAD),
                "chunk_buffers": random.randint(1, 4),
                "column_free": random.getrandbits(1),
            }
            for name, value in p.items():
                getattr(dut, f"{name}_i").value = value
        elif not model.earlier_pass and random.random() < 0.02:
            event["pass_i"] = True
        undone = model.earlier_command + model.ahead
        # What is loaded comes before it is done; a chunk is done with one of its own steps.
        event["step_loaded_i"] = model.coming > 0 and random.random() < 0.3
        event["step_done_i"] = undone > model.coming and random.random() < 0.3
        event["chunk_done_i"] = model.chunks > 0 and not model.earlier_command and random.random() < 0.2
        dut.begins_chunk_i.value = int(begins)
        if since >= 3 and not any(event[name] for name in ("command_i", "pass_i")):
            await cocotb.triggers.ReadOnly()
            room = model.room(p, batch, begins)
            assert int(dut.room_o.value) == room, (cycle, vars(model), p, batch)
            seen[room] += 1
            await cocotb.triggers.NextTimeStep()
            event["asked_i"] = room and batch == 1 and random.random() < 0.5
        for name, value in event.items():
            getattr(dut, name).value = int(value)
        await FallingEdge(dut.clk_i)
        own = event["step_done_i"] and not model.earlier_command
        if event["pass_i"]:
            model.earlier_pass = model.ahead - own
        elif own and model.earlier_pass:
            model.earlier_pass -= 1
        model.chunks += (event["asked_i"] and begins and p["wgrad"]) - (
            event["chunk_done_i"] and not model.earlier_command and p["wgrad"]
        )
        model.earlier_command -= event["step_done_i"] and not own
        model.ahead += event["asked_i"] - own
        model.coming += event["asked_i"] - event["step_loaded_i"]
        if event["command_i"]:
            model.earlier_command, model.ahead = model.earlier_command + model.ahead, 0
            model.earlier_pass = model.chunks = 0
        since = 0 if event["pass_i"] or event["command_i"] or own else since + 1
        if since > 6:
            batch, since = random.choice([1, 1, 2, 4, 8]), 0
            dut.batch_i.value = batch
        flags = [int(getattr(dut, f"{name}_o").value) for name in ("none_ahead", "none_earlier", "none_coming")]
        assert flags == [not model.ahead, not model.earlier_pass, not model.coming]
        assert int(dut.last_chunk_o.value) == (model.chunks <= 1)
    assert min(seen.values()) > CYCLES // 50, seen
