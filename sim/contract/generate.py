"""Generates the contract's constants: one source, contract.toml, in Python, C++, SystemVerilog and Tcl."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sim.common.places import ROOT

SOURCE = ROOT / "sim" / "contract" / "contract.toml"
NOTICE = "Generated from sim/contract/contract.toml by `cpt constants --write`; do not edit."
ENUMS = (
    "feature",
    "opcode",
    "format",
    "flag",
    "map_flag",
    "scalar_flag",
    "weight_flag",
    "block",
    "error",
    "register",
    "ap_ctrl",
    "irq",
)
FIELDS = ("field", "map_field", "scalar_field", "weight_field")

Contract = dict[str, Any]


def load() -> Contract:
    """The contract's tables as nested dictionaries."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:  # the lock installs tomli there
        import tomli as tomllib
    return tomllib.loads(SOURCE.read_text())


def plain_constants(contract: Contract) -> Iterator[tuple[str, int]]:
    """Every constant that is a plain number, under the name it has in C++ and SystemVerilog."""
    for name, value in contract["version"].items():
        yield f"VERSION_{name.upper()}", value
    for name, value in contract["limits"].items():
        yield name.upper(), value
    for table in ENUMS:
        for name, value in contract[table].items():
            yield f"{table.upper()}_{name.upper()}", value
    for table in FIELDS:
        for name, (word, lsb, width) in contract[table].items():
            yield f"{table.upper()}_{name.upper()}_WORD", word
            yield f"{table.upper()}_{name.upper()}_LSB", lsb
            yield f"{table.upper()}_{name.upper()}_WIDTH", width
    yield from block_constants(contract)


def block_constants(contract: Contract) -> Iterator[tuple[str, int]]:
    """Bytes of each kind's record, and where the members of headers and records begin."""
    for kind, size in contract["record_bytes"].items():
        yield f"{kind.upper()}_RECORD_BYTES", size
    for part in ("header", "record"):
        for kind, members in contract[f"block_{part}"].items():
            prefix = part.upper() if kind == "every" else f"{kind.upper()}_{part.upper()}"
            for name, (byte, _) in members.items():
                yield f"{prefix}_{name.upper()}", byte


def class_name(table: str) -> str:
    return "".join(part.capitalize() for part in table.split("_"))


def render_python(contract: Contract) -> str:
    lines = [f'"""{NOTICE}"""', "", "from enum import IntEnum", ""]
    lines += [f"VERSION_{name.upper()} = {value}" for name, value in contract["version"].items()]
    lines += [f"{name.upper()} = {value}" for name, value in contract["limits"].items()]
    for table in ("overlay", "board"):
        lines += [f"{table.upper()}_{name.upper()} = {json.dumps(value)}" for name, value in contract[table].items()]
    for table in ENUMS:
        lines += ["", "", f"class {class_name(table)}(IntEnum):"]
        lines += [f"    {name.upper()} = {value}" for name, value in contract[table].items()]
    lines += ["", "", "# name: (word of the command, lowest bit, width)"]
    for table in FIELDS:
        lines += [f"{table.upper()}S: dict[str, tuple[int, int, int]] = {{"]
        lines += [f'    "{name}": ({word}, {lsb}, {width}),' for name, (word, lsb, width) in contract[table].items()]
        lines += ["}"]
    lines += ["", "RECORD_BYTES: dict[str, int] = {"]
    lines += [*(f'    "{kind}": {size},' for kind, size in contract["record_bytes"].items()), "}"]
    lines += ["", "# kind: {name: (byte from the start, type)}"]
    for part in ("header", "record"):
        lines += [f"BLOCK_{part.upper()}: dict[str, dict[str, tuple[int, str]]] = {{"]
        for kind, members in contract[f"block_{part}"].items():
            lines += [
                f'    "{kind}": {{',
                *(f'        "{n}": ({b}, "{t}"),' for n, (b, t) in members.items()),
                "    },",
            ]
        lines += ["}"]
    lines += ["", "BUILDS: dict[str, dict[str, int]] = {"]
    for build, values in contract["build"].items():
        lines += [f'    "{build}": {{', *(f'        "{k}": {v},' for k, v in values.items()), "    },"]
    lines += ["}", "", "# name: (least, most, what it must divide; 0 for nothing, what it must be a multiple of)"]
    lines += ["BUILD_RANGES: dict[str, tuple[int, int, int, int]] = {"]
    lines += [f'    "{name}": ({a}, {b}, {c}, {d}),' for name, (a, b, c, d) in contract["build_range"].items()]
    return "\n".join([*lines, "}", ""])


def render_cpp(contract: Contract) -> str:
    lines = [f"// {NOTICE}", "#pragma once", "", "#include <cstdint>", "", "namespace cpt {", ""]
    lines += [f"constexpr std::uint32_t {name} = {value}u;" for name, value in plain_constants(contract)]
    lines += ["", "// Every field of a command: the prefix of its constants above, its name, and its name in them."]
    for table in FIELDS:
        lines += [f"#define CPT_{table.upper()}S(X) \\"]
        lines += [" \\\n".join(f"    X({table.upper()}, {name}, {name.upper()})" for name in contract[table])]
    lines += ["", "// The bits of field `flags` that have a meaning."]
    for table in (table.replace("field", "flag") for table in FIELDS):
        flags = "\n    | ".join(f"1u << {table.upper()}_{name.upper()}" for name in contract[table])
        lines += [f"constexpr std::uint32_t DEFINED_{table.upper()}S =\n    {flags};"]
    names = list(contract["build_range"])
    lines += ["", "/// The parameters of a build.", "struct Build {"]
    lines += [*(f"    std::uint32_t {name};" for name in names), "};", ""]
    for build, values in contract["build"].items():
        members = ", ".join(f"{values[name]}u" for name in names)
        lines += [f"constexpr Build BUILD_{build.upper()} = {{{members}}};"]
    lines += ["", "/// The builds under the names they have on a command line.", "namespace builds {"]
    lines += [f"constexpr Build {build} = BUILD_{build.upper()};" for build in contract["build"]]
    lines += ["}  // namespace builds"]
    lines += [
        "",
        "/// True when every parameter of a build is in its legal range.",
        "constexpr bool legal(const Build& c) {",
    ]
    lines += ["    return " + "\n        && ".join(legality(contract)) + ";", "}"]
    return "\n".join([*lines, "", "}  // namespace cpt", ""])


def legality(contract: Contract) -> list[str]:
    """One comparison for each bound of each build parameter of `c`, in the syntax that C++ and SystemVerilog share."""
    clauses = []
    for name, (least, most, divides, multiple) in contract["build_range"].items():
        clauses.append(f"c.{name} >= {least} && c.{name} <= {most}")
        if divides:
            clauses.append(f"{divides} % c.{name} == 0")
        if multiple > 1:
            clauses.append(f"c.{name} % {multiple} == 0")
    return clauses


def render_systemverilog(contract: Contract) -> str:
    names = list(contract["build_range"])
    lines = [f"// {NOTICE}", "", "/// The constants of the contract.", "package contract_pkg;", ""]
    lines += ["  // verilator lint_off UNUSEDPARAM", "  // A design uses those it needs."]
    lines += [f"  localparam logic [31:0] {name} = 32'd{value};" for name, value in plain_constants(contract)]
    lines += ["", "  /// The parameters of a build.", "  typedef struct packed {"]
    lines += [*(f"    logic [31:0] {name};" for name in names), "  } build_t;", ""]
    for build, values in contract["build"].items():
        members = ",\n".join(f"      {name}: 32'd{values[name]}" for name in names)
        lines += [f"  localparam build_t BUILD_{build.upper()} = '{{\n{members}\n  }};"]
    lines += ["  // verilator lint_on UNUSEDPARAM"]
    lines += ["", "  /// True when every parameter of a build is in its legal range."]
    lines += ["  function automatic bit legal(build_t c);"]
    lines += ["    return " + "\n        && ".join(legality(contract)) + ";", "  endfunction"]
    return "\n".join([*lines, "", "endpackage", ""])


def render_tcl(contract: Contract) -> str:
    """What the Vivado scripts need: the overlay's names, and the builds as the core's `BuildNumber` counts them."""
    lines = [f"# {NOTICE}", ""]
    lines += [
        f"set contract({name}) {{{value}}}" if " " in str(value) else f"set contract({name}) {value}"
        for name, value in contract["overlay"].items()
    ]
    lines += [f"set contract(builds) {{{' '.join(contract['build'])}}}"]
    for number, (build, values) in enumerate(contract["build"].items()):
        lines += [f"set contract({build},build) {number}"]
        lines += [f"set contract({build},{name}) {value}" for name, value in values.items()]
    return "\n".join([*lines, ""])


RENDERERS: dict[Path, Callable[[Contract], str]] = {
    ROOT / "sim" / "contract" / "constants.py": render_python,
    ROOT / "hls" / "contract.hpp": render_cpp,
    ROOT / "vivado" / "rtl" / "contract_pkg.sv": render_systemverilog,
    ROOT / "vivado" / "tcl" / "contract.tcl": render_tcl,
}


def drifted() -> list[Path]:
    """The generated files that are out of date."""
    contract = load()
    return [path for path, render in RENDERERS.items() if not path.exists() or path.read_text() != render(contract)]
