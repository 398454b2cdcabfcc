"""The two formulations of a command's sums, against loops over the contract's definition."""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.contract import Command, Flag, Opcode, flag_bits, pack_planes
from sim.reference.products import Accumulators, Planes, bit_serial, plain_integer, plane_weights
from tests.tools import Codes, draw_codes, least_and_greatest

Formulation = Callable[[Command, Planes, Planes], tuple[Accumulators, Accumulators]]
FORMULATIONS = pytest.mark.parametrize("formulation", [bit_serial, plain_integer])


@st.composite
def commands(draw: st.DrawFn) -> Command:
    """Shapes and widths of small commands; every axis its own zero insertion, padding, kernel and stride."""
    small = st.integers(1, 3)
    opcode = draw(st.sampled_from((Opcode.CONV, Opcode.WGRAD)))
    axes = []
    for _ in range(2):
        extent, stride, kernel = draw(small), draw(small), draw(small)
        up = 1 if opcode == Opcode.WGRAD else draw(small)
        spread = (extent - 1) * up + 1
        before = draw(st.integers(0, 2))
        after = draw(st.integers(max(0, kernel - spread - before), 3))
        axes.append((extent, (spread + before + after - kernel) // stride + 1, kernel, stride, up, before, after))
    rows, columns = axes
    signs = [flag for flag in (Flag.A_SIGNED, Flag.B_SIGNED) if draw(st.booleans())]
    return Command(
        opcode=opcode,
        a_bits=draw(st.integers(1, 16)),
        b_bits=draw(st.integers(1, 16)),
        flags=flag_bits(*signs),
        images=draw(st.integers(1, 2)),
        a_height=rows[0],
        y_height=rows[1],
        kernel_h=rows[2],
        stride_y=rows[3],
        up_y=rows[4],
        pad_top=rows[5],
        pad_bottom=rows[6],
        a_width=columns[0],
        y_width=columns[1],
        kernel_w=columns[2],
        stride_x=columns[3],
        up_x=columns[4],
        pad_left=columns[5],
        pad_right=columns[6],
    )


def operands(command: Command, seed: int) -> tuple[Codes, Codes]:
    a_shape = (command.images, 16, command.a_height, command.a_width)
    b_shape = (16, 16, command.kernel_h, command.kernel_w)
    if command.opcode == Opcode.WGRAD:
        b_shape = (command.images, 16, command.y_height, command.y_width)
    a = draw_codes(seed, a_shape, command.a_bits, command.flag(Flag.A_SIGNED))
    return a, draw_codes(seed + 1, b_shape, command.b_bits, command.flag(Flag.B_SIGNED))


def stored(position: int, up: int, extent: int) -> Iterator[int]:
    """The stored row (or column) that a position of the zero-inserted map shows, if it shows any."""
    if position % up == 0 and 0 <= position // up < extent:
        yield position // up


def by_loops(command: Command, a: Codes, b: Codes) -> tuple[list[list[int]], list[int]]:
    """Adds up product after product, as sections 1 and 4 of the contract say."""
    pixels = list(product(range(command.images), range(command.y_height), range(command.y_width)))
    taps = list(product(range(16), range(command.kernel_h), range(command.kernel_w)))
    conv = command.opcode == Opcode.CONV
    rows, terms = (pixels, taps) if conv else (taps, pixels)
    results, sums = [[0] * 16 for _ in rows], [0] * len(rows)
    for m, row in enumerate(rows):
        for term in terms:
            (n, y, x), (ci, ky, kx) = (row, term) if conv else (term, row)
            for r in stored(y * command.stride_y + ky - command.pad_top, command.up_y, command.a_height):
                for s in stored(x * command.stride_x + kx - command.pad_left, command.up_x, command.a_width):
                    code = int(a[n, ci, r, s])
                    sums[m] += code
                    for co in range(16):
                        results[m][co] += code * int(b[co, ci, ky, kx] if conv else b[n, co, y, x])
    return results, sums


def packed(command: Command, a: Codes, b: Codes) -> tuple[Planes, Planes]:
    return (
        pack_planes(a, command.a_bits, command.flag(Flag.A_SIGNED)),
        pack_planes(b, command.b_bits, command.flag(Flag.B_SIGNED)),
    )


@FORMULATIONS
@settings(max_examples=60)
@given(commands(), st.integers(0, 99))
def test_sums_are_those_of_slow_loops(formulation: Formulation, command: Command, seed: int) -> None:
    a, b = operands(command, seed)
    results, sums = formulation(command, *packed(command, a, b))
    expected_results, expected_sums = by_loops(command, a, b)
    assert results.tolist() == expected_results
    assert sums.ravel().tolist() == expected_sums


@settings(max_examples=60)
@given(commands(), st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_both_formulations_agree_over_several_blocks(command: Command, a_blocks: int, y_blocks: int, seed: int) -> None:
    command.a_blocks, command.y_blocks = a_blocks, y_blocks
    a, b = operands(command, seed)
    a = np.tile(a, (1, a_blocks, 1, 1))
    b = np.tile(b, (y_blocks, a_blocks, 1, 1) if command.opcode == Opcode.CONV else (1, y_blocks, 1, 1))
    serial, plain = (formulation(command, *packed(command, a, b)) for formulation in (bit_serial, plain_integer))
    assert np.array_equal(serial[0], plain[0])
    assert np.array_equal(serial[1], plain[1])


@FORMULATIONS
@pytest.mark.parametrize(
    ("a_signed", "a_end", "b_signed", "b_end"),
    [(False, 1, False, 1), (True, 0, True, 0), (True, 0, False, 1), (True, 1, True, 0)],
)
def test_the_longest_sum_of_the_widest_codes_is_exact(
    formulation: Formulation, a_signed: bool, a_end: int, b_signed: bool, b_end: int
) -> None:
    """K = 2^15 products of 16 by 16 bits, all at one end of their ranges."""
    a_code = least_and_greatest(16, a_signed)[a_end]
    b_code = least_and_greatest(16, b_signed)[b_end]
    command = Command(
        opcode=Opcode.WGRAD, a_bits=16, b_bits=16, images=8, a_height=64, a_width=64, y_height=64, y_width=64
    )
    command.flags = a_signed << Flag.A_SIGNED | b_signed << Flag.B_SIGNED
    shape = (8, 1, 64, 64)  # the other channels of the block stay 0
    results, sums = formulation(command, *packed(command, np.full(shape, a_code), np.full(shape, b_code)))
    assert results[0, 0] == 2**15 * a_code * b_code
    assert sums[0, 0] == 2**15 * a_code
    assert abs(int(results[0, 0])) < 2**47


@pytest.mark.parametrize(("bits", "signed"), [(1, True), (1, False), (5, True), (16, False)])
def test_weights_of_the_planes_add_up_to_every_code(bits: int, signed: bool) -> None:
    weights = plane_weights(bits, signed)
    sums = {sum(weight for k, weight in enumerate(weights) if code >> k & 1) for code in range(2**bits)}
    low, high = least_and_greatest(bits, signed)
    assert sums == set(range(low, high + 1))
