"""The AXI rules that the harness watches at the core's pins: planted mistakes are noticed, right traffic is not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tools import ROOT

HERE = Path(__file__).parent
EXPECTED = {
    "addresses": "kept",
    "length changes": "an address changed before it was taken",
    "withdrawn": "an address changed before it was taken",
    "over 4 KB": "a burst is longer than 16 beats, not aligned, or crosses 4 KB",
    "17 beats": "a burst is longer than 16 beats, not aligned, or crosses 4 KB",
    "data": "kept",
    "no address": "write data came before its address",
    "two bursts, one address": "write data came before its address",
    "last too early": "the last beat of a write burst is not the one marked",
    "last missing": "the last beat of a write burst is not the one marked",
    "data changes": "write data changed before it was taken",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    program = tmp_path_factory.mktemp("rules") / "planted"
    source = HERE / "planted_rules.cpp"
    subprocess.run(
        ["g++", "-std=c++17", "-Wall", "-Werror", f"-I{ROOT / 'vivado' / 'harness'}", str(source), "-o", str(program)],
        check=True,
    )
    lines = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_every_case_is_there(said: dict[str, str]) -> None:
    assert said.keys() == EXPECTED.keys()


@pytest.mark.parametrize("case", EXPECTED)
def test_rules(said: dict[str, str], case: str) -> None:
    assert said[case] == EXPECTED[case]
