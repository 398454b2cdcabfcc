"""vivado/tcl under a Tcl interpreter, Vivado's commands replaced by stubs that check their arguments and the design.

The stubs (stubs/) know which options and pins there are, so a misspelt option, a clock that is not connected or two
overlapping address ranges fail here. What Vivado makes of it they do not know.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from sim import contract
from sim.contract import BUILDS
from sim.devices.hls_executor import HLS_BUILDS
from sim.devices.rtl_sources import RTL_BUILDS
from sim.synthesis.rtl_lint import lint_packaged
from tests.tools import ROOT, tcl_interpreter
from tests.vivado.stubbed import STUBS, calls, run, succeed

SCRIPTS = sorted((ROOT / "vivado" / "tcl").glob("*.tcl"))
VARIANTS = [*product(["rtl"], RTL_BUILDS, ("ps", "pl")), *product(["hls"], HLS_BUILDS, ("ps", "pl"))]


def tcl_commands(tmp_path: Path) -> set[str]:
    """What Tcl itself has."""
    script = tmp_path / "commands.tcl"
    script.write_text("puts [info commands]\n")
    listed = subprocess.run([*tcl_interpreter(), str(script)], capture_output=True, text=True, check=True, timeout=60)
    return set(listed.stdout.split())


@pytest.mark.parametrize(("core", "build", "memory"), VARIANTS)
def test_every_variant_is_built_and_collected(copy: Path, core: str, build: str, memory: str) -> None:
    lines = succeed(copy, CPT_CORE=core, CPT_BUILD=build, CPT_MEMORY=memory)
    result = copy / "out" / "overlay" / f"{core}-{build}-{memory}"
    assert sorted(path.name for path in result.iterdir()) == ["cpt.bit", "cpt.hwh", "cpt.xsa", "reports"]
    assert {"timing.txt", "power.txt", "high_fanout.txt", "control_sets.txt", "qor_suggestions.txt", "rams.txt"} <= {
        path.name for path in (result / "reports").iterdir()
    }
    cells = calls(lines, "create_bd_cell")
    assert f"create_bd_cell -type ip -vlnv {contract.OVERLAY_VLNV} {contract.OVERLAY_CELL}" in cells
    assert any("response_monitor" in cell for cell in cells) == (core == "hls")
    assert any(f"mig_7series {contract.OVERLAY_PL_MEMORY}" in cell for cell in cells) == (memory == "pl")
    assert calls(lines, "validate_bd_design")
    order = [line.split()[1] for line in lines if line.startswith("CALL")]
    assert order[0] == "version"
    assert order.index("validate_bd_design") < order.index("launch_runs") < order.index("get_timing_paths")


@pytest.mark.parametrize("build", RTL_BUILDS)
def test_the_core_is_configured_as_the_build_is(copy: Path, build: str) -> None:
    lines = succeed(copy, CPT_BUILD=build)
    number, bits = RTL_BUILDS[build], 8 * BUILDS[build]["bus_bytes"]
    vector_unit = int(build == "zc706_train")
    wanted = f"{{CONFIG.BUILD {number} CONFIG.DATA_BITS {bits} CONFIG.VECTOR_UNIT {vector_unit}}} cell:cpt_kernel"
    assert any(call.endswith(wanted) for call in calls(lines, "set_property"))


def test_the_chosen_clock_is_the_processing_systems(copy: Path) -> None:
    lines = succeed(copy, CPT_CLOCK_MHZ="125")
    assert any("CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 125 " in call for call in calls(lines, "set_property"))


@pytest.mark.parametrize("found", ["2021.1", "2024.1.2", "v2025.2", "2026.1_AR12345"])
def test_a_release_is_found_wherever_its_number_stands(copy: Path, found: str) -> None:
    succeed(copy, STUB_VERSION=found)


def test_the_core_is_synthesised_under_the_designs_strategy(copy: Path) -> None:
    lines = succeed(copy)
    wanted = "set_property synth_checkpoint_mode None"
    (place,) = (number for number, line in enumerate(lines) if wanted in line)
    assert place < next(number for number, line in enumerate(lines) if line.startswith("CALL generate_target"))


def test_the_packaged_core_says_how_many_bursts_are_in_flight(copy: Path) -> None:
    top = (ROOT / "vivado" / "rtl" / "cpt_kernel.sv").read_text()
    reads, writes = (re.findall(rf"localparam int unsigned {name} = (\d+);", top) for name in ("MaxReads", "MaxWrites"))
    source = (ROOT / "vivado" / "tcl" / "package.tcl").read_text()
    assert re.findall(r'"READ_ONLY" \? (\d+)', source) == reads
    assert re.findall(r'"WRITE_ONLY" \? (\d+)', source) == writes
    assert succeed(copy, CPT_STAGE="ip")


def test_the_packaged_core_has_a_clock_for_synthesis_out_of_context(copy: Path) -> None:
    lines = succeed(copy, CPT_STAGE="ip", CPT_CLOCK_MHZ="125")
    (file,) = (copy / "out" / "vivado").rglob("cpt_kernel_ooc.xdc")
    assert file.read_text() == "create_clock -name ap_clk -period 8.000 [get_ports ap_clk]\n"
    wanted = f"set_property used_in {{synthesis implementation out_of_context}} {file}"
    order = [number for number, line in enumerate(lines) if wanted in line or "CALL ipx::package_project" in line]
    assert len(order) == 2
    assert wanted in lines[order[0]]


def test_lane_groups_hold_every_lane_once_and_are_an_option(copy: Path) -> None:
    assert not any("zc706_lane_groups" in call for call in calls(succeed(copy), "add_files"))
    lines = succeed(copy, CPT_PBLOCKS="rows")
    script = copy / "vivado" / "constraints" / "zc706_lane_groups.tcl"
    assert f"set_property used_in_synthesis false {script}" in calls(lines, "set_property")
    done = run(copy, STUB_SCRIPT=str(script))
    assert done.returncode == 0, done.stderr
    looked_up = calls(done.stdout.splitlines(), "get_cells")
    lanes = BUILDS["zc706"]["lanes"]
    for place in ("gen_lane", "gen_row"):
        numbers = [int(found[1]) for call in looked_up if (found := re.search(rf"{place}\\*\[(\d+)", call))]
        assert numbers == list(range(lanes))
    rtl = "".join((ROOT / "vivado" / "rtl" / name).read_text() for name in ("core.sv", "array.sv"))
    assert all(name in rtl for name in ("gen_lane", "u_lane", "u_array", "gen_row"))


def test_the_newest_board_files_are_taken(copy: Path) -> None:
    """1.10 is newer than 1.4."""
    assert "set_property board_part xilinx.com:zc706:part0:1.10 project" in calls(succeed(copy), "set_property")


@pytest.mark.parametrize(("core", "name"), [("rtl", "cpt_kernel"), ("hls", "response_monitor")])
def test_make_ip_packages_and_builds_nothing_else(copy: Path, core: str, name: str) -> None:
    lines = succeed(copy, CPT_STAGE="ip", CPT_CORE=core)
    assert (copy / "out" / "vivado" / "ip" / name / "component.xml").exists()
    assert not (copy / "out" / "overlay").exists()
    assert not calls(lines, "create_bd_design")


def test_the_packaged_core_has_the_drivers_name_and_a_range_for_every_register(copy: Path) -> None:
    lines = succeed(copy, CPT_STAGE="ip")
    vendor, library, name, version = contract.OVERLAY_VLNV.split(":")
    assert any(f"-vendor {vendor} -library {library}" in call for call in calls(lines, "ipx::package_project"))
    properties = calls(lines, "set_property")
    assert {f"set_property name {name} core", f"set_property version {version} core"} <= set(properties)
    assert f"set_property range {contract.OVERLAY_CONTROL_BYTES} block:Reg" in properties
    assert max(contract.Register) + 4 <= contract.OVERLAY_CONTROL_BYTES
    assert len([call for call in properties if call.endswith("4G space:Data_m_axi_loads")]) == 1


def test_the_packaged_core_contains_what_its_files_include(copy: Path) -> None:
    added = {Path(name).name for call in calls(succeed(copy, CPT_STAGE="ip"), "add_files") for name in call.split()}
    sources = [*(copy / "vivado" / "rtl").glob("*.sv"), *(copy / "vivado" / "ip").glob("cpt_kernel_ip.v")]
    included = {name for path in sources for name in re.findall(r'`include "(.+)"', path.read_text())}
    assert included == {"cpt_kernel_pins.svh"}
    assert included <= {name.rstrip("}") for name in added}


def test_address_spaces_that_the_packager_inferred_are_replaced(copy: Path) -> None:
    lines = succeed(copy, CPT_STAGE="ip", STUB_INFERRED_SPACES="space:inferred")
    assert "ipx::remove_address_space m_axi_stores core" in calls(lines, "ipx::remove_address_space")


def test_an_hls_core_is_exported_under_the_same_name() -> None:
    """Otherwise the driver would not bind to it."""
    vendor, library, _, version = contract.OVERLAY_VLNV.split(":")
    exported = (ROOT / "hls" / "vitis.tcl").read_text()
    assert f"-vendor {vendor} -library {library} -version {version} " in exported
    assert f"set part {contract.OVERLAY_PART}\n" in exported
    assert "set_top cpt_kernel\n" in exported


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"STUB_VERSION": "2019.2"}, "found Vivado 2019.2; these scripts fit 2021.1 to 2026.1"),
        ({"STUB_VERSION": "2031.1"}, "found Vivado 2031.1;"),
        ({"STUB_VERSION": "unknown"}, "cannot tell the release of Vivado from 'unknown'"),
        ({"CPT_STAGE": ""}, "CPT_STAGE is not set"),
        ({"CPT_STAGE": "program"}, "STAGE=program is unknown; there are: ip, bitstream"),
        ({"CPT_CORE": "vhdl"}, "CORE=vhdl is unknown; there are: rtl, hls"),
        ({"CPT_BUILD": "huge"}, "BUILD=huge is unknown; there are: tiny, zc706, zc706_train"),
        ({"CPT_BUILD": "hls"}, "BUILD=hls is unknown; there are: tiny, zc706, zc706_train"),
        ({"CPT_CORE": "hls", "CPT_BUILD": "zc706_train"}, "is unknown; there are: tiny, zc706, hls"),
        ({"CPT_MEMORY": "hbm"}, "MEMORY=hbm is unknown; there are: ps, pl"),
        ({"CPT_CLOCK_MHZ": "300"}, "CLOCK_MHZ=300 is not a whole number in 10..200"),
        ({"CPT_CLOCK_MHZ": "fast"}, "CLOCK_MHZ=fast is not a whole number"),
        ({"CPT_CLOCK_MHZ": "150"}, "CLOCK_MHZ=150 does not divide 1000 MHz"),
        ({"CPT_PBLOCKS": "all"}, "PBLOCKS=all is unknown; there are: none, rows"),
        (
            {"CPT_PBLOCKS": "rows", "CPT_BUILD": "tiny"},
            "PBLOCKS=rows is for CORE=rtl BUILD=zc706, not",
        ),
        ({"CPT_JOBS": "0"}, "JOBS=0 is not a whole number in 1..64"),
        ({"STUB_PARTS": ""}, "this Vivado does not have part xc7z045ffg900-2"),
        ({"STUB_BOARDS": ""}, "no board files of the ZC706"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line_before_anything_is_made(
    copy: Path, settings: dict[str, str], message: str
) -> None:
    done = run(copy, **settings)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (copy / "out").exists()


@pytest.mark.parametrize(
    ("core", "missing", "advice"),
    [
        ("hls", "hls/build/vitis_zc706/solution/impl/ip/component.xml", "make -C hls export BUILD=zc706"),
        ("rtl", "vivado/rtl/cpt_kernel.sv", "not whole"),
        ("rtl", "vivado/rtl/cpt_kernel_pins.svh", "not whole"),
        ("rtl", "vivado/ip/cpt_kernel_ip.v", "not whole"),
        ("hls", "vivado/ip/response_monitor.v", "not whole"),
        ("rtl", "vivado/constraints/zc706.xdc", "not whole"),
        ("rtl", "vivado/constraints/zc706_pl_memory.xdc", "not whole"),
        ("rtl", "vivado/constraints/zc706_lane_groups.tcl", "not whole"),
    ],
)
def test_a_missing_file_is_named_before_anything_is_made(copy: Path, core: str, missing: str, advice: str) -> None:
    (copy / missing).unlink()
    done = run(copy, CPT_CORE=core)
    assert done.returncode == 1
    assert missing in done.stderr
    assert advice in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (copy / "out").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"STUB_SETUP_SLACK": "-0.4"}, "timing is not met: setup slack is -0.4 ns at 200 MHz"),
        ({"STUB_HOLD_SLACK": "-0.01"}, "timing is not met: hold slack is -0.01 ns"),
        ({"STUB_NO_PATHS": "1"}, "no path has a setup requirement"),
        ({"STUB_SYNTHESIS_PROGRESS": "30%"}, "run synth_1 ended at 30%"),
        ({"STUB_ROUTE_STATUS": "place_design ERROR"}, "placing and routing ended with 'place_design ERROR'"),
        ({"STUB_BITSTREAM_PROGRESS": "90%"}, "run impl_1 ended at 90%"),
    ],
)
def test_a_build_that_fails_leaves_no_overlay(copy: Path, settings: dict[str, str], message: str) -> None:
    """Not even that of an earlier build."""
    succeed(copy)
    result = copy / "out" / "overlay" / "rtl-zc706-ps"
    assert (result / "cpt.bit").exists()
    done = run(copy, **settings)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(result.glob("cpt.*"))
    written = [line for line in done.stdout.splitlines() if "write_bitstream" in line]
    assert bool(written) == ("STUB_BITSTREAM_PROGRESS" in settings)


@pytest.mark.parametrize(
    ("script", "before", "after", "complaint"),
    [
        ("memory_ps.tcl", "ps/S_AXI_HP0_ACLK ", "", "ps/S_AXI_HP0_ACLK is not driven"),
        ("memory_ps.tcl", "commands HP0 stores", "stores", "cpt_kernel/Data_m_axi_commands has no address"),
        ("memory_pl.tcl", "0x41200000", "0x43C00000", "overlaps"),
        ("memory_pl.tcl", "memory/aclk1", "memory/aclk2", "has no pin memory/aclk2"),
        ("design.tcl", "-type ip", "-kind ip", "create_bd_cell has no option -kind"),
        ("design.tcl", "wire monitor/bus_errors $cell/bus_errors", "", "cpt_kernel/bus_errors is not driven"),
        ("package.tcl", "{bresp bvalid bready}", "{bresp bvalid bread}", "names pin stores_bread"),
        (
            "package.tcl",
            "describe_master $core m_axi_loads",
            "describe_master $core m_axi_load",
            "interface m_axi_load ",
        ),
    ],
)
def test_the_stubs_notice_mistakes(copy: Path, script: str, before: str, after: str, complaint: str) -> None:
    path = copy / "vivado" / "tcl" / script
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    memory = "pl" if script == "memory_pl.tcl" else "ps"
    core = "rtl" if "describe_master" in before else "hls"
    done = run(copy, CPT_MEMORY=memory, CPT_CORE=core)
    assert done.returncode == 1
    assert complaint in done.stderr


def test_every_proc_is_reached(copy: Path) -> None:
    defined, entered = set(), set()
    for core, memory in product(("rtl", "hls"), ("ps", "pl")):
        for line in succeed(copy, CPT_CORE=core, CPT_MEMORY=memory):
            kind, _, name = line.partition(" ")
            defined |= {name} if kind == "DEFINED" else set()
            entered |= {name} if kind == "ENTERED" else set()
    for done in (run(copy, CPT_CORE="none"), run(copy, CPT_PBLOCKS="rows")):
        entered |= {"refuse", "add_lane_groups"} & set(re.findall(r"ENTERED (\w+)", done.stdout))
    assert len(defined) > 30
    assert defined - entered == set()


def test_every_command_is_tcls_ours_or_in_the_table(tmp_path: Path) -> None:
    """Also those in branches that no run takes."""
    text = "\n".join(script.read_text() for script in SCRIPTS)
    text = re.sub(r"(?m)^\s*#.*$", "", text)
    text = text.replace("\\\n", " ")
    ours = set(re.findall(r"(?m)^proc (\w+)", text))
    table = set(re.findall(r"(?m)^    ([a-z_:]+) .* \d \d$", (STUBS / "table.tcl").read_text()))
    at_line_start = re.findall(r"(?m)^ *([a-z_]+(?:::[a-z_]+)?)(?= |$)", text)
    substituted = re.findall(r"\[([a-z_]+(?:::[a-z_]+)?)(?= |\])", text)
    used = {*at_line_start, *substituted} - {"bit", "hwh", "ip", "constraints"}  # data that starts a line
    assert {"ipx::package_project", "launch_runs"} <= used
    assert used - tcl_commands(tmp_path) - ours - table == set()
    constraints = {"set_false_path", "get_ports", "current_design"}
    constraints |= {"create_pblock", "resize_pblock", "add_cells_to_pblock", "get_cells"}
    assert table - used - constraints == set()


@pytest.mark.parametrize("memory", ["ps", "pl"])
def test_constraints_name_the_ports_that_the_design_has(copy: Path, memory: str) -> None:
    lines = succeed(copy, CPT_MEMORY=memory)
    ports = {call.split()[-1] for call in calls(lines, "create_bd_port")}
    added = next(call for call in calls(lines, "add_files") if "zc706.xdc" in call)
    files = re.findall(r"\S+\.xdc", added)
    script = copy / "constraints.tcl"
    script.write_text("".join(f"source {file.strip('{}')}\n" for file in files))
    done = run(copy, STUB_SCRIPT=str(script))
    assert done.returncode == 0, done.stderr
    assert {call.split()[-1] for call in calls(done.stdout.splitlines(), "get_ports")} == ports
    assert len(ports) == (2 if memory == "pl" else 1)


def test_the_guides_name_the_addresses_that_the_scripts_give(copy: Path) -> None:
    given = set()
    for memory in ("ps", "pl"):
        for call in calls(succeed(copy, CPT_MEMORY=memory), "assign_bd_address"):
            offset = re.search(r"-offset (0x[0-9A-F]+)", call)
            assert offset is not None
            given.add(offset[1])
    given -= {"0x00000000"}
    for guide in ("README.md", "BRINGUP.md"):
        text = (ROOT / "vivado" / guide).read_text()
        assert set(re.findall(r"0x4[0-9A-F]{3}0000\b|0x80000000", text)) - {hex(contract.VERSION_MAGIC)} == given


def make(*arguments: str, path: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "-C", str(root / "vivado"), *arguments],
        env={**os.environ, "PATH": path, "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_make_hands_the_settings_over(tmp_path: Path) -> None:
    tool = tmp_path / "vivado"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    wishes = ("CORE=hls", "BUILD=tiny", "MEMORY=pl", "CLOCK_MHZ=100", "PBLOCKS=rows", "JOBS=3")
    done = make("--dry-run", "bitstream", *wishes, path=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert done.returncode == 0, done.stderr
    for setting in ("CPT_STAGE=bitstream", *(f"CPT_{wish}" for wish in wishes)):
        assert f" {setting} " in done.stdout.replace("\t", " ")
    assert f"{tool} -mode batch" in done.stdout
    assert re.search(r"-source \S*vivado/tcl/build.tcl$", done.stdout, re.MULTILINE)


def test_make_board_gathers_what_pynqs_image_build_takes(copy: Path) -> None:
    succeed(copy, CPT_BUILD="tiny")
    board = copy / "out" / "pynq" / "ZC706"
    done = make("board", "BUILD=tiny", path=os.environ["PATH"], root=copy)
    assert done.returncode == 0, done.stderr
    spec = (board / "ZC706.spec").read_text()
    bitstream = re.search(r"BITSTREAM_ZC706 := (\S+)", spec)
    assert bitstream is not None
    assert (board / bitstream[1]).exists()
    assert (board / bitstream[1]).with_suffix(".hwh").exists()
    assert (board / "petalinux_bsp" / "hardware_project" / "cpt.xsa").exists()


def test_make_board_says_what_to_build_first(copy: Path) -> None:
    done = make("board", "MEMORY=pl", path=os.environ["PATH"], root=copy)
    assert done.returncode != 0
    assert "build it first, 'make -C vivado bitstream CORE=rtl BUILD=zc706 MEMORY=pl'" in done.stderr
    assert not (copy / "out").exists()


@pytest.mark.parametrize("goal", ["ip", "bitstream"])
def test_make_says_what_is_missing_where_there_is_no_vivado(goal: str) -> None:
    if shutil.which("vivado"):
        pytest.skip("there is a Vivado on this machine")
    done = make(goal, path=os.environ["PATH"])
    assert done.returncode != 0
    assert f"make {goal}: vivado is not on the PATH" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("build", RTL_BUILDS)
def test_the_packaged_top_fits_the_core(build: str) -> None:
    """Verilator finds nothing to say of the top, and refuses a width that is not the build's."""
    assert lint_packaged(build, 8 * BUILDS[build]["bus_bytes"]) == ""
    assert "cpt_kernel_ip_data_bits_is_not_the_builds" in lint_packaged(build, 128)
