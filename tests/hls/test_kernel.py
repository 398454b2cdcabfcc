"""The C++ kernel against the vectors and the reference, through its shared library."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest

import sim.devices.hls_executor
from sim.contract import ALL_FEATURES, NO_COMMAND, VERSION_MAGIC, Build, Error, Memory, Outcome, Register
from sim.devices.hls_executor import HLS_BUILDS, HlsExecutor
from sim.reference import Reference
from sim.vectors import Vector, catalogue
from tests.hls.random_lists import random_list
from tests.hls.random_steps import random_step
from tests.tools import LIST, REGION, ROOT, vector_unit_asked_for

# Names of all vectors; tests/sim/vectors/test_vectors.py keeps the files up to date.
DIGESTS = [ROOT / "tests" / "sim" / "vectors" / name for name in ("vectors.sha256", "vector_unit.sha256")]
VECTORS = [line.split()[1] for path in DIGESTS for line in path.read_text().splitlines()]


# Together: all passes, numbers and planes, row sums, tallies, strips, weights and their codes.
AFTER_ERRORS = ("width-3x8", "row-sums-planes", "stats-shapes", "map-everything", "update-groups", "weights-3x3")


@lru_cache
def vectors(build: str) -> dict[str, Vector]:
    return {vector.name: vector for vector in catalogue(Build.named(build))}


@lru_cache
def executor(build: str, vector_unit: bool = True) -> HlsExecutor:
    return HlsExecutor(Build.named(build), vector_unit)


def agrees(build: str, vector: Vector) -> None:
    """Asserts that the kernel leaves the registers and the memory that the vector expects."""
    memory = vector.before.copy()
    outcome = vector.run_on(executor(build), memory)
    assert registers(outcome) == (vector.error, vector.error_index, vector.commands_done)
    assert np.flatnonzero(memory != vector.after)[:8].tolist() == [], "addresses of wrong bytes"


def registers(outcome: Outcome) -> tuple[Error, int, int]:
    """Those that an executor must get right; cycles are its own."""
    return outcome.error, outcome.error_index, outcome.commands_done


@pytest.mark.parametrize("case", VECTORS)
def test_vector_and_the_list_after_it(case: str) -> None:
    build, name = case.split("/")
    vector = vectors(build)[name]
    agrees(build, vector)
    if vector.error is Error.OK:
        after = executor(build).run(vector.after.copy(), 0, 0)
        assert registers(after) == (Error.OK, NO_COMMAND, 0), "not ready for the next list"
    else:  # what an abandoned command left in streams and memories on chip must not reach the next results
        for follower in AFTER_ERRORS:
            agrees(build, vectors(build)[follower])


def run_both(
    build: str, memory: Memory, offset: int, size: int, mem_base: int = 0, vector_unit: bool = True
) -> tuple[Outcome, Outcome]:
    """Both executors' outcomes, when they left the same memory."""
    expected, found = memory.copy(), memory.copy()
    features = ALL_FEATURES if vector_unit else 0
    wanted = Reference(Build.named(build), features=features).run(expected, offset, size, mem_base)
    got = executor(build, vector_unit).run(found, offset, size, mem_base)
    assert np.flatnonzero(expected != found)[:8].tolist() == [], "addresses of wrong bytes"
    return wanted, got


@pytest.mark.parametrize("build", HLS_BUILDS)
@pytest.mark.parametrize("seed", range(40))
def test_random_lists_agree_with_the_reference(seed: int, build: str) -> None:
    memory, offset, size = random_list(seed, Build.named(build))
    wanted, got = run_both(build, memory, offset, size, mem_base=seed * 0x0234_5680)
    assert wanted.error == Error.OK
    assert registers(got) == registers(wanted)


@pytest.mark.parametrize("build", HLS_BUILDS)
@pytest.mark.parametrize("seed", range(60))
def test_random_steps_agree_with_the_reference(seed: int, build: str) -> None:
    memory, offset, size = random_step(seed, Build.named(build))
    wanted, got = run_both(build, memory, offset, size, mem_base=seed * 0x0034_5680)
    assert wanted.error == Error.OK
    assert registers(got) == registers(wanted)


@pytest.mark.parametrize("build", HLS_BUILDS)
@pytest.mark.parametrize("lists", [random_list, random_step])
def test_damaged_commands_end_as_on_the_reference(build: str, lists: Callable[..., tuple[Memory, int, int]]) -> None:
    """Bits of the list flipped at random: the same verdict, the same memory."""
    draw = np.random.default_rng(7)
    seen = set()
    for turn in range(300):
        memory, offset, size = lists(turn % 8, Build.named(build))
        for bit in draw.integers(8 * size, size=int(draw.integers(1, 4))):
            memory[offset + bit // 8] ^= 1 << bit % 8
        wanted, got = run_both(build, memory, offset, size)
        assert registers(got) == registers(wanted), turn
        seen.add(wanted.error)
    assert {Error.OK, Error.RESERVED, Error.SHAPE, Error.RANGE, Error.OVERLAP, Error.ALIGNMENT} <= seen


@pytest.mark.parametrize(
    ("mem_base", "error"),
    [
        ((1 << 32) - 128, Error.OK),
        ((1 << 32) - 64, Error.LIST_RANGE),
        (1 << 32, Error.LIST_RANGE),
        ((1 << 64) - 128, Error.LIST_RANGE),
        ((1 << 64) - 64, Error.LIST_RANGE),
    ],
)
def test_region_must_end_where_bus_addresses_do(mem_base: int, error: Error) -> None:
    wanted, got = run_both("tiny", np.zeros(128, dtype=np.uint8), 0, 0, mem_base)
    assert registers(got) == registers(wanted) == (error, NO_COMMAND, 0)


@pytest.mark.parametrize("build", HLS_BUILDS)
def test_capability_registers_are_filled_by_an_empty_list(build: str) -> None:
    device = HlsExecutor(Build.named(build))
    device.run(np.zeros(64, dtype=np.uint8), 0, 0)
    assert device.register(Register.MAGIC) == VERSION_MAGIC
    shown = {name: device.register(Register[name.upper()]) for name in device.build.parameters()}
    assert shown == device.build.parameters()
    assert device.register(Register.VERSION) == 2 << 16
    assert device.register(Register.FEATURES) == device.features == ALL_FEATURES


@pytest.mark.parametrize("case", vector_unit_asked_for())
def test_what_needs_a_vector_unit_is_refused(case: str) -> None:
    command, error = vector_unit_asked_for()[case]
    memory = np.random.default_rng(1).integers(0, 256, REGION, dtype=np.uint8)
    memory[LIST : LIST + 128] = np.frombuffer(command.encode(), np.uint8)
    assert executor("tiny", vector_unit=False).register(Register.FEATURES) == 0
    wanted, got = run_both("tiny", memory, LIST, 128, vector_unit=False)
    assert registers(got) == registers(wanted) == (error, 0 if error else NO_COMMAND, 0 if error else 1)


def test_memory_that_is_a_slice_of_a_larger_array_is_written_in_place() -> None:
    vector = vectors("tiny")["width-3x4"]
    larger = np.zeros(vector.before.size + 3, dtype=np.uint8)
    larger[3:] = vector.before
    executor("tiny").run(larger[3:], vector.list_offset, vector.list_bytes)
    assert np.array_equal(larger[3:], vector.after)
    assert not larger[:3].any()


def test_parameters_without_a_build_are_refused() -> None:
    parameters = {**Build.named("tiny").parameters(), "lanes": 32}
    with pytest.raises(ValueError, match="built for tiny, zc706"):
        HlsExecutor(Build(name="tiny", **parameters))


def test_lacking_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: None if tool == "g++" else tool)
    with pytest.raises(OSError, match=r"g\+\+ is missing"):
        sim.devices.hls_executor.build_library("tiny")
