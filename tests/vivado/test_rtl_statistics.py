"""CONV with HALF and STATS on the core with a vector unit: vectors, random lists, many blocks, errors and resets.

CPT_LISTS=300 in the environment runs that many random lists instead of a few.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from sim.contract import ALL_FEATURES, Build, Command, Error, Flag, Format, Opcode, flag_bits
from sim.devices.rtl_executor import Ddr, RtlExecutor
from sim.devices.rtl_pins import PORTS, RtlPins
from sim.vectors import Vector, catalogue
from sim.vectors.catalogue import families
from sim.vectors.step import convs
from tests.tools import TINY, ZC706
from tests.vivado.chained_lists import chained_list
from tests.vivado.core_bench import DRAIN, Bench, placed, untouched, vector_of

pytestmark = pytest.mark.slow
WATCHDOG = 3_000_000
LISTS = int(os.environ.get("CPT_LISTS", "40"))
LISTS_OF_A_CORE = 8
FAST = Ddr(bytes_per_cycle=16, latency=10)
STALLED = Ddr(bytes_per_cycle=8, latency=20, jitter=30, stall=0.2)

STATISTICS = Command(
    opcode=Opcode.CONV,
    a_bits=2,
    b_bits=3,
    out_bits=8,
    out_format=Format.PLANES,
    flags=flag_bits(Flag.B_SIGNED, Flag.OUT_SIGNED, Flag.STOCHASTIC, Flag.ROW_SUMS, Flag.HALF, Flag.STATS),
    shift=2,
    images=3,
    a_blocks=1,
    y_blocks=3,
    **dict.fromkeys(("a_height", "a_width", "y_height", "y_width"), 4),
    **dict.fromkeys(("kernel_h", "kernel_w"), 3),
    **dict.fromkeys(("pad_top", "pad_left", "pad_bottom", "pad_right"), 1),
)
LINEAR = replace(
    STATISTICS,
    **dict.fromkeys(("a_height", "a_width", "y_height", "y_width", "kernel_h", "kernel_w"), 1),
    **dict.fromkeys(("pad_top", "pad_left", "pad_bottom", "pad_right"), 0),
)
GRADIENT_FIELDS = {
    "opcode": Opcode.WGRAD,
    "out_format": Format.INT32,
    "out_bits": 0,
    "shift": 0,
    "flags": flag_bits(Flag.B_SIGNED),
}
GRADIENT = replace(STATISTICS, **GRADIENT_FIELDS)
SHAPES = {
    "as-many-blocks-as-are-kept": replace(LINEAR, y_blocks=64),
    "one-block-more": replace(LINEAR, y_blocks=65, a_bits=1, b_bits=1, flags=flag_bits(Flag.STATS)),
    "blocks-in-passes": replace(LINEAR, y_blocks=150, images=17),
    "narrow-passes": replace(STATISTICS, a_blocks=16, b_bits=8, a_bits=1, y_blocks=5, images=1),
    "one-bit-a-cycle": replace(STATISTICS, a_bits=1, b_bits=1, images=20),
    "rows-of-several-segments": replace(STATISTICS, images=1, a_width=77, y_width=77, out_bits=3),
    "rows-without-results": replace(STATISTICS, up_y=5, y_height=15, pad_bottom=0, images=2),
    "more-lanes-than-rows": replace(STATISTICS, images=1, a_height=1, y_height=1),
    "words": replace(STATISTICS, out_format=Format.INT16, out_bits=16, shift=0),
}


def disagreements(ddr: Ddr, vectors: Iterable[Vector], build: Build = TINY) -> list[str]:
    """The names of the vectors that one core, never reset, gets wrong in this order."""
    executor = RtlExecutor(build, ddr, WATCHDOG)
    with RtlPins(build, ddr) as pins:
        return [vector.name for vector in vectors if not agrees(executor, pins, vector)]


def agrees(executor: RtlExecutor, pins: RtlPins, vector: Vector) -> bool:
    memory = vector.before.copy()
    place = (vector.list_offset, vector.list_bytes, vector.mem_base, vector.mem_bytes)
    return vector.agrees(memory, executor.run_on(pins, memory, *place))


def of_convs(build: Build) -> list[Vector]:
    return [vector for family in families(convs) for vector in family(build)]


def test_every_vector_whatever_the_memory_does() -> None:
    """In another order for every seed, so that each list follows others, those that ended in an error included."""
    vectors = of_convs(TINY)
    assert len(vectors) > 30
    for seed in range(1, 21):
        order = Random(seed).sample(vectors, len(vectors))
        assert disagreements(Ddr.unfriendly(seed), order) == [], f"seed {seed}"


def test_what_a_core_without_a_vector_unit_runs() -> None:
    """Between CONVs with HALF and STATS."""
    vectors = [*of_convs(TINY), *(vector for vector in catalogue(TINY, features=0) if not vector.slow)]
    assert disagreements(Ddr.unfriendly(3), Random(3).sample(vectors, len(vectors))) == []


def test_the_full_size_core() -> None:
    assert disagreements(Ddr(latency=10, stall=0.05, seed=1), of_convs(ZC706), ZC706) == []


@pytest.mark.parametrize("ddr", [FAST, STALLED], ids=["fast", "stalled"])
@pytest.mark.parametrize("name", SHAPES)
def test_blocks_rows_and_passes(name: str, ddr: Ddr) -> None:
    bench, command = Bench(ddr), SHAPES[name]
    assert bench.agrees(placed(command))
    assert bench.agrees(placed(command, STATISTICS, command, GRADIENT, command))


def test_tallies_of_the_greatest_results() -> None:
    """2^15 results of 65535."""
    command = replace(
        LINEAR,
        a_bits=1,
        b_bits=16,
        out_bits=16,
        out_format=Format.INT16,
        shift=0,
        flags=flag_bits(Flag.STATS),
        images=8,
        y_blocks=1,
        **dict.fromkeys(("a_height", "a_width", "y_height", "y_width"), 64),
        a_addr=128,
        b_addr=8320,
        tally_addr=8384,
        out_addr=8960,
        out_image_stride=131072,
    )
    vector = vector_of(np.full(8960 + 8 * 131072, 255, np.uint8), 0, [command])
    assert vector.after[8384 + 64 :][:16].view(np.int64).tolist() == [65535 << 15, 65535**2 << 15]
    assert disagreements(Ddr(), [vector]) == []


@pytest.mark.parametrize("ddr", [FAST, STALLED], ids=["fast", "stalled"])
@pytest.mark.parametrize("port", [1, 2], ids=PORTS[1:])
def test_an_error_of_any_beat_and_then_a_right_list(port: int, ddr: Ddr) -> None:
    """Of loads, every seventh, and each response, those of tallies included; the command that failed is blamed."""
    small = replace(LINEAR, out_bits=2, shift=4)
    vector, bench = placed(small, replace(small, **GRADIENT_FIELDS), small), Bench(ddr)
    blamed = set()
    for beat in range(1, 100_000, (0, 7, 1)[port]):
        memory = vector.before.copy()
        fail = (0, beat, 0) if port == 1 else (0, 0, beat)
        outcome = bench.run(vector, memory, replace(ddr, fail=fail))
        if outcome.error is Error.OK:  # there is no such beat
            break
        assert outcome.error is (Error.READ_BUS if port == 1 else Error.WRITE_BUS), f"beat {beat}"
        assert outcome.error_index == outcome.commands_done, f"beat {beat}"
        assert untouched(vector, memory), f"beat {beat}"
        blamed.add(outcome.error_index)
        assert bench.agrees(vector, ddr), f"after an error of beat {beat}"
    assert blamed == {0, 1, 2}


def test_a_reset_at_any_moment() -> None:
    draw, bench = Random(1), Bench(STALLED)
    stopped, other = placed(STATISTICS, LINEAR, STATISTICS), placed(LINEAR, GRADIENT, STATISTICS)
    assert bench.agrees(stopped)
    length = bench.executor.simulated
    for _ in range(30):
        memory = stopped.before.copy()
        bench.start(stopped, memory)
        bench.pins.step(draw.randrange(length))
        bench.pins.soft_reset(DRAIN)
        assert untouched(stopped, memory)
        after = memory.copy()
        assert bench.agrees(draw.choice([stopped, other]))
        assert np.array_equal(memory, after)


def test_commands_that_have_to_do_with_each_other() -> None:
    """Random lists, several on a core that is not reset between them, each with a memory of its own."""
    hazards: Counter[str] = Counter()
    flags: Counter[tuple[int, int]] = Counter()
    wrong = []
    for seed in range(LISTS):
        ddr = Ddr.unfriendly(seed + 1) if seed % 3 else replace(FAST, latency=seed % 60, seed=seed + 1)
        if seed % LISTS_OF_A_CORE == 0:
            bench = Bench(ddr)
            bench.executor.watchdog = WATCHDOG
        chain = chained_list(seed, TINY, ALL_FEATURES)
        hazards += chain.hazards()
        flags.update((command.flag(Flag.HALF), command.flag(Flag.STATS)) for command in chain.commands)
        vector = vector_of(chain.memory, 0, chain.commands)
        assert vector.error is Error.OK
        if not bench.agrees(vector, ddr):
            wrong.append(seed)
    assert wrong == []
    assert len(hazards) == 10
    assert min(hazards.values()) > LISTS // 10, hazards
    assert len(flags) == 4
    assert min(flags.values()) > LISTS // 4, flags
