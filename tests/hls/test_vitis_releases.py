"""`make -C hls` with every release of Vitis, by stub executables: which tool is called how, and the page of csynth."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sim.devices.hls_executor import HLS
from sim.synthesis.hls_report import stated_loops
from tests.hls.csynth_xml import report_of
from tests.tools import ROOT

# Says how it was called, and leaves a report where its flow would.
STUB = """#!/bin/sh
echo "called: $(basename "$0") $* stage=$CPT_STAGE build=$CPT_BUILD flags=$CPT_FLAGS"
for place in solution hls; do
    mkdir -p build/vitis_tiny/$place/syn/report
    cp "$STUB_REPORT" build/vitis_tiny/$place/syn/report/csynth.xml
done
exit ${STUB_STATUS:-0}
"""
GOOD = {each.label: each.interval for each in stated_loops()}


class Installed:
    """A copy of hls/ and an installation of Vitis, both in a folder of the test."""

    def __init__(self, folder: Path, tools: tuple[str, ...], home: str) -> None:
        self.hls = folder / "hls"
        shutil.copytree(HLS, self.hls, ignore=shutil.ignore_patterns("build"))
        (folder / "pyproject.toml").touch()  # as in a checkout
        self.bin = folder / home / "bin"
        self.bin.mkdir(parents=True)
        for tool in tools:
            (self.bin / tool).write_text(STUB)
            (self.bin / tool).chmod(0o755)
        self.report = folder / "csynth.xml"
        self.report.write_text(report_of(GOOD))

    def make(self, *goals: str, python: str = sys.executable, **settings: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.bin}:/usr/bin:/bin"
        environment = {"PATH": path, "PYTHONPATH": str(ROOT), "STUB_REPORT": str(self.report), **settings}
        command = [
            "make",
            "--no-print-directory",
            "-C",
            str(self.hls),
            *goals,
            "BUILD=tiny",
            f"PYTHON={python}",
        ]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


HOMES = {
    "2021.1": ("vitis_hls",),
    "2022.2": ("vitis_hls",),
    "2023.2": ("vitis_hls", "vitis-run", "v++"),
    "2024.2": ("vitis_hls", "vitis-run", "v++"),
    "2025.1": ("vitis-run", "v++"),
    "2026.1": ("vitis-run", "v++"),
}


def home_of(release: str) -> str:
    return f"{release}/Vitis" if release >= "2025.1" else f"Vitis_HLS/{release}"


@pytest.mark.parametrize("release", HOMES)
def test_every_release_synthesises_by_tcl(release: str, tmp_path: Path) -> None:
    done = Installed(tmp_path, HOMES[release], home_of(release)).make("csynth")
    assert done.returncode == 0, done.stdout + done.stderr
    call = "vitis_hls -f vitis.tcl" if "vitis_hls" in HOMES[release] else "vitis-run --mode hls --tcl vitis.tcl"
    assert f"called: {call} stage=csynth build=tiny flags=-std=c++14 -DCPT_BUILD=tiny" in done.stdout
    assert f"{len(GOOD)} stated IIs met, 0 missed, 0 not in the report" in done.stdout


@pytest.mark.parametrize("release", ["2023.2", "2026.1"])
def test_config_file_holds_what_the_tcl_says(release: str, tmp_path: Path) -> None:
    installed = Installed(tmp_path, HOMES[release], home_of(release))
    done = installed.make("csynth", "FLOW=config", "VECTOR_UNIT=0")
    assert done.returncode == 0, done.stdout + done.stderr
    config = "build/vitis_tiny.cfg"
    assert f"called: v++ -c --mode hls --config {config} --work_dir build/vitis_tiny" in done.stdout
    lines = (installed.hls / config).read_text().splitlines()
    script = (HLS / "vitis.tcl").read_text()
    part, clock = "xc7z045ffg900-2", "5"
    assert f"set part {part}\nset clock_period {clock}.0\n" in script
    assert {f"part={part}", f"clock={clock}ns", "syn.top=cpt_kernel", "flow_target=vivado"} <= set(lines)
    assert {
        "syn.interface.s_axilite_sw_reset=1",
        "syn.interface.m_axi_addr64=0",
        "syn.interface.m_axi_flush_mode=1",
    } <= set(lines)
    flags = "-std=c++14 -DCPT_BUILD=tiny -DCPT_VECTOR_UNIT=0"
    assert {f"syn.cflags={flags}", f"tb.cflags={flags}"} <= set(lines)
    sources = {line.removeprefix("syn.file=") for line in lines if line.startswith("syn.file=")}
    assert str(installed.hls / "vector" / "map.cpp") in sources
    assert all(Path(source).is_file() for source in sources)


@pytest.mark.parametrize(("goal", "option"), [("export", "--package"), ("cosim", "--cosim"), ("csim", "--csim")])
def test_config_flow_goes_on_with_vitis_run(goal: str, option: str, tmp_path: Path) -> None:
    installed = Installed(tmp_path, ("vitis-run", "v++"), "2026.1/Vitis")
    made = installed.hls / "build" / "vectors" / "tiny.made"
    made.parent.mkdir(parents=True)
    made.touch()
    os.utime(made, (2**33, 2**33))  # no vectors are made
    done = installed.make(goal, "FLOW=config")
    assert done.returncode == 0, done.stdout + done.stderr
    calls = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("called: ")]
    assert calls == (["vitis-run"] if goal == "csim" else ["v++", "vitis-run"])
    assert f"vitis-run --mode hls {option} --config build/vitis_tiny.cfg --work_dir build/vitis_tiny" in done.stdout


def test_only_v_plus_plus_is_enough_for_csynth(tmp_path: Path) -> None:
    done = Installed(tmp_path, ("v++",), "2026.1/Vitis").make("csynth")
    assert "called: v++ -c --mode hls" in done.stdout
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("home", "settings", "message"),
    [
        ("Vitis_HLS/2019.2", {}, "found Vitis 2019.2; this folder fits 2021.1 to 2026.1"),
        ("2031.1/Vitis", {}, "found Vitis 2031.1; this folder fits 2021.1 to 2026.1"),
        ("somewhere", {}, "no release such as 2026.1 in XILINX_HLS"),
        ("somewhere", {"XILINX_VITIS": "tools/2020.2/Vitis"}, "found Vitis 2020.2"),
    ],
)
def test_release_that_does_not_fit_is_refused_before_it_runs(
    home: str, settings: dict[str, str], message: str, tmp_path: Path
) -> None:
    done = Installed(tmp_path, ("vitis-run",), home).make("csynth", **settings)
    assert done.returncode != 0
    assert message in done.stderr
    assert "called:" not in done.stdout


@pytest.mark.parametrize("place", ["tools/Vitis_HLS/2022.2", "tools/2025.2/Vitis", "a/2024.1/b/2023.1/Vitis_HLS"])
def test_release_is_found_anywhere_in_the_path(place: str, tmp_path: Path) -> None:
    assert Installed(tmp_path, ("vitis-run",), "somewhere").make("csynth", XILINX_HLS=place).returncode == 0


def test_missed_interval_ends_csynth_with_an_error(tmp_path: Path) -> None:
    installed = Installed(tmp_path, ("vitis_hls",), "Vitis_HLS/2022.2")
    installed.report.write_text(report_of({**GOOD, "array_steps": 2}))
    done = installed.make("csynth")
    assert done.returncode != 0
    assert "1 loops miss their stated II" in done.stderr


def test_failed_tool_ends_csynth_before_the_page(tmp_path: Path) -> None:
    done = Installed(tmp_path, ("vitis_hls",), "Vitis_HLS/2022.2").make("csynth", STUB_STATUS="3")
    assert done.returncode != 0
    assert "stated" not in done.stdout


def test_path_of_a_clone_may_have_spaces(tmp_path: Path) -> None:
    clone = tmp_path / "my own clone"
    installed = Installed(clone, ("vitis_hls",), "Vitis_HLS/2022.2")
    python = clone / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    done = installed.make("csynth", python=str(python))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(GOOD)} stated IIs met" in done.stdout
    compiled = installed.make("build/tiny/check.o", "CXX=vitis_hls", python=str(python))
    assert compiled.returncode == 0, compiled.stdout + compiled.stderr
    assert "ap_types" in compiled.stdout
