"""The C++ kernel behind its AXI pins, under Verilator and cocotb: a selection of vectors, and faults that must show."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import pytest

from sim.bench.devices import open_dut
from sim.bench.runner import BenchError, Stress, run_bench
from sim.contract import Build
from sim.vectors import Vector, catalogue
from tests.tools import ROOT

ZC706 = Build.named("zc706")
# The arithmetic is C-simulated on every vector elsewhere; here the pins count: registers, bursts, strobes, responses.
SELECTION = (
    *("empty-list", "width-3x8", "shape-linear", "shape-depthwise", "row-sums-planes", "base-12340"),
    *("read-after-write", "stride-gaps-*", "error-list-*", "error-bus-*", "error-width-a-0", "order-range"),
    *("stats-with-half-and-row-sums", "map-everything", "map-shape-3x17x3x3", "norm-error-bus-*", "map-error-*-bus"),
    *("scale-error-*-bus", "weights-error-*-bus", "update-groups", "weights-groups", "layer-half"),
)
# Kept between runs, so that only changed files are compiled again; the runner lets in one at a time.
BUILD = ROOT / "out" / "cosim" / "hls-zc706"


@pytest.fixture(scope="module")
def selection() -> list[Vector]:
    return [vector for vector in catalogue(ZC706) if any(fnmatch(vector.name, name) for name in SELECTION)]


@pytest.mark.slow
def test_selected_vectors_agree_under_back_pressure(selection: list[Vector], tmp_path: Path) -> None:
    assert len(selection) > len(SELECTION)
    files = [vector.save(tmp_path) for vector in selection]
    run_bench(open_dut("hls", ZC706), files, BUILD, Stress(seed=11, pause=0.3))


@pytest.mark.slow
@pytest.mark.parametrize("spoiled", ["memory", "register"])
def test_a_wrong_expectation_is_reported(selection: list[Vector], tmp_path: Path, spoiled: str) -> None:
    vector = next(vector for vector in selection if vector.name == "shape-linear")
    message = r"shape-linear: memory at" if spoiled == "memory" else r"shape-linear: COMMANDS_DONE is"
    if spoiled == "memory":
        after = vector.after.copy()
        after[-1] ^= 1
        vector = replace(vector, after=after)
    else:
        vector = replace(vector, commands_done=vector.commands_done + 1)
    with pytest.raises(BenchError, match=message):
        run_bench(open_dut("hls", ZC706), [vector.save(tmp_path)], BUILD, Stress(pause=0))


@pytest.mark.slow
def test_a_device_that_does_not_answer_in_time_is_reported(selection: list[Vector], tmp_path: Path) -> None:
    vector = next(vector for vector in selection if vector.name == "width-3x8")
    with pytest.raises(BenchError, match="width-3x8: no interrupt within 20 cycles"):
        run_bench(open_dut("hls", ZC706), [vector.save(tmp_path)], BUILD, Stress(pause=0, watchdog=20))


@pytest.mark.parametrize(("name", "message"), [("vitis", "csynth"), ("fpga", "there are: hls")])
def test_a_device_that_is_not_there_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        open_dut(name, ZC706)
