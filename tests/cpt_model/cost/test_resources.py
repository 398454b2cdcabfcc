"""The resource model: the table's own build as it was counted, other builds by their sizes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cpt_model.cost.fpga_parts import PARTS, fpga_part
from cpt_model.cost.resources import (
    NAMES,
    TABLE,
    Module,
    ResourceError,
    Resources,
    ResourceTable,
    buildable,
    half_blocks,
    read_table,
)
from tests.tools import TINY, ZC706


def alone(name: str) -> ResourceTable:
    return ResourceTable((Module(name, Resources(100, 100, 100, 100), 1.0),), Resources(1, 1, 1, 1))


def test_the_synthesised_build_needs_what_was_counted() -> None:
    counted = json.loads(TABLE.read_text())["zc706"]["total"]
    need = read_table().estimate(ZC706)
    assert [getattr(need, name) for name in NAMES] == pytest.approx([counted[name] for name in NAMES])


def test_every_module_of_the_table_has_a_rule() -> None:
    """If a synthesis brings a new module, say in cpt_model/cost/resources.py how it grows."""
    assert read_table().unknown == []


def test_a_module_without_a_rule_is_named_and_fixed() -> None:
    table = alone("conjurer")
    assert table.unknown == ["conjurer"]
    assert table.estimate(TINY) == table.estimate(ZC706)


def test_dot_products_grow_with_lanes_and_slices_but_dsps_with_lanes_alone() -> None:
    table = alone("dpu_row")
    assert table.estimate(replace(ZC706, lanes=96)).lut == pytest.approx(200)
    assert table.estimate(replace(ZC706, slice_groups=18)) == Resources(200, 200, 100, 200)
    assert table.estimate(replace(ZC706, lanes=16, slice_groups=3)).lut == pytest.approx(100 / 9)


def test_a_lanes_memory_takes_whole_blocks() -> None:
    table = alone("lane")
    # zc706: four banks of 3072 words, three half blocks each, and three column memories: 15 halves.
    assert table.estimate(replace(ZC706, lane_words=8192)).bram36 == pytest.approx(100 * 11 / 15)
    assert table.estimate(replace(ZC706, lane_words=4096)).bram36 == pytest.approx(100 * 7 / 15)
    assert table.estimate(replace(ZC706, lane_words=64)).bram36 == pytest.approx(100 * 7 / 15)


def test_there_is_a_memory_for_each_triple_of_a_column_whatever_the_lanes() -> None:
    table = alone("lane")
    assert table.estimate(replace(ZC706, lanes=32)) == Resources(100, 100, 100, 100)
    assert table.estimate(replace(ZC706, slice_groups=18)) == Resources(200, 400, 200, 200)


def test_the_array_grows_with_operands_and_results() -> None:
    table = alone("array")
    assert table.estimate(replace(ZC706, lanes=96)).lut < 200 < 2 * table.estimate(replace(ZC706, lanes=80)).lut
    assert 100 < table.estimate(replace(ZC706, slice_groups=18)).ff < 200


def test_control_does_not_grow_and_the_bus_carries_its_writers() -> None:
    assert alone("planner").estimate(replace(ZC706, lanes=256, slice_groups=64)) == Resources(100, 100, 100, 100)
    assert alone("load_writer").estimate(replace(ZC706, bus_bytes=32)).lut == pytest.approx(50)


def test_what_is_lacking_is_named() -> None:
    assert Resources(10, 20, 30, 40).exceeded(Resources(9, 20, 31, 39)) == ["lut", "bram36"]


def test_blocks_of_memories() -> None:
    assert [half_blocks(*size) for size in ((1, 1), (512, 36), (512, 37), (1025, 18), (2048, 9))] == [1, 1, 2, 2, 1]


def test_what_the_rtl_elaborates_to() -> None:
    assert not buildable(replace(ZC706, slice_groups=6))
    assert not buildable(replace(ZC706, lanes=32, slice_groups=6))  # its popcounts are of 48 or 144 bits
    assert not buildable(replace(ZC706, lanes=64))  # more than there are memories
    assert buildable(replace(ZC706, lanes=32))
    assert not buildable(replace(ZC706, lane_words=12290))
    assert buildable(replace(ZC706, lane_words=8192))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a table of 'make -C vivado resources'"),
        ("[]", "not a table"),
        ('{"device": {}}', "KeyError('zc706')"),
        ('{"zc706": {"parts": []}, "device": {"lut": 1, "ff": 1, "dsp": 1, "bram36": 1}}', "has no modules"),
    ],
)
def test_a_malformed_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "resources.json"
    path.write_text(text)
    with pytest.raises(ResourceError) as refusal:
        read_table(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert message in str(refusal.value)
    with pytest.raises(ResourceError, match="'make -C vivado resources' writes it"):
        read_table(tmp_path / "lost.json")


def test_parts_by_name() -> None:
    assert fpga_part("XC7Z045") == read_table().device
    assert all(min(getattr(fpga_part(name), each) for each in NAMES) > 0 for name in PARTS)
    with pytest.raises(ValueError, match="no part 'xc9'; there are: xc7z045, xc7z020"):
        fpga_part("xc9")
