"""The checker against sim.contract.checks: every command of every vector, and thousands of changed ones."""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotb.utils import get_sim_time

from sim.bench.units.commands import Case, mutated_cases, vector_cases, words_of
from sim.contract import Build, Error, Tensor

MOST_CYCLES = 80
# Errors of lists, of the bus, and of commands from MAP on.
NOT_JUDGED = {Error.LIST_ALIGNMENT, Error.LIST_TRUNCATED, Error.LIST_RANGE, Error.READ_BUS, Error.WRITE_BUS}
NOT_JUDGED |= {Error.COEFFICIENTS}


async def judge(dut: Any, case: Case) -> Error:
    """The checker's verdict, within its cycle budget."""
    dut.words.value, dut.reserved.value = words_of(case.data)
    dut.mem_bytes.value = case.mem_bytes
    dut.list_begin.value, dut.list_end.value = case.list_range
    dut.start.value = 1
    await RisingEdge(dut.clk)
    dut.start.value = 0
    began = get_sim_time("ns")
    await with_timeout(RisingEdge(dut.done), 1, "us")
    assert get_sim_time("ns") - began <= MOST_CYCLES, "the checker is too slow"
    await RisingEdge(dut.clk)
    return Error(int(dut.error.value))


def compare_sizes(dut: Any, case: Case, build: Build) -> None:
    """Sizes and ends that the core uses."""
    a, b, out, sums, tally = case.tensors(build)
    assert isinstance(a, Tensor) and isinstance(b, Tensor) and isinstance(out, Tensor)  # noqa: PT018
    assert (int(dut.a_tile.value), int(dut.a_end.value)) == (a.tile_bytes, a.end)
    assert (int(dut.b_tile.value), int(dut.b_end.value)) == (b.tile_bytes, b.end)
    assert (int(dut.out_tile.value), int(dut.out_end.value)) == (out.tile_bytes, out.end)
    if sums is not None:
        assert int(dut.sums_end.value) == sums.end
    if tally is not None:
        assert int(dut.tally_end.value) == tally.end


@cocotb.test()
async def agrees_with_the_reference(dut: Any) -> None:
    build = Build.named(os.environ["CPT_BUILD"])
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk, 1, "ns").start()
    dut.start.value = 0
    dut.rst_n.value = 0
    await ClockCycles(dut.clk, 2)
    dut.rst_n.value = 1
    bases = vector_cases(build, int(os.environ["CPT_FEATURES"]))
    verdicts: Counter[Error] = Counter()
    for case in [*bases, *mutated_cases(build, bases, int(os.environ["CPT_COUNT"]), random)]:
        found, expected = await judge(dut, case), case.expected(build)
        assert found == expected, f"{found!r} instead of {expected!r}: {case}"
        if expected == Error.OK:
            compare_sizes(dut, case, build)
        verdicts[expected] += 1
    missing = set(Error) - NOT_JUDGED - set(verdicts)
    assert not missing, f"never produced: {missing}"
    dut._log.warning("verdicts: %s", {error.name: count for error, count in verdicts.items()})
