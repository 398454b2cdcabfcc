"""hls/vitis.tcl under tclsh, Vitis' own commands replaced by recorders: syntax, call order, refusals; and by make."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from functools import lru_cache

import pytest

from sim.contract import Build, Error
from sim.devices.hls_executor import HLS, HLS_BUILDS, make
from sim.vectors import Vector, catalogue
from tests.tools import tcl_interpreter

SCRIPT = HLS / "vitis.tcl"
COMMANDS = (
    "open_project set_top add_files open_solution set_part create_clock config_interface "
    "csim_design csynth_design cosim_design export_design"
)
RECORDER = (
    f'foreach command {{{COMMANDS}}} {{ proc $command args "puts \\"$command \\$args\\"" }}\nsource {{{SCRIPT}}}\n'
)


def run_script(recorder: str = RECORDER, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "CPT_BUILD": "zc706",
        "CPT_FLAGS": "-std=c++14 -DCPT_BUILD=zc706",
        "CPT_SOURCES": "kernel.cpp load.cpp",
        "CPT_VECTORS": "build/vectors/zc706",
        **settings,
    }
    with tempfile.NamedTemporaryFile("w", suffix=".tcl") as script:
        script.write(recorder)
        script.flush()
        command = [*tcl_interpreter(), script.name]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


FLAGS = "-cflags {-std=c++14 -DCPT_BUILD=zc706}"
OPENING = [
    "open_project -reset build/vitis_zc706",
    "set_top cpt_kernel",
    f"add_files kernel.cpp {FLAGS}",
    f"add_files load.cpp {FLAGS}",
    f"add_files -tb testbench.cpp {FLAGS}",
    "open_solution -reset solution -flow_target vivado",
    "set_part xc7z045ffg900-2",
    "create_clock -period 5.0 -name default",
    "config_interface -s_axilite_sw_reset",
    "config_interface -m_axi_addr64=false",
    "config_interface -m_axi_flush_mode=true",
]
EXPORT = "export_design -format ip_catalog -vendor cpt-kit -library kernel -version 1.0 -display_name {CPT kernel}"


@pytest.mark.parametrize(
    ("stage", "last"),
    [
        ("csim", ["csim_design -argv build/vectors/zc706"]),
        ("csynth", ["csynth_design"]),
        ("cosim", ["csynth_design", "cosim_design -argv build/vectors/zc706"]),
        ("export", ["csynth_design", EXPORT]),
    ],
)
def test_each_stage_makes_exactly_its_vitis_calls(stage: str, last: list[str]) -> None:
    done = run_script(CPT_STAGE=stage)
    assert done.returncode == 0, done.stderr
    assert [call.rstrip() for call in done.stdout.splitlines()] == [*OPENING, *last]


def test_release_without_flush_mode_goes_on_with_a_warning() -> None:
    refusal = 'proc config_interface option { if {[string match *flush* $option]} { error "unknown option" } }'
    done = run_script(RECORDER.replace("source", f"{refusal}\nsource"), CPT_STAGE="csynth")
    assert "WARNING: masters are not flushed by SW_RESET: unknown option" in done.stdout
    assert done.stdout.splitlines()[-1].strip() == "csynth_design"


def test_vectors_may_be_several_files() -> None:
    done = run_script(CPT_STAGE="cosim", CPT_VECTORS="a.vec b.vec")
    assert done.stdout.splitlines()[-1] == "cosim_design -argv {a.vec b.vec}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"CPT_STAGE": "bitstream"}, "unknown stage 'bitstream'"),
        ({"CPT_STAGE": ""}, "CPT_STAGE is not set"),
        ({"CPT_STAGE": "cosim", "CPT_VECTORS": ""}, "CPT_VECTORS is not set"),
        ({"CPT_STAGE": "csynth", "CPT_FLAGS": ""}, "CPT_FLAGS is not set"),
    ],
)
def test_what_cannot_work_is_refused_with_a_reason(settings: dict[str, str], message: str) -> None:
    done = run_script(**settings)
    assert done.returncode != 0
    assert message in done.stderr
    assert not re.search("^(csim|cosim|export)_design", done.stdout, re.MULTILINE)


@lru_cache
def vectors(build: str) -> dict[str, Vector]:
    return {vector.name: vector for vector in catalogue(Build.named(build))}


def planned_calls(goal: str, build: str) -> str:
    """What make would run with a Vitis of the given name."""
    done = make("--dry-run", goal, f"BUILD={build}", "VITIS=some-vitis -f")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("build", HLS_BUILDS)
def test_make_cosim_names_vectors_that_cosimulation_can_replay(build: str) -> None:
    call = planned_calls("cosim", build)
    assert call.endswith("some-vitis -f vitis.tcl")
    assert f"CPT_STAGE=cosim CPT_BUILD={build} " in call
    listed = re.search('CPT_VECTORS="([^"]*)"', call)
    assert listed is not None
    beats = re.search(r"COSIM_BEATS = (\d+);", (HLS / "build.hpp").read_text())
    assert beats is not None
    room = int(beats[1]) * Build.named(build).bus_bytes
    names = [re.fullmatch(rf".*/build/vectors/{build}/(.*)\.vec", path) for path in listed[1].split()]
    assert len(names) >= 5
    for name in names:
        assert name is not None
        vector = vectors(build)[name[1]]
        assert vector.error not in (Error.READ_BUS, Error.WRITE_BUS), "needs a monitor of the bus"
        assert vector.mem_base + vector.before.size <= room, "the masters' depth"


def test_make_csim_hands_over_the_whole_folder() -> None:
    assert f'CPT_VECTORS="{HLS}/build/vectors/tiny" ' in planned_calls("csim", "tiny")
