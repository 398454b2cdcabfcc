"""The tables of CONTRACT.md say what contract.toml says."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sim.contract import CLASSES, Block, Command, MapCommand, ScalarCommand, WeightCommand
from sim.contract.blocks import HEADERS, RECORDS
from sim.contract.generate import load
from sim.contract.noise import noise
from sim.reference.scalar import add, div, root, scalar
from tests.sim.second.document import DOCUMENT, table

SOURCE = load()


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("field", "field"),
        ("MAP field", "map_field"),
        ("scalar field", "scalar_field"),
        ("weight field", "weight_field"),
    ],
)
def test_every_field_stands_where_the_source_puts_it(heading: str, key: str) -> None:
    documented = {}
    for name, word, bits, *_ in table(heading):
        high, low = (int(bit) for bit in bits.split(":"))
        documented[name] = [int(word), low, high - low + 1]
    assert documented == SOURCE[key]


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("opcode", "opcode"),
        ("flag", "flag"),
        ("MAP flag", "map_flag"),
        ("scalar flag", "scalar_flag"),
        ("weight flag", "weight_flag"),
        ("block", "block"),
        ("error", "error"),
        ("register", "register"),
        ("control bit", "ap_ctrl"),
        ("feature", "feature"),
    ],
)
def test_names_and_numbers_agree(heading: str, key: str) -> None:
    documented = {row[0].lower(): int(row[1], 0) for row in table(heading)}
    assert documented == SOURCE[key]


@pytest.mark.parametrize("heading", ["field", "MAP field", "scalar field", "weight field"])
def test_the_opcodes_of_a_layout_agree(heading: str) -> None:
    meaning = next(row[3] for row in table(heading) if row[0] == "opcode")
    named = re.findall(r"(\w+) = (\d)", meaning)
    assert named
    for name, value in named:
        assert int(value) == SOURCE["opcode"][name.lower()]
        classes = {"field": Command, "MAP field": MapCommand, "scalar field": ScalarCommand}
        assert CLASSES[int(value)] is classes.get(heading, WeightCommand)


def members(layout: np.dtype) -> dict[str, tuple[int, str]]:
    """Name to byte and type, as the document writes them."""
    types = {"uint32": "u32", "int32": "i32", "int64": "i64", "uint64": "u64"}
    found = {}
    for name, (kind, offset, *_) in (layout.fields or {}).items():
        found[name] = (offset, "scalar" if kind.names else types[kind.name])
    return found


def test_every_block_is_laid_out_as_the_table_says() -> None:
    documented: dict[str, dict[str, tuple[int, str]]] = {}
    for name, part, byte, kind, *_ in table("block field"):
        documented.setdefault(part, {})[name] = (int(byte), kind)
    every = documented.pop("every header")
    for block in Block:
        header = members(HEADERS[block])
        assert every | documented.pop(f"{block.name} header", {}) == header
        record = documented.pop(f"{block.name} record", {})
        if block in (Block.UNITS, Block.MAXIMA):  # one value, which has no name in the code
            (place,) = record.values()
            assert place == (0, "scalar" if block is Block.UNITS else "i32")
        else:
            assert record == (members(RECORDS[block]) if block in RECORDS else {})
    assert not documented


def test_every_block_has_the_text_and_the_record_that_the_table_says() -> None:
    for name, word, text, size, *_ in table("block"):
        assert int(word, 0).to_bytes(4, "little").decode() == text
        kind = Block[name]
        assert int(size) == (RECORDS[kind].itemsize if kind in RECORDS else 0)


def test_formats_agree() -> None:
    meaning = next(row[3] for row in table("field") if row[0] == "out_format")
    assert {name.lower(): int(value) for name, value in re.findall(r"(\w+) = (\d)", meaning)} == SOURCE["format"]


def test_builds_agree() -> None:
    rows = table("parameter")
    for column, build in enumerate(SOURCE["build"], start=2):
        assert {row[0]: int(row[column]) for row in rows} == SOURCE["build"][build]
    for row in rows:
        least, most, divides, multiple = SOURCE["build_range"][row[0]]
        documented = [int(number) for number in re.findall(r"\d+", row[1])]
        assert documented == ([divides, least] if divides else [least, most]) + ([multiple] if multiple > 1 else [])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("max_images", "images 1..{}"),
        ("max_blocks", "y_blocks 1..{}"),
        ("max_extent", "y_width 1..{}"),
        ("max_kernel", "kernel_w 1..{}"),
        ("max_step", "up_x 1..{}"),
        ("max_padding", "padding 0..{}"),
        ("max_shift", "shift > {}"),
        ("command_bytes", "not a multiple of {}"),
        ("accumulator_bits", "The accumulator has {} bits"),
        ("max_count", "images · height · width > {}"),
        ("max_exponent", "−{0} ≤ e ≤ {0}"),
        ("max_map_shift", "k is not in 0..{}"),
        ("max_shift", "j not in −{0}..{0}"),
        ("max_scale_shift", "scale_shift not in 0..{}"),
        ("max_map_shift", "k = room({}, 25; gain_c / step of every c)"),
        ("max_scale_shift", "s = room({}, 25; S(1, −f) / step)"),
        ("coefficient_bits", "A_c = int(gain_c / step, k, {})"),
        ("coefficient_bits", "the low {} bits count, signed"),
        ("scalar_bits", "cut towards zero to {} bits"),
        ("tally_sum_bits", "Σ v; readers take the low {} bits"),
        ("tally_second_bits", "Σ v·x2 of a MAP; readers take the low {} bits"),
        ("tally_code_bits", "least v; readers take the low {} bits"),
        ("tensor_alignment", "that the command uses is not a multiple of {}"),
    ],
)
def test_limits_agree(name: str, sentence: str) -> None:
    assert sentence.format(SOURCE["limits"][name]) in " ".join(DOCUMENT.split())


def test_channels_are_bounded_by_blocks() -> None:
    most = SOURCE["limits"]["max_blocks"] * SOURCE["limits"]["channel_block"]
    assert f"channels, in_channels, out_channels 1..{most}" in " ".join(DOCUMENT.split())


def test_the_scalars_examples_are_right() -> None:
    assert "1 / 3 = 1431655765 · 2^−32; √2 = 1518500249 · 2^−30; 1 + 2^−31 = 1" in " ".join(DOCUMENT.split())
    assert div(scalar(1), scalar(3)) == (1431655765, -32)
    assert root(scalar(2)) == (1518500249, -30)
    assert add(scalar(1), scalar(1, -31)) == scalar(1)


def test_every_reference_to_a_section_finds_it() -> None:
    headings = re.findall(r"^## (\d+)\. (.+)$", DOCUMENT, re.MULTILINE)
    assert [int(number) for number, _ in headings] == list(range(1, len(headings) + 1))
    anchors = {f"{number}-{re.sub(r'[^a-z0-9 -]', '', title.lower()).replace(' ', '-')}" for number, title in headings}
    links = re.findall(r"\]\(#([^)]+)\)", DOCUMENT)
    assert set(links) <= anchors
    assert anchors <= set(links), "the list of contents names every section"


def test_the_generators_examples_are_right() -> None:
    examples = re.findall(r"noise\((0x[0-9A-F]+|\d+), (\d+)\) = 0x([0-9A-F]{8})", DOCUMENT)
    assert len(examples) == 2
    for seed, element, value in examples:
        assert int(noise(int(seed, 0), int(element))[0]) == int(value, 16)
