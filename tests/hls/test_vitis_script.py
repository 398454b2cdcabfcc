"""hls/vitis.tcl under tclsh, Vitis' own commands replaced by recorders: syntax, call order, refusals."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "hls" / "vitis.tcl"
COMMANDS = (
    "open_project set_top add_files open_solution set_part create_clock config_interface "
    "csim_design csynth_design cosim_design export_design"
)
RECORDER = (
    f'foreach command {{{COMMANDS}}} {{ proc $command args "puts \\"$command \\$args\\"" }}\nsource {{{SCRIPT}}}\n'
)


def interpreter() -> list[str]:
    """Tclsh, or the Tcl inside Python where there is no tclsh; either reads the script from standard input."""
    tclsh = shutil.which("tclsh")
    if tclsh is not None:
        return [tclsh]
    if importlib.util.find_spec("_tkinter") is None:
        pytest.fail("no Tcl to check hls/vitis.tcl with: apt-get install tcl")
    return [sys.executable, "-c", "import sys, tkinter; tkinter.Tcl().eval(sys.stdin.read())"]


def run_script(**settings: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "XILINX_HLS": "tools/Vitis_HLS/2022.2",
        "CPT_CONFIG": "zc706",
        "CPT_SOURCES": "kernel.cpp load.cpp",
        "CPT_VECTORS": "build/vectors/zc706",
        **settings,
    }
    return subprocess.run(interpreter(), input=RECORDER, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("stage", "last"),
    [
        ("csim", ["csim_design -argv build/vectors/zc706"]),
        ("csynth", ["csynth_design "]),
        ("cosim", ["csynth_design ", "cosim_design -argv build/vectors/zc706"]),
        ("export", ["csynth_design ", "export_design -format ip_catalog"]),
    ],
)
def test_each_stage_ends_with_its_vitis_commands(stage: str, last: list[str]) -> None:
    done = run_script(CPT_STAGE=stage)
    calls = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert "set_part xc7z045ffg900-2" in calls
    assert "add_files kernel.cpp -cflags {-std=c++14 -DCPT_CONFIG=zc706}" in calls
    assert any(call.startswith("create_clock -period 5.0") for call in calls), "200 MHz"
    assert len(calls[-len(last) :]) == len(last)
    for call, start in zip(calls[-len(last) :], last, strict=True):
        assert call.startswith(start)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"CPT_STAGE": "bitstream"}, "unknown stage 'bitstream'"),
        ({"CPT_STAGE": ""}, "CPT_STAGE is not set"),
        ({"CPT_STAGE": "csynth", "XILINX_HLS": "tools/Vitis_HLS/2019.2"}, "found Vitis HLS 2019.2"),
        ({"CPT_STAGE": "csynth", "XILINX_HLS": "tools/Vitis_HLS/2031.1"}, "found Vitis HLS 2031.1"),
        ({"CPT_STAGE": "csynth", "XILINX_HLS": "tools/somewhere"}, "cannot tell the release"),
    ],
)
def test_what_cannot_work_is_refused_with_a_reason(settings: dict[str, str], message: str) -> None:
    done = run_script(**settings)
    assert message in done.stderr
    assert "csynth_design" not in done.stdout
