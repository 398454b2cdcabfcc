"""The vector unit's commands: what must hold whatever the constants are."""

from __future__ import annotations

import pytest

import sim.latency.map as map_module
from sim.contract import Build, MapCommand, MapFlag, Opcode, ScalarCommand, ScalarFlag, WeightCommand, WeightFlag
from sim.latency import Memory, command_time
from sim.latency.map_strips import Shape, pieces
from tests.tools import TINY, ZC706

FLAGS = 1 << MapFlag.TALLY | 1 << MapFlag.MASK_OUT | 1 << MapFlag.X0_SIGNED
LONG = MapCommand(x0_bits=9, x1_bits=11, x2_bits=7, flags=FLAGS, out0_bits=10, images=24, blocks=5, height=32, width=32)
WEIGHTS = WeightCommand(
    Opcode.WEIGHTS, bits=4, flags=1 << WeightFlag.BOTH, in_channels=64, out_channels=64, kernel_h=3, kernel_w=3
)


@pytest.mark.parametrize("build", [ZC706, TINY], ids=lambda build: build.name)
@pytest.mark.parametrize("width", [7, 32, 100])
def test_a_long_map_goes_on_as_its_first_strips_do(build: Build, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    command, memory = MapCommand(**vars(LONG) | {"width": width}), Memory(build.bus_bytes * 0.8)
    short = map_module.map_time(command, build, memory, 0, 0).cycles
    monkeypatch.setattr(map_module, "STRIPS", 1 << 20)
    monkeypatch.setattr(map_module, "BLOCKS", 1 << 20)
    assert short == pytest.approx(map_module.map_time(command, build, memory, 0, 0).cycles, rel=0.02)


def test_a_map_waits_for_its_lanes_or_for_memory() -> None:
    for bandwidth in (8.0, 50.0, 100.0):
        time = command_time(LONG, ZC706, Memory(bandwidth))
        assert time.cycles > max(time.compute, time.load + time.store)
    assert command_time(LONG, ZC706, Memory(1e3)).cycles < 1.05 * time.compute, "no memory is waited for"


def test_three_operands_take_three_turns_for_the_pixels_of_a_read() -> None:
    assert Shape(LONG, ZC706.bus_bytes).turns == 3
    two = Shape(MapCommand(**vars(LONG) | {"x2_bits": 0}), ZC706.bus_bytes)
    assert (two.turns, two.pixels) == (2, 2)


def test_pieces_hold_every_word_once() -> None:
    assert pieces(rows=1, pixels=32, bits=5, gather=1, beat_words=32, banks=32) == 5
    assert pieces(rows=3, pixels=7, bits=4, gather=1, beat_words=4, banks=16) > 3 * 7 * 4 / 4


def test_a_node_with_a_history_takes_longer() -> None:
    node = ScalarCommand(Opcode.SCALE, bits=8, flags=1 << ScalarFlag.NODE, channels=48)
    inner = ScalarCommand(Opcode.SCALE, bits=8, channels=48)
    first, later = (command_time(node, ZC706, Memory(), history=history).cycles for history in (False, True))
    assert first < later
    assert len({command_time(inner, ZC706, Memory(), history=history).cycles for history in (False, True)}) == 1


def test_weights_are_divided_beside_their_coding() -> None:
    """Twice the squares take less than twice as long, more bits hardly longer; a slow memory rules."""
    half = WeightCommand(**vars(WEIGHTS) | {"out_channels": 32})
    time, less = (command_time(each, ZC706, Memory()).cycles for each in (WEIGHTS, half))
    assert less < time < 2 * less
    slow = command_time(WEIGHTS, ZC706, Memory(1.0))
    assert slow.cycles == pytest.approx(slow.load + slow.store, rel=0.2)
