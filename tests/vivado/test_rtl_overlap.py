"""The next command is loaded while one is at work, and results are the same: hazards, errors, resets in the overlap.

CPT_LISTS=300 in the environment runs that number of random lists instead of a few.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import pytest

from sim.contract import (
    COMMAND_BYTES,
    Command,
    Error,
    Flag,
    Format,
    Opcode,
    flag_bits,
)
from sim.devices.rtl_executor import Ddr
from sim.reference import Reference
from sim.vectors import Vector
from tests.tools import TINY
from tests.vivado.chained_lists import chained_list
from tests.vivado.core_bench import DRAIN, WATCHDOG, Bench, placed, untouched, vector_of

pytestmark = pytest.mark.slow
LISTS = int(os.environ.get("CPT_LISTS", "48"))
LISTS_OF_A_CORE = 8
FAST = Ddr(bytes_per_cycle=16, latency=10)
STALLED = Ddr(bytes_per_cycle=8, latency=20, jitter=30, stall=0.2)

CONV = Command(
    opcode=Opcode.CONV,
    a_bits=4,
    b_bits=4,
    out_bits=8,
    out_format=Format.PLANES,
    flags=flag_bits(Flag.A_SIGNED, Flag.B_SIGNED, Flag.OUT_SIGNED, Flag.STOCHASTIC, Flag.ROW_SUMS),
    shift=4,
    images=4,
    y_blocks=2,
    **dict.fromkeys(("a_height", "a_width", "y_height", "y_width"), 8),
    **dict.fromkeys(("kernel_h", "kernel_w"), 3),
    **dict.fromkeys(("pad_top", "pad_left", "pad_bottom", "pad_right"), 1),
)
WGRAD = replace(
    CONV,
    opcode=Opcode.WGRAD,
    out_bits=0,
    out_format=Format.INT32,
    flags=flag_bits(Flag.A_SIGNED, Flag.B_SIGNED, Flag.ROW_SUMS),
    shift=0,
    y_blocks=1,
)
# 432 of the 512 entries of the column memories; three chunks of 64, slow ones; more rows than masks are kept of.
WEIGHTS = replace(CONV, a_bits=1, b_bits=8, a_blocks=2, y_blocks=9, images=16)
CHUNKS = replace(
    WGRAD,
    a_bits=8,
    b_bits=8,
    images=16,
    **dict.fromkeys(("kernel_h", "kernel_w"), 5),
    **dict.fromkeys(("pad_top", "pad_left", "pad_bottom", "pad_right"), 2),
)
TALL = replace(CONV, a_bits=1, b_bits=8, y_blocks=1, images=48)
PAIRS = pytest.mark.parametrize(
    ("first", "second"),
    [(CONV, CONV), (CONV, WGRAD), (WGRAD, CONV), (WGRAD, WGRAD)],
    ids=["conv-conv", "conv-wgrad", "wgrad-conv", "wgrad-wgrad"],
)
MEMORIES = pytest.mark.parametrize("ddr", [FAST, STALLED], ids=["fast", "stalled"])


@dataclass(frozen=True)
class Overlap:
    """What is read for the second command before the first is complete."""

    first_beat: int  # of the loads, counted from 1
    last_beat: int
    first_cycle: int  # from the start of the list
    last_cycle: int

    def beats(self, count: int) -> list[int]:
        """Some of its beats, the first and the last among them."""
        return sorted({int(beat) for beat in np.linspace(self.first_beat, self.last_beat, count)})


def watch(bench: Bench, vector: Vector, own_beats: int) -> Overlap:
    """Runs a list of two commands cycle by cycle, whose first reads `own_beats`."""
    memory = vector.before.copy()
    before = bench.pins.report()
    bench.start(vector, memory)
    begun = bench.pins.report().cycles
    cycle = first_cycle = beats = 0
    while True:
        try:
            bench.pins.wait(1)
            raise AssertionError("the list ends before its first command")
        except TimeoutError:
            report = bench.pins.report()
        cycle = report.cycles - begun
        assert cycle < WATCHDOG
        if report.completed:
            break
        beats = (report.bytes_read - before.bytes_read - vector.list_bytes) // TINY.bus_bytes
        if beats > own_beats and not first_cycle:
            first_cycle = cycle
    bench.pins.wait(WATCHDOG)
    bench.pins.acknowledge()
    assert np.array_equal(memory, vector.after)
    return Overlap(own_beats + 1, beats, first_cycle, cycle)


def own_beats(bench: Bench, vector: Vector) -> int:
    """What the first command of a list reads when it is alone."""
    alone = replace(vector, list_bytes=COMMAND_BYTES)
    bench.run(alone, vector.before.copy())
    return (bench.executor.bytes_read - COMMAND_BYTES) // TINY.bus_bytes


@PAIRS
@MEMORIES
def test_the_next_command_is_loaded_while_one_is_at_work(first: Command, second: Command, ddr: Ddr) -> None:
    """Two commands apart take less time than each alone; one that reads the other's result waits for it."""
    bench = Bench(ddr)
    apart, chained = placed(first, second), placed(first, second, reads_result=True)
    cycles = []
    for vector in (placed(first), placed(second), apart, chained):
        assert bench.agrees(vector)
        cycles.append(bench.executor.counters.total)
    assert cycles[2] < cycles[0] + cycles[1] - 400
    assert cycles[2] < cycles[3] - 100
    overlap = watch(bench, apart, own_beats(bench, apart))
    assert overlap.last_beat > overlap.first_beat + 20
    waits = watch(bench, chained, own_beats(bench, chained))
    assert waits.last_beat < waits.first_beat


@pytest.mark.parametrize(
    ("first", "second"),
    [(WEIGHTS, CHUNKS), (CHUNKS, WEIGHTS), (TALL, TALL), (TALL, CHUNKS), (CHUNKS, TALL)],
    ids=["weights-chunks", "chunks-weights", "rows-rows", "rows-chunks", "chunks-rows"],
)
def test_no_more_is_loaded_than_there_is_room_for(first: Command, second: Command) -> None:
    """Beside operands that are still needed: column memories, rings, masks and addresses of rows."""
    bench = Bench(FAST)
    cycles = []
    for vector in (placed(first), placed(second), placed(first, second, first)):
        assert bench.agrees(vector)
        cycles.append(bench.executor.counters.total)
    assert cycles[2] < 2 * cycles[0] + cycles[1] - 200


@PAIRS
@MEMORIES
def test_a_failed_read_belongs_to_the_command_that_is_loaded(first: Command, second: Command, ddr: Ddr) -> None:
    """The command at work is completed, and is right; the one behind it is blamed; then lists are right."""
    bench, vector = Bench(ddr), placed(first, second)
    overlap = watch(bench, vector, own_beats(bench, vector))
    after_first = vector.before.copy()
    Reference(TINY, features=0).run(after_first, 0, COMMAND_BYTES)
    own = after_first != vector.before
    for beat in overlap.beats(12):
        memory = vector.before.copy()
        outcome = bench.run(vector, memory, replace(ddr, fail=(0, beat, 0)))
        assert (outcome.error, outcome.error_index, outcome.commands_done) == (Error.READ_BUS, 1, 1), f"beat {beat}"
        assert np.array_equal(memory[own], after_first[own]), f"beat {beat}"
        assert untouched(vector, memory), f"beat {beat}"
        assert bench.agrees(vector, ddr), f"after an error of beat {beat}"
    memory = vector.before.copy()
    outcome = bench.run(vector, memory, replace(ddr, fail=(0, overlap.first_beat - 1, 0)))
    assert (outcome.error, outcome.error_index, outcome.commands_done) == (Error.READ_BUS, 0, 0)
    assert untouched(vector, memory)


@PAIRS
def test_a_failed_write_belongs_to_the_command_at_work(first: Command, second: Command) -> None:
    """Whether or not a read for the command behind it fails as well."""
    bench, vector = Bench(FAST), placed(first, second)
    overlap = watch(bench, vector, own_beats(bench, vector))
    blamed = []
    for response in range(1, 10_000, 31):
        memory = vector.before.copy()
        outcome = bench.run(vector, memory, replace(FAST, fail=(0, 0, response)))
        if outcome.error is Error.OK:
            break
        assert (outcome.error, outcome.error_index) == (Error.WRITE_BUS, outcome.commands_done)
        assert untouched(vector, memory), f"response {response}"
        if outcome.error_index == 0:
            memory = vector.before.copy()
            both = bench.run(vector, memory, replace(FAST, fail=(0, overlap.first_beat, response)))
            assert (both.error, both.error_index, both.commands_done) == (Error.WRITE_BUS, 0, 0)
            assert untouched(vector, memory), f"response {response}"
        blamed.append(outcome.error_index)
        assert bench.agrees(vector, FAST), f"after an error of response {response}"
    assert set(blamed) == {0, 1}
    assert blamed == sorted(blamed)


@PAIRS
def test_a_reset_in_the_overlap_and_then_right_lists(first: Command, second: Command) -> None:
    dice, bench = Random(1), Bench(STALLED)
    vector, other = placed(first, second), placed(second, first, second)
    overlap = watch(bench, vector, own_beats(bench, vector))
    for _ in range(12):
        memory = vector.before.copy()
        bench.start(vector, memory)
        bench.pins.step(dice.randint(overlap.first_cycle, overlap.last_cycle))
        bench.pins.soft_reset(DRAIN)
        assert untouched(vector, memory)
        after = memory.copy()
        assert bench.agrees(dice.choice([vector, other]))
        assert np.array_equal(memory, after)


@pytest.mark.parametrize("bits", [1, 2])
def test_a_short_command_behind_a_long_one_has_its_own_noise(bits: int) -> None:
    """Its operands are there when its turn comes: so must be the keys of its seed."""
    short = replace(
        CONV,
        shift=2,
        **dict.fromkeys(("a_bits", "b_bits", "images", "y_blocks"), bits),
        **dict.fromkeys(("a_height", "a_width", "y_height", "y_width", "kernel_h", "kernel_w"), 1),
        **dict.fromkeys(("pad_top", "pad_left", "pad_bottom", "pad_right"), 0),
    )
    vector, bench = placed(CONV, short, CONV, short), Bench(FAST)
    assert bench.agrees(vector)
    alone = Bench(FAST)
    assert alone.agrees(placed(short))
    assert bench.executor.commands[1].total < alone.executor.counters.total - 100


def test_commands_that_have_to_do_with_each_other() -> None:
    """Random lists, several on a core that is not reset between them, each with a memory of its own."""
    hazards: Counter[str] = Counter()
    wrong = []
    for seed in range(LISTS):
        ddr = Ddr.unfriendly(seed + 1) if seed % 3 else replace(FAST, latency=seed % 60, seed=seed + 1)
        if seed % LISTS_OF_A_CORE == 0:
            bench = Bench(ddr)
        chain = chained_list(seed, TINY)
        hazards += chain.hazards()
        vector = vector_of(chain.memory, 0, chain.commands)
        assert vector.error is Error.OK
        if not bench.agrees(vector, ddr):
            wrong.append(seed)
    assert wrong == []
    assert len(hazards) == 8
    assert min(hazards.values()) > LISTS // 5, hazards
