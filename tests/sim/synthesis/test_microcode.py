"""The assembler of the scalar engine: places of values, encodings, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sim.synthesis.microcode import LANES, SINGLES, Program, Register, assemble, numbers
from sim.synthesis.scalar_program import error, join, node, norm, scale

PROGRAM_WORDS = 512
PROGRAMS = (norm, scale, node, join, error)


def test_numbers_are_those_of_the_package() -> None:
    operations = numbers("Op")
    assert operations["End"] == 0
    assert operations["Mul"] == 32
    assert operations["Div"] == 33
    assert numbers("Sign") == {"Plus": 0, "Minus": 1, "Size": 2}
    with pytest.raises(ValueError, match="no enum of Nothing"):
        numbers("Nothing")


def test_the_programs_fit_the_memory() -> None:
    words, entries = assemble([make() for make in PROGRAMS])
    assert len(words) <= PROGRAM_WORDS
    assert list(entries) == ["Norm", "Scale", "Node", "Join", "Error"]
    assert all(0 <= word < 1 << 56 for word in words)


@pytest.mark.parametrize("make", PROGRAMS)
def test_values_that_are_needed_at_once_lie_apart(make: Callable[[], Program]) -> None:
    program = make()
    assemble([program])
    spans: dict[Register, list[int]] = {}
    for number, line in enumerate(program.lines):
        for register in line.registers():
            first = spans.setdefault(register, [number, number])
            first[1] = number
    for register, (begin, end) in spans.items():
        place = range(register.address, register.address + register.words)
        assert (place[0] >= SINGLES) == (register.words < LANES)
        for other, (begin_other, end_other) in spans.items():
            apart = register.address >= other.address + other.words or other.address >= place[-1] + 1
            assert other is register or apart or end <= begin_other or end_other <= begin


def test_only_the_last_result_can_be_let() -> None:
    program = Program("example")
    first, _ = program.one + program.one, program.one * program.one
    with pytest.raises(AssertionError, match="not the last result"):
        program.word().let(first)


def test_conditions_do_not_nest() -> None:
    program = Program("example")
    with pytest.raises(AssertionError, match="do not nest"), program.when("Relu"), program.unless("Power"):
        pass
