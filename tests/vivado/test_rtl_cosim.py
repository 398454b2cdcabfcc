"""The whole RTL core, tiny build, through its pins under cocotb: vectors of every family, resets and errors."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

from sim.bench.devices import open_dut
from sim.bench.runner import Stress, run_bench
from sim.vectors import catalogue
from tests.tools import ROOT, TINY

# The harness runs all vectors; here an AXI model that is not ours sees what the core does.
SELECTION = (
    *("read-after-write", "empty-list", "width-3x8", "shape-linear", "shape-depthwise", "row-sums-*", "base-12340"),
    *("stride-gaps-*", "error-list-*", "error-bus-*", "error-width-a-0", "order-range"),
)
BUILD = ROOT / "out" / "cosim" / "rtl-tiny"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_vectors_resets_and_errors(seed: int, tmp_path: Path) -> None:
    chosen = [vector for vector in catalogue(TINY, features=0) if any(fnmatch(vector.name, name) for name in SELECTION)]
    assert len(chosen) > len(SELECTION)
    files = [vector.save(tmp_path) for vector in chosen if not vector.slow]
    run_bench(open_dut("rtl", TINY), files, BUILD, Stress(seed=seed, pause=0.3, watchdog=500_000))
