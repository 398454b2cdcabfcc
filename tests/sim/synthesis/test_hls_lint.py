"""The lint of the HLS sources: faults planted one by one, and none in the kernel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.devices.hls_executor import HLS_BUILDS, hls_sources
from sim.synthesis.hls_lint import lint
from tests.tools import hls_first

GOOD = """#include "types.hpp"
namespace cpt {
static std::uint32_t helped(std::uint32_t a, std::uint32_t b) { return a + b; }
void stage(hls::stream<word_t>& in, hls::stream<word_t> lanes[4], std::uint32_t count, std::uint32_t step) {
    static word_t memory[8][64];
#pragma HLS ARRAY_PARTITION variable=memory complete dim=1
    std::uint32_t at = 0;
    loop: for (std::uint32_t i = 0; i < count; ++i) {
#pragma HLS PIPELINE II=1
        const word_t word = in.read();
        for (std::uint32_t bank = 0; bank < 8; ++bank) {
#pragma HLS UNROLL
            memory[bank][i % 64] = word_t(word + i * step);
        }
        for (std::uint32_t lane = 0; lane < 4; ++lane) {
#pragma HLS UNROLL
            lanes[lane].read();
        }
        at = helped(at, step) / 4;
    }
}
}
"""

FAULTS = {
    "division": ("helped(at, step) / 4", "helped(at, step) / step"),
    "division in a function": ("return a + b;", "return a % b;"),
    "recurrence": ("at = helped(at, step) / 4;", "at = at + (at - 1) * step;"),
    "recurrence by way of another": ("at = helped(at, step) / 4;", "const std::uint32_t next = at * step; at = next;"),
    "recurrence by a condition": ("at = helped(at, step) / 4;", "if (at * step < count) at += 2;"),
    "twice": ("const word_t word = in.read();", "const word_t word = word_t(in.read() + in.read());"),
    "twice by copies": ("lanes[lane].read();", "lanes[0].read();"),
    "ports": ("memory[bank][i % 64]", "memory[i % 8][bank]"),
    "one-trip": ("i < count; ++i", "i < 1; ++i"),
    "divider": ("std::uint32_t at = 0;", "std::uint32_t at = count / step;"),
    "divider by a call": ("std::uint32_t at = 0;", "std::uint32_t at = ceil_div(count, step);"),
}


def findings(source: str, folder: Path) -> list[str]:
    path = folder / "stage.cpp"
    path.write_text(source)
    return [str(each) for each in lint(path, "tiny") if each.place.startswith("stage.cpp")]


def test_good_loop_has_no_finding(tmp_path: Path) -> None:
    assert findings(GOOD, tmp_path) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    before, after = FAULTS[fault]
    assert before in GOOD
    found = findings(GOOD.replace(before, after), tmp_path)
    assert found
    names = {fault.split()[0], "divider"} if fault.startswith("division") else {fault.split()[0]}
    assert all(text.split(": ")[1] in names for text in found), found


@pytest.mark.parametrize("build", hls_first(HLS_BUILDS))
@pytest.mark.parametrize("source", hls_sources(), ids=lambda path: path.stem)
def test_kernel_has_no_finding(source: Path, build: str) -> None:
    assert [str(each) for each in lint(source, build)] == []


@pytest.mark.parametrize("source", hls_sources(), ids=lambda path: path.stem)
def test_what_a_dataflow_does_not_change_is_stable(source: Path) -> None:
    """Else each of its fields has a FIFO to each process."""
    for dataflow in source.read_text().split("#pragma HLS DATAFLOW\n")[1:]:
        assert dataflow.startswith("#pragma HLS STABLE")


def plain_loops(text: str) -> list[str]:
    """Loops without a pragma in functions that are inlined: Vitis unrolls them in a pipeline, the timed C-simulation
    would count them as sequential.
    """
    inlined = [function for function in text.split("\n}\n") if "#pragma HLS INLINE" in function]
    loop = re.compile(r"^ *((?:\w+: )?(?:for|while) \(.*) \{\n(?!(?: *//.*\n)*#pragma HLS)", re.MULTILINE)
    return [found for function in inlined for found in loop.findall(function)]


def test_loops_of_inlined_functions_are_marked() -> None:
    assert [found for source in hls_sources() for found in plain_loops(source.read_text())] == []
    array = next(source for source in hls_sources() if source.name == "array.cpp").read_text()
    assert plain_loops(array.replace("#pragma HLS UNROLL\n", ""))
