"""The generated forms of the contract's constants, compiled, simulated or interpreted, against contract.toml."""

import subprocess
from pathlib import Path

import pytest

from sim.contract import Build, generate
from sim.contract import constants as python_form
from sim.devices.verilator import verilator_environment
from tests.tools import ROOT, TINY, contract

HEADER, PACKAGE = ROOT / "hls" / "contract.hpp", ROOT / "vivado" / "rtl" / "contract_pkg.sv"
GXX = ("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{HEADER.parent}")
ENUMS = ("opcode", "format", "flag", "error", "register", "ap_ctrl", "irq")
ENDS = {parameter: (least, most) for parameter, (least, most, *_) in contract()["build_range"].items()}
LEGAL = [{parameter: end} for parameter, ends in ENDS.items() for end in ends] + [{"bus_bytes": 32}]
ILLEGAL = [{parameter: value} for parameter, (least, most) in ENDS.items() for value in (least - 1, most + 1)]
ILLEGAL += [{"columns": 3}, {"columns": 12}, {"bus_bytes": 24}, {"lanes": 40}]
BUILDS = [TINY.parameters() | change for change in (*LEGAL, *ILLEGAL)]
VERDICTS = {f"LEGAL_{number}": int(number < len(LEGAL)) for number in range(len(BUILDS))}


def plain() -> dict[str, int]:
    """Every constant but the builds, under its name in C++ and SystemVerilog."""
    tables = contract()
    named = {f"VERSION_{key}": value for key, value in tables["version"].items()} | tables["limits"]
    named |= {f"{table}_{key}": value for table in ENUMS for key, value in tables[table].items()}
    for field, place in tables["field"].items():
        named |= dict(zip((f"FIELD_{field}_{part}" for part in ("WORD", "LSB", "WIDTH")), place, strict=True))
    named |= {f"{kind}_record_bytes": size for kind, size in tables["record_bytes"].items()}
    named |= {f"header_{name}": byte for name, (byte, _) in tables["block_header"]["every"].items()}
    named |= {f"norm_record_{name}": byte for name, (byte, _) in tables["block_record"]["norm"].items()}
    return {name.upper(): value for name, value in named.items()}


def builds() -> dict[str, int]:
    """The parameters of the named builds, as `CONFIG_<name>.<parameter>`."""
    builds = contract()["build"].items()
    return {f"BUILD_{name.upper()}.{key}": value for name, values in builds for key, value in values.items()}


def printed(output: str) -> dict[str, int]:
    pairs = (line.split() for line in output.splitlines() if line.startswith("> "))
    return {name: int(value) for _, name, value in pairs}


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = verilator_environment()
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def succeed(*command: str | Path, folder: Path) -> str:
    result = run(*command, folder=folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_no_generated_file_has_drifted() -> None:
    assert generate.drifted() == []


def test_the_python_form_says_what_the_source_says() -> None:
    tables = contract()
    for table, prefix in (("limits", ""), ("version", "VERSION_"), ("overlay", "OVERLAY_"), ("board", "BOARD_")):
        assert {name: getattr(python_form, prefix + name.upper()) for name in tables[table]} == tables[table]
    for table, enum in zip(ENUMS, ("Opcode", "Format", "Flag", "Error", "Register", "ApCtrl", "Irq"), strict=True):
        assert {member.name.lower(): member.value for member in getattr(python_form, enum)} == tables[table]
    assert {name: list(place) for name, place in python_form.FIELDS.items()} == tables["field"]
    assert tables["build"] == python_form.BUILDS
    assert {name: list(ends) for name, ends in python_form.BUILD_RANGES.items()} == tables["build_range"]


def test_the_cpp_form_says_what_the_source_says(tmp_path: Path) -> None:
    expected = plain() | builds()
    prints = "\n".join(
        f'std::printf("> {name} %llu\\n", static_cast<unsigned long long>(cpt::{name}));' for name in expected
    )
    (tmp_path / "main.cpp").write_text(f'#include "contract.hpp"\n#include <cstdio>\nint main() {{\n{prints}\n}}\n')
    succeed(*GXX, "main.cpp", "-o", "main", folder=tmp_path)
    assert printed(succeed(tmp_path / "main", folder=tmp_path)) == expected


def braces(build: dict[str, int]) -> str:
    return f"cpt::Build{{{', '.join(f'{value}u' for value in build.values())}}}"


def test_cpp_tells_legal_builds_from_illegal_ones(tmp_path: Path) -> None:
    verdicts = zip(BUILDS, VERDICTS.values(), strict=True)
    asserts = [f"static_assert({'' if legal else '!'}cpt::legal({braces(build)}));" for build, legal in verdicts]
    asserts += [f"static_assert(cpt::legal(cpt::BUILD_{name.upper()}));" for name in contract()["build"]]
    (tmp_path / "legal.cpp").write_text("\n".join(['#include "contract.hpp"', *asserts, ""]))
    succeed(*GXX, "-fsyntax-only", "legal.cpp", folder=tmp_path)


def test_an_illegal_build_does_not_compile(tmp_path: Path) -> None:
    illegal = braces(TINY.parameters() | {"columns": 3})
    (tmp_path / "illegal.cpp").write_text(
        f'#include "contract.hpp"\nstatic_assert(cpt::legal({illegal}), "bad build");\n'
    )
    result = run(*GXX, "-fsyntax-only", "illegal.cpp", folder=tmp_path)
    assert result.returncode != 0
    assert "bad build" in result.stderr


@pytest.mark.parametrize("build", ILLEGAL, ids=str)
def test_an_illegal_build_cannot_be_made_in_python(build: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(build))):
        Build(name="wrong", **(TINY.parameters() | build))


@pytest.mark.parametrize("build", LEGAL, ids=str)
def test_a_legal_build_can_be_made_in_python(build: dict[str, int]) -> None:
    Build(name="right", **(TINY.parameters() | build))


def printer(folder: Path) -> Path:
    """A module that uses and prints every constant, and what `legal` says of each build."""
    lines = ["module top;", "  import contract_pkg::*;"]
    for number, build in enumerate(BUILDS):
        members = ", ".join(f"{key}: 32'd{value}" for key, value in build.items())
        lines.append(f"  localparam build_t BUILD_{number} = '{{{members}}};")
    lines.append("  initial begin")
    lines += [f'    $display("> {name} %0d", {name});' for name in plain() | builds()]
    lines += [f'    $display("> LEGAL_{number} %0d", legal(BUILD_{number}));' for number in range(len(BUILDS))]
    source = folder / "top.sv"
    source.write_text("\n".join([*lines, "    $finish;", "  end", "endmodule", ""]))
    return source


def test_the_systemverilog_package_lints_clean(tmp_path: Path) -> None:
    succeed("verilator", "--lint-only", "-Wall", PACKAGE, printer(tmp_path), folder=tmp_path)


def test_a_design_that_uses_one_constant_lints_clean(tmp_path: Path) -> None:
    user = "module user (output logic [31:0] y_o);\n  assign y_o = contract_pkg::NO_COMMAND;\nendmodule\n"
    (tmp_path / "user.sv").write_text(user)
    succeed("verilator", "--lint-only", "-Wall", PACKAGE, "user.sv", folder=tmp_path)


@pytest.mark.slow
def test_the_systemverilog_form_says_what_the_source_says(tmp_path: Path) -> None:
    build = ("verilator", "--cc", "--exe", "--build", "--main", "--no-timing", "-MAKEFLAGS", "OPT_GLOBAL=-O0")
    succeed(*build, "--top-module", "top", PACKAGE, printer(tmp_path), folder=tmp_path)
    output = succeed(tmp_path / "obj_dir" / "Vtop", folder=tmp_path)
    assert printed(output) == plain() | builds() | VERDICTS


def test_the_board_is_in_python_alone() -> None:
    forms = {path: path.read_text() for path in generate.RENDERERS if path.suffix != ".py"}
    assert len(forms) == 3
    assert not [path for path, text in forms.items() if "board" in text.lower()]
