"""The tables of CONTRACT.md say what contract.toml says."""

from __future__ import annotations

import re

import pytest

from sim.contract.generate import load
from sim.contract.noise import noise
from tests.tools import ROOT

DOCUMENT = (ROOT / "sim" / "contract" / "CONTRACT.md").read_text()
SOURCE = load()


def table(first_heading: str) -> list[list[str]]:
    """The rows of the table whose header starts with this heading."""
    lines = DOCUMENT.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_every_field_stands_where_the_source_puts_it() -> None:
    documented = {}
    for name, word, bits, *_ in table("field"):
        high, low = (int(bit) for bit in bits.split(":"))
        documented[name] = [int(word), low, high - low + 1]
    assert documented == SOURCE["field"]


@pytest.mark.parametrize(
    ("heading", "key", "column"),
    [
        ("opcode", "opcode", 1),
        ("flag", "flag", 1),
        ("error", "error", 1),
        ("register", "register", 1),
        ("control bit", "ap_ctrl", 1),
    ],
)
def test_names_and_numbers_agree(heading: str, key: str, column: int) -> None:
    documented = {row[0].lower(): int(row[column], 0) for row in table(heading)}
    assert documented == SOURCE[key]


def test_formats_agree() -> None:
    meaning = next(row[3] for row in table("field") if row[0] == "out_format")
    assert {name.lower(): int(value) for name, value in re.findall(r"(\w+) = (\d)", meaning)} == SOURCE["format"]


def test_builds_agree() -> None:
    rows = table("parameter")
    for column, build in ((2, "tiny"), (3, "zc706")):
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
    ],
)
def test_limits_agree(name: str, sentence: str) -> None:
    assert sentence.format(SOURCE["limits"][name]) in " ".join(DOCUMENT.split())


def test_the_generators_examples_are_right() -> None:
    examples = re.findall(r"noise\((0x[0-9A-F]+|\d+), (\d+)\) = 0x([0-9A-F]{8})", DOCUMENT)
    assert len(examples) == 2
    for seed, element, value in examples:
        assert int(noise(int(seed, 0), int(element))[0]) == int(value, 16)
