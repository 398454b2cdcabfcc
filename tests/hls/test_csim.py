"""C-simulation by make: the test bench on every vector, under sanitizers, and on vectors that are wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sim.contract import Build
from sim.devices.hls_executor import HLS, HLS_BUILDS, make
from sim.vectors import Vector, catalogue
from tests.tools import hls_first

# Every stage, format and kind of error once; the whole catalogue under sanitizers is `make -C hls sanitize`.
SANITIZED = (
    "width-3x5",
    "wide-16s-16u",
    "shape-5x3",
    "shape-3x3-stride-2",
    "shape-depthwise",
    "shape-linear",
    "shape-kernel-15",
    "batch-lanes-plus-1",
    "row-sums-s",
    "out-int64",
    "out-planes-7s-stochastic",
    "out-int16-16u-nearest",
    "stride-gaps-in-result",
    "error-bus-read-a",
    "error-bus-write",
    "error-bus-fetch",
    "error-overlap-list",
    "error-list-behind-region",
    "half-stochastic",
    "stats-planes-s",
    "map-everything",
    "map-ends-extreme-s",
    "map-shape-1x80x2x33",
    "map-broadcast-mask-x0",
    "map-error-write-bus",
    "norm-error-read-bus",
    "update-acc-beyond-48-bits",
    "update-step-greatest",
    "update-groups",
    "weights-ends",
    "weights-kernel-15",
    "layer-half",
)
SECONDS = 600  # several times what all of these take together


def built(goal: str) -> Path:
    made = make(goal)
    assert made.returncode == 0, made.stdout + made.stderr
    return HLS / goal


def bench(program: Path, *arguments: Path) -> subprocess.CompletedProcess[str]:
    command = [str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)


@pytest.fixture(scope="module")
def testbench() -> Path:
    return built("build/tiny/testbench")


@pytest.fixture(scope="module")
def good() -> Vector:
    return next(vector for vector in catalogue(Build.named("tiny")) if vector.name == "row-sums-u")


@pytest.mark.slow
def test_make_csim_passes_every_vector_of_both_builds() -> None:
    done = make("csim", "VITIS=")
    assert done.returncode == 0, done.stdout + done.stderr
    wanted = f"{len(list(catalogue(Build.named('tiny'))))} passed, 0 failed, 0 left out"
    assert done.stdout.count(wanted) == len(HLS_BUILDS)
    assert "WARNING" not in done.stdout, "a stream was read empty or left full"


@pytest.mark.slow
@pytest.mark.parametrize("build", hls_first(HLS_BUILDS))
def test_nothing_is_out_of_bounds_or_undefined(build: str, tmp_path: Path) -> None:
    program = built(f"build/{build}-sanitize/testbench")
    for vector in catalogue(Build.named(build)):
        if vector.name in SANITIZED:
            vector.save(tmp_path)
    done = bench(program, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(SANITIZED)} passed" in done.stdout


def test_wrong_byte_is_named_with_its_command(testbench: Path, good: Vector, tmp_path: Path) -> None:
    command = good.before[good.list_offset + 128 :].view("<u4")  # the second of the list
    address = int(command[16])
    expected, found = int(good.after[address]) ^ 0x5A, int(good.after[address])
    good.after[address] ^= 0x5A
    path = good.save(tmp_path)
    good.after[address] ^= 0x5A
    done = bench(testbench, path)
    assert done.returncode == 1
    wanted = f"result of command 1, address 0x{address:X}: expected 0x{expected:02X}, found 0x{found:02X}"
    assert f"FAIL row-sums-u.vec: {wanted}" in done.stdout


def test_illegal_command_owns_no_wrong_byte(testbench: Path, good: Vector, tmp_path: Path) -> None:
    """The second command writes nothing, as its width is illegal: no result is where its address says."""
    data = bytearray(good.to_bytes())
    image = len(good.before)
    second = good.list_offset + 128
    address = int(good.before[second:].view("<u4")[16])
    for start in (64, 64 + image):
        data[start + second + 1] = 0  # its a_bits, before and after
    (tmp_path / "a.vec").write_bytes(data)
    done = bench(testbench, tmp_path)
    assert done.returncode == 1
    assert f"no command's result, address 0x{address:X}" in done.stdout


def test_wrong_register_is_named(testbench: Path, good: Vector, tmp_path: Path) -> None:
    data = bytearray(good.to_bytes())
    data[24] = 20  # the expected STATUS
    (tmp_path / "a.vec").write_bytes(data)
    done = bench(testbench, tmp_path)
    assert done.returncode == 1
    assert "FAIL a.vec: STATUS expected 0x14, found 0x0" in done.stdout


def test_file_that_is_no_vector_fails(testbench: Path, good: Vector, tmp_path: Path) -> None:
    (tmp_path / "cut.vec").write_bytes(good.to_bytes()[:-1])
    done = bench(testbench, tmp_path / "cut.vec", tmp_path / "missing.vec")
    assert done.returncode == 1
    assert done.stdout.count("cannot be read, or is no vector file") == 2


def test_nothing_to_run_is_a_failure(testbench: Path, tmp_path: Path) -> None:
    done = bench(testbench, tmp_path)
    assert done.returncode == 1
    assert "nothing was run" in done.stdout


@pytest.mark.parametrize("goal", ["csynth", "cosim", "export"])
def test_vitis_goals_say_what_is_missing(goal: str) -> None:
    done = make(goal, "VITIS=")
    assert done.returncode != 0
    assert "none of vitis_hls, vitis-run and v++ is on the PATH" in done.stderr
    assert "2021.1 to 2026.1" in done.stderr
