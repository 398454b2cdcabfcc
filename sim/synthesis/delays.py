"""Delays of cells, from the specify blocks of Yosys' models of a -1 part.

Yosys reads the models and derives those whose delays depend on parameters (DSP48E1); here they are read from what it
writes. Conditions of a delay are left aside, as Yosys' own analysis does: the largest counts.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.synthesis.yosys import run_yosys

Place = tuple[str, int]  # a port and its bit
Parameters = tuple[tuple[str, str], ...]
MODULE = re.compile(r"^module (?P<name>\S+)\n(?P<text>.*?)^end$", flags=re.MULTILINE | re.DOTALL)
SPECIFY = re.compile(r"^  cell \$(specify2|specify3|specrule) \S+\n(.*?)^  end$", flags=re.MULTILINE | re.DOTALL)
WIRE = re.compile(r"^  wire (?:width (\d+) )?(?:input|output|inout) \d+ (?:signed )?\\(\S+)$", flags=re.MULTILINE)
SIGNAL = re.compile(r"\\(\w+)(?: \[(\d+)(?::(\d+))?\])?$")
SETTING = re.compile(r'^  parameter (?:signed )?\\(\w+) "?([^"\n]*)"?$', flags=re.MULTILINE)


@dataclass
class CellDelays:
    """Picoseconds: through a cell, from the clock to its outputs, and that inputs must be there before the clock."""

    through: dict[Place, dict[Place, int]] = field(default_factory=dict)  # by output, then by input
    arrives: dict[Place, int] = field(default_factory=dict)
    needed: dict[Place, int] = field(default_factory=dict)


def parameters_of(cell: dict[str, Any]) -> Parameters:
    """The parameters that a cell's delays depend on: registers and ports of a DSP in use; none of the others.

    >>> parameters_of({"type": "DSP48E1", "parameters": {"AREG": "10", "USE_MULT": "MULTIPLY", "MASK": "111"}})
    (('AREG', '2'), ('USE_MULT', 'MULTIPLY'))
    """
    if cell["type"] != "DSP48E1":
        return ()
    chosen = {key: value for key, value in cell["parameters"].items() if key.endswith("REG") or key.startswith("USE")}
    return tuple(
        sorted((key, str(int(value, 2)) if set(value) <= set("01") else value) for key, value in chosen.items())
    )


def cell_delays(kinds: Iterable[tuple[str, Parameters]]) -> dict[tuple[str, Parameters], CellDelays]:
    """The delays of each kind of cell with its parameters; kinds without a model are left out."""
    wanted = sorted(set(kinds))
    with tempfile.TemporaryDirectory() as name:
        probe, models = Path(name) / "probe.v", Path(name) / "models.il"
        instances = [
            f"{kind} #({', '.join(f'.{key}({_literal(value)})' for key, value in parameters)}) cell_{place} ();"
            for place, (kind, parameters) in enumerate(wanted)
        ]
        probe.write_text("\n".join(["module probe;", *instances, "endmodule", ""]))
        run_yosys(
            [
                *("read_verilog -specify -lib +/xilinx/cells_sim.v", f"read_verilog {probe}"),
                *("hierarchy -top probe", "sta", f"write_rtlil {models}"),
            ]
        )
        texts = [(found["name"], found["text"]) for found in MODULE.finditer(models.read_text())]
    return {(kind, parameters): _read(_model(texts, kind, parameters)) for kind, parameters in wanted}


def _literal(value: str) -> str:
    return value if value.isdigit() else f'"{value}"'


def _model(texts: list[tuple[str, str]], kind: str, parameters: Parameters) -> str:
    """The text of the model that Yosys has derived for these parameters, or of the one that has none."""
    for name, text in texts:
        settings = dict(SETTING.findall(text))
        if name.split("\\")[-1] == kind and all(settings.get(key) == value for key, value in parameters):
            if parameters and not name.startswith("$paramod"):
                continue
            return text
    raise ValueError(f"Yosys has no model of {kind} with {dict(parameters)}")


def _read(text: str) -> CellDelays:
    widths = {name: int(width or 1) for width, name in WIRE.findall(text)}
    delays = CellDelays()
    for kind, body in SPECIFY.findall(text):
        numbers = dict(SETTING.findall(body.replace("    ", "  ")))
        pins = dict(re.findall(r"^    connect \\(\w+) (.*)$", body, flags=re.MULTILINE))
        source, target = _bits(pins["SRC"], widths), _bits(pins["DST"], widths)
        if kind == "specrule":
            if numbers["TYPE"] == "$setup":
                _keep(delays.needed, source, _picoseconds(numbers["T_LIMIT_MAX"]))
        elif kind == "specify3":
            _keep(delays.arrives, target, _picoseconds(numbers["T_RISE_MAX"]))
        else:
            full = numbers["FULL"].endswith("1")
            for place, to in enumerate(target):
                found = delays.through.setdefault(to, {})
                _keep(found, source if full else [source[place]], _picoseconds(numbers["T_RISE_MAX"]))
    return delays


def _picoseconds(number: str) -> int:
    """A delay; one that the parameters rule out is written as x."""
    return 0 if "x" in number else int(number)


def _bits(signal: str, widths: dict[str, int]) -> list[Place]:
    r"""The bits of a port, or of a part of it.

    >>> _bits("\\O [3]", {"O": 4}), _bits("\\A", {"A": 2})
    ([('O', 3)], [('A', 0), ('A', 1)])
    """
    found = SIGNAL.match(signal)
    if found is None:
        raise ValueError(f"a specify block names {signal}, which is no port")
    name, high, low = found.groups()
    if high is None:
        return [(name, place) for place in range(widths[name])]
    return [(name, place) for place in range(int(low or high), int(high) + 1)]


def _keep(largest: dict[Place, int], places: list[Place], delay: int) -> None:
    for place in places:
        largest[place] = max(delay, largest.get(place, 0))
