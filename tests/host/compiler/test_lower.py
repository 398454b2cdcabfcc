"""The compiler: lowered, packed and executed passes against PyTorch's integers; what it refuses."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cpt_model.arithmetic.integer import integer_pass
from host.compiler.command_list import CommandList
from host.compiler.layer import Conv, LayerError, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan, PlanError
from host.compiler.precision import Output, Precision
from host.compiler.program import Program
from sim.contract import Error, Format, operand_a, operand_b, output, row_sums
from sim.contract.noise import noise
from sim.reference import Reference
from tests.tools import TINY, ZC706, Codes, layers, least_and_greatest, operands, run_pass

LAYER = Conv(2, 16, 20, 5, 4, (3, 3), padding=(1, 1))
DEPTHWISE = Conv(2, 36, 36, 4, 5, (3, 3), padding=(1, 1), groups=36)
FOUR_BY_FOUR = Precision(4, 4)
PASSES = st.sampled_from(Pass)


def precisions(least: int, most: int) -> st.SearchStrategy[Precision]:
    widths = st.integers(least, most)
    return st.builds(Precision, widths, widths, st.booleans(), st.booleans())


def requantised(accumulators: Codes, bits: int, signed: bool, shift: int) -> Codes:
    """By float64, exact here: division by a power of two, then rint, which rounds half to even."""
    return np.clip(np.rint(accumulators / 2.0**shift), *least_and_greatest(bits, signed)).astype(np.int64)


@settings(max_examples=600)
@given(layers(), PASSES, st.one_of(precisions(1, 8), precisions(9, 16)), st.integers(0, 999))
def test_an_executed_pass_equals_torch(layer: Conv, which: Pass, precision: Precision, seed: int) -> None:
    a, b = operands(layer, which, precision, seed)
    program, memory = run_pass(layer, which, precision, a, b)
    assert np.array_equal(program.result(memory), integer_pass(layer, which, a, b))


@pytest.mark.parametrize(
    ("which", "layer"),
    [
        (Pass.FORWARD, Conv.linear(3, 16, 16)),
        (Pass.INPUT_ERROR, Conv.linear(3, 16, 16)),
        (Pass.WEIGHT_GRADIENT, Conv(1, 16, 16, 5, 5, (2, 2))),
    ],
)
def test_64_bit_results_can_be_asked_for(which: Pass, layer: Conv) -> None:
    precision = Precision(3, 3, True, True)
    a, b = operands(layer, which, precision)
    program, memory = run_pass(layer, which, precision, a, b, Output(Format.INT64))
    assert np.array_equal(program.result(memory), integer_pass(layer, which, a, b))


@settings(max_examples=100)
@given(layers(), PASSES, precisions(1, 8), st.integers(0, 999))
def test_row_sums_are_the_pass_over_an_operand_of_ones(
    layer: Conv, which: Pass, precision: Precision, seed: int
) -> None:
    a, b = operands(layer, which, precision, seed)
    try:
        program, memory = run_pass(layer, which, precision, a, b, Output(row_sums=True))
    except LayerError:
        assert layer.groups > 1
        assert which is not Pass.WEIGHT_GRADIENT
        return
    expected = integer_pass(layer, which, a, np.ones_like(b))
    assert np.array_equal(np.broadcast_to(program.row_sums(memory), expected.shape), expected)


@settings(max_examples=100)
@given(layers(), PASSES, precisions(1, 8), st.integers(1, 16), st.booleans(), st.integers(0, 20), st.integers(0, 999))
def test_16_bit_results_are_requantised_accumulators(
    layer: Conv, which: Pass, precision: Precision, bits: int, signed: bool, shift: int, seed: int
) -> None:
    a, b = operands(layer, which, precision, seed)
    program, memory = run_pass(layer, which, precision, a, b, Output(Format.INT16, bits, signed, shift))
    assert np.array_equal(program.result(memory), requantised(integer_pass(layer, which, a, b), bits, signed, shift))


@settings(max_examples=100)
@given(
    layers(),
    st.sampled_from([Pass.FORWARD, Pass.INPUT_ERROR]),
    precisions(1, 8),
    st.integers(1, 16),
    st.booleans(),
    st.integers(0, 20),
    st.integers(0, 999),
)
def test_plane_results_are_requantised_accumulators(
    layer: Conv, which: Pass, precision: Precision, bits: int, signed: bool, shift: int, seed: int
) -> None:
    a, b = operands(layer, which, precision, seed)
    program, memory = run_pass(layer, which, precision, a, b, Output(Format.PLANES, bits, signed, shift))
    assert np.array_equal(program.result(memory), requantised(integer_pass(layer, which, a, b), bits, signed, shift))


def stochastic(which: Pass, seed: int, layer: Conv = LAYER, out_format: Format = Format.INT16) -> Codes:
    precision = Precision(4, 4, True, True)
    program, memory = run_pass(
        layer, which, precision, *operands(layer, which, precision), Output(out_format, 12, shift=4, seed=seed)
    )
    return program.result(memory).astype(np.int64)


@pytest.mark.parametrize("which", Pass)
def test_stochastic_results_repeat_with_their_seed_and_change_with_it(which: Pass) -> None:
    assert np.array_equal(stochastic(which, 7), stochastic(which, 7))
    assert not np.array_equal(stochastic(which, 7), stochastic(which, 8))


@pytest.mark.parametrize("which", Pass)
def test_stochastic_results_are_neighbours_of_the_exact_ones(which: Pass) -> None:
    precision = Precision(4, 4, True, True)
    exact = integer_pass(LAYER, which, *operands(LAYER, which, precision)) / 16
    assert (np.abs(stochastic(which, 3) - exact) < 1).all()


def test_words_and_planes_are_rounded_alike() -> None:
    assert np.array_equal(stochastic(Pass.FORWARD, 5), stochastic(Pass.FORWARD, 5, out_format=Format.PLANES))


def test_each_command_of_a_pass_has_the_next_seed() -> None:
    program = lowered(DEPTHWISE, output=Output(Format.INT16, 8, seed=2**32 - 2))
    seeds = [command.seed_hi << 32 | command.seed_lo for command in program.commands]
    assert seeds == [2**32 - 2, 2**32 - 1, 2**32]


def test_commands_of_a_pass_are_rounded_with_different_noise() -> None:
    program = lowered(DEPTHWISE, output=Output(Format.INT16, 8, seed=4))
    first, second = (noise(command.seed_hi << 32 | command.seed_lo, np.arange(320)) for command in program.commands[:2])
    assert len(np.intersect1d(first, second)) < 10


def lowered(
    layer: Conv = LAYER, which: Pass = Pass.FORWARD, precision: Precision = FOUR_BY_FOUR, **how: Any
) -> Program:
    return lower(layer, which, precision, how.pop("build", ZC706), plan=Plan(), **how)


@pytest.mark.parametrize(
    ("layer", "precision", "how", "memory", "need"),
    [
        (Conv(1, 64, 16, 40, 40, (3, 3), padding=(1, 1)), Precision(8, 2), {}, "lane_words", 3 * 40 * 4 * 8),
        (Conv.linear(1, 8192, 16), Precision(2, 8), {}, "column_words", -(-512 // 3) * 8),
        (Conv(1, 1, 1, 1, 40), Precision(1, 1), {"output": Output(Format.PLANES, 8)}, "row_words", 320),
    ],
)
def test_what_does_not_fit_is_refused_with_what_is_missing(
    layer: Conv, precision: Precision, how: dict[str, Any], memory: str, need: int
) -> None:
    have = getattr(TINY, memory)
    message = f"the memories of tiny ({memory}: needs {need:,}, has {have:,}, {need - have:,} too few)"
    with pytest.raises(PlanError, match=re.escape(message)):
        lowered(layer, precision=precision, build=TINY, **how)


def test_a_region_beyond_32_bits_is_refused_with_what_is_missing() -> None:
    with pytest.raises(PlanError, match=r"'a' ends [\d,]+ bytes beyond"):
        lowered(Conv(65535, 16, 16, 64, 64), precision=Precision(16, 1))


@pytest.mark.parametrize(
    ("layer", "which", "precision", "output", "message"),
    [
        (LAYER, Pass.FORWARD, Precision(16, 16), Output(Format.INT32), "144 products of 16 by 16 bits"),
        (Conv(9, 1, 1, 64, 64), Pass.WEIGHT_GRADIENT, Precision(16, 16), Output(), "36,864 products"),
        (Conv(9, 1, 1, 64, 64), Pass.WEIGHT_GRADIENT, Precision(16, 1), Output(row_sums=True), "row sums"),
        (LAYER, Pass.FORWARD, FOUR_BY_FOUR, Output(Format.PLANES, 0), "0 bits"),
        (LAYER, Pass.FORWARD, FOUR_BY_FOUR, Output(seed=1), "belong to requantised results"),
        (LAYER, Pass.WEIGHT_GRADIENT, FOUR_BY_FOUR, Output(Format.PLANES, 8), "not as PLANES"),
        (DEPTHWISE, Pass.FORWARD, FOUR_BY_FOUR, Output(row_sums=True), "group_row_sums"),
        (DEPTHWISE, Pass.INPUT_ERROR, FOUR_BY_FOUR, Output(row_sums=True), "whole blocks of 16 channels"),
    ],
)
def test_what_cannot_run_is_refused_with_the_reason(
    layer: Conv, which: Pass, precision: Precision, output: Output, message: str
) -> None:
    with pytest.raises(LayerError, match=message):
        lowered(layer, which, precision, output=output)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"bits": 17}, "bits = 17"),
        ({"shift": 48}, "shift = 48"),
        ({"shift": -1}, "shift = -1"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_an_output_that_cannot_be_is_refused_by_name(how: dict[str, Any], message: str) -> None:
    with pytest.raises(LayerError, match=message):
        Output(Format.INT16, **how)


def test_a_refused_pass_leaves_the_plan_as_it_was() -> None:
    plan = Plan()
    plan.add("before", 100)
    with pytest.raises(PlanError):
        lower(Conv(65535, 16, 64, 32, 32), Pass.FORWARD, Precision(8, 8), ZC706, plan=plan)
    assert (plan.bytes, list(plan.pieces)) == (128, ["before"])


@pytest.mark.parametrize("bits", [0, 17, -1, 300])
def test_a_width_that_does_not_exist_is_refused_by_name(bits: int) -> None:
    with pytest.raises(LayerError, match=rf"a_bits = {bits} is not in 1\.\.16"):
        lowered(precision=Precision(bits, 4))
    with pytest.raises(LayerError, match=rf"b_bits = {bits} is not in 1\.\.16"):
        lowered(precision=Precision(4, bits))


def test_weights_of_another_shape_are_refused() -> None:
    program = lowered()
    with pytest.raises(ValueError, match=r"expected \(20, 16, 3, 3\)"):
        program.load(np.zeros(1 << 16, np.uint8), np.zeros(LAYER.input_shape, int), np.zeros((16, 20, 3, 3), int))


def test_row_sums_that_were_not_asked_for_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="without row sums"):
        lowered().row_sums(np.zeros(1 << 16, np.uint8))


def test_two_passes_of_one_plan_need_names() -> None:
    plan = Plan()
    lower(LAYER, Pass.FORWARD, FOUR_BY_FOUR, ZC706, plan=plan)
    with pytest.raises(PlanError, match="already in the plan"):
        lower(LAYER, Pass.INPUT_ERROR, FOUR_BY_FOUR, ZC706, plan=plan)


@settings(max_examples=30)
@given(layers(), layers(), st.integers(0, 99))
def test_passes_that_share_a_plan_share_no_byte(first: Conv, second: Conv, seed: int) -> None:
    plan = Plan()
    programs = [
        lower(
            layer, which, Precision(3, 5), ZC706, Output(row_sums=layer.groups == 1), plan=plan, name=f"{number}{which}"
        )
        for number, layer in enumerate((first, second))
        for which in Pass
    ]
    taken: list[tuple[int, int]] = []
    for program in programs:
        tensors = []
        for command in program.commands:
            every = (operand_a(command), operand_b(command), output(command), row_sums(command))
            tensors += [(tensor.address, tensor.end) for tensor in every if tensor is not None]
        assert all(end <= start or stop <= begin for begin, end in taken for start, stop in tensors)
        taken += tensors
    assert max(end for _, end in taken) <= plan.bytes


@settings(max_examples=30)
@given(layers(), st.integers(0, 99))
def test_the_three_passes_run_from_one_list(layer: Conv, seed: int) -> None:
    plan, precision = Plan(), Precision(4, 3, True, True)
    programs = [lower(layer, which, precision, ZC706, plan=plan, name=which.value) for which in Pass]
    commands = CommandList.place(programs, plan)
    memory = np.zeros(plan.bytes, dtype=np.uint8)
    for program in programs:
        program.load(memory, *operands(layer, program.which, precision, seed))
    commands.write(memory)
    assert Reference(ZC706).run(memory, commands.offset, commands.bytes).error == Error.OK
    for program in programs:
        expected = integer_pass(layer, program.which, *operands(layer, program.which, precision, seed))
        assert np.array_equal(program.result(memory), expected), program.which


def test_exact_results_take_32_bits_where_they_suffice_and_else_64() -> None:
    formats = [lowered(precision=Precision(bits, 12)).commands[0].out_format for bits in (11, 12)]
    assert formats == [Format.INT32, Format.INT64]
