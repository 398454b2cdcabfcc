"""Array cycles, against a count of the pieces that work is dealt in."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.compiler.geometry import geometry
from host.compiler.groups import bundles
from host.compiler.layer import Conv, Pass
from sim.contract import Build, Command, Opcode, array_cycles
from tests.tools import TINY, ZC706, layers


def command_of(layer: Conv, which: Pass, a_bits: int, b_bits: int) -> Command:
    bundle = bundles(layer)[0]
    blocks = (
        (bundle.out_blocks, bundle.in_blocks) if which is Pass.INPUT_ERROR else (bundle.in_blocks, bundle.out_blocks)
    )
    return replace(geometry(layer, which), a_bits=a_bits, b_bits=b_bits, a_blocks=blocks[0], y_blocks=blocks[1])


def dealt(command: Command, build: Build) -> int:
    pixels = command.images * command.y_height * command.y_width
    taps = 16 * command.a_blocks * command.kernel_h * command.kernel_w
    rows, terms = (pixels, taps) if command.opcode == Opcode.CONV else (taps, pixels)
    return sum(
        command.a_bits * command.b_bits
        for _ in range(0, rows, build.lanes)
        for _ in range(0, 16 * command.y_blocks, build.columns)
        for _ in range(0, terms, 16 * build.slice_groups)
    )


@settings(max_examples=60)
@given(layers(), st.sampled_from(Pass), st.integers(1, 16), st.integers(1, 16), st.sampled_from([TINY, ZC706]))
def test_cycles_count_every_piece_of_work(layer: Conv, which: Pass, a_bits: int, b_bits: int, build: Build) -> None:
    command = command_of(layer, which, a_bits, b_bits)
    assert array_cycles(command, build) == dealt(command, build)


@pytest.mark.parametrize(("bits", "rate"), [(8, 1728), (6, 3072), (4, 6912), (3, 12288)])
def test_a_3x3_layer_fills_the_full_size_array(bits: int, rate: int) -> None:
    layer = Conv(48, 32, 64, 16, 16, (3, 3), padding=(1, 1))
    assert layer.macs == rate * array_cycles(command_of(layer, Pass.FORWARD, bits, bits), ZC706)
