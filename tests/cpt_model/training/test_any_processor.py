"""A whole integer run ends with the same weights on any processor and any number of threads, killed or not.

Other processors are this one with most of its instructions hidden: from the C++ kernels, PyTorch, NumPy, BLAS and libm.
"""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cpt_model.training import read_metrics
from cpt_model.training.checkpoint import load_checkpoint
from tests.cpt_model.training.run_tools import LIMIT, assert_equal, wait_for_step

STEPS = 7
FLAGS = (
    f"train --step integer --recipe digits --steps {STEPS} --batch 8 --limit 80 --test-limit 20 --cycles 1 --seed 3 "
    "--lr-schedule cosine --log-every 1 --eval-every 4 --save-every 2 --no-tensorboard --automatic_resume"
).split()
# `cpt`, its kernels compiled for another processor if one is named, into a folder of their own.
PROGRAM = """
import sys
from pathlib import Path
from cpt_model.arithmetic.native import library
from scripts.cli import main
if sys.argv[1]:
    library.FLAGS += (f"-march={sys.argv[1]}",)
    library._writable_folder = lambda: Path(sys.argv[2])
sys.exit(main(sys.argv[3:]))
"""
NO_KERNELS = {"CPT_NATIVE": "0"}
AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Haswell"}
OLD = {
    "ATEN_CPU_CAPABILITY": "default",
    "OPENBLAS_CORETYPE": "Nehalem",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
}
X86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="these instructions are of x86-64")
pytestmark = pytest.mark.slow


def start(folder: Path, threads: int, environment: dict[str, str], processor: str = "") -> subprocess.Popen[bytes]:
    kernels = folder.parent / "kernels"
    kernels.mkdir(exist_ok=True)
    flags = [*FLAGS, "--threads", str(threads), "--out", str(folder)]
    command = [sys.executable, "-c", PROGRAM, processor, str(kernels), *flags]
    return subprocess.Popen(command, env=os.environ | environment)


def trained(folder: Path, *how) -> Path:
    process = start(folder, *how)
    try:
        assert process.wait(LIMIT) == 0
    finally:
        process.kill()
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("whole") / "run", 2, {})


def assert_same(one: Path, other: Path) -> None:
    """Weights, velocities, statistics and widths; losses and accuracies. The loss of a test is PyTorch's own."""
    states = [load_checkpoint(folder / "last.pt") for folder in (one, other)]
    assert_equal(states[0]["model"], states[1]["model"])
    lines = [
        [{key: value for key, value in line.items() if key not in ("seconds", "test_loss")} for line in metrics]
        for metrics in map(read_metrics, (one, other))
    ]
    assert [line["step"] for line in lines[0] if "loss" in line] == list(range(1, STEPS + 1))
    assert lines[0] == lines[1]


@pytest.mark.parametrize(
    ("threads", "environment", "processor"),
    [
        pytest.param(1, {}, "", id="one thread"),
        pytest.param(3, NO_KERNELS, "", id="three threads, no kernels"),
        pytest.param(2, AVX2, "haswell", id="AVX2", marks=X86),
        pytest.param(1, NO_KERNELS | OLD, "", id="neither kernels nor AVX2", marks=X86),
    ],
)
def test_a_run_ends_alike(whole: Path, tmp_path: Path, threads, environment, processor) -> None:
    assert_same(whole, trained(tmp_path / "run", threads, environment, processor))


def test_a_run_killed_and_resumed_elsewhere_ends_alike(whole: Path, tmp_path: Path) -> None:
    """Begun on two threads with kernels, resumed on one without."""
    folder = tmp_path / "run"
    process = start(folder, 2, {})
    try:
        wait_for_step(process, folder, 3)
    finally:
        process.kill()
    assert process.wait(LIMIT) == -signal.SIGKILL, "it was too quick to be killed"
    assert 2 <= load_checkpoint(folder / "last.pt")["step"] < STEPS
    assert_same(whole, trained(folder, 1, NO_KERNELS))
