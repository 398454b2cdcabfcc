"""Input errors of strided layers phase by phase: the same sums as of a zero-inserted map, in a part of the cycles."""

from __future__ import annotations

import numpy as np
import pytest

from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.phases import phases
from host.compiler.plan import Plan
from host.compiler.precision import Output, Precision
from host.compiler.program import Program
from sim.contract import Command, Format, Memory, array_cycles
from tests.tools import ZC706, operands, run_pass

PRECISION = Precision(5, 3, a_signed=True, b_signed=True)
SHAPES = {
    "3x3": Conv(2, 16, 20, 8, 9, (3, 3), (2, 2), (1, 1)),
    "1x1": Conv(2, 5, 16, 7, 8, (1, 1), (2, 2)),
    "5x5": Conv(1, 16, 16, 9, 6, (5, 5), (2, 2), (2, 2)),
    "7x7": Conv(1, 3, 16, 15, 14, (7, 7), (2, 2), (3, 3)),
    "stride 3": Conv(2, 16, 16, 11, 10, (3, 3), (3, 3)),
    "one axis": Conv(2, 16, 16, 6, 8, (3, 3), (2, 1), (1, 1)),
    "groups": Conv(2, 32, 32, 8, 8, (3, 3), (2, 2), (1, 1), groups=2),
    "depthwise": Conv(2, 20, 20, 8, 8, (3, 3), (2, 2), (1, 1), groups=20),
    "one pixel": Conv(3, 16, 16, 1, 1, (3, 3), (2, 2), (1, 1)),
}


def both_ways(layer: Conv, stored: Output) -> list[tuple[Program, Memory]]:
    """By phases, and on a zero-inserted map."""
    a, b = operands(layer, Pass.INPUT_ERROR, PRECISION)
    return [run_pass(layer, Pass.INPUT_ERROR, PRECISION, a, b, stored, zeros) for zeros in (False, True)]


@pytest.mark.parametrize("layer", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("stored", [Output(), Output(Format.PLANES, 9, shift=3), Output(Format.INT16, 16, shift=1)])
def test_sums_are_those_of_the_zero_inserted_map(layer: Conv, stored: Output) -> None:
    (phased, memory), (inserted, other) = both_ways(layer, stored)
    assert all(command.up_y == command.up_x == 1 for command in phased.commands)
    assert all(command.up_y * command.up_x > 1 for command in inserted.commands)
    np.testing.assert_array_equal(phased.result(memory), inserted.result(other))


def test_row_sums_too() -> None:
    (phased, memory), (inserted, other) = both_ways(SHAPES["3x3"], Output(row_sums=True))
    np.testing.assert_array_equal(phased.row_sums(memory), inserted.row_sums(other))


def test_a_quarter_of_the_work_is_left() -> None:
    """A 64-channel layer fills the array in each phase: nine taps in four commands, not nine at every pixel."""
    layer = Conv(128, 64, 64, 16, 16, (3, 3), (2, 2), (1, 1))

    def cycles(zero_insertion: bool) -> int:
        commands: list[Command] = lower(
            layer, Pass.INPUT_ERROR, PRECISION, ZC706, plan=Plan(), zero_insertion=zero_insertion
        ).commands
        return sum(array_cycles(command, ZC706) for command in commands)

    assert cycles(False) < 0.4 * cycles(True)


def test_layers_that_need_a_part_of_a_map_keep_the_zeros() -> None:
    assert phases(Conv(1, 16, 16, 8, 8, (2, 2), (2, 2), (1, 1))) == []
    assert phases(Conv(1, 16, 16, 8, 8, (3, 3), padding=(1, 1))) == []


def test_pixels_that_meet_no_output_have_no_command() -> None:
    assert len(phases(SHAPES["1x1"])) == 1
    assert len(phases(SHAPES["3x3"])) == 4
