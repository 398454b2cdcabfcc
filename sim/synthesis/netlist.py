"""A mapped netlist in Yosys' JSON: cells, nets by number, who drives and who reads them, and names people know."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Pin = tuple[str, str, int]  # cell, port, bit
CONSTANTS = ("0", "1", "x", "z")
REGISTERS = re.compile(r"FD[RSCP]E(_1)?")


@dataclass
class Cell:
    """One cell: its kind, and the nets of its pins, the constants of inputs among them."""

    kind: str
    inputs: dict[tuple[str, int], Any]
    outputs: dict[tuple[str, int], int]
    raw: dict[str, Any]


class Netlist:
    """One flat module."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.cells: dict[str, Cell] = {}
        self.driver: dict[int, Pin] = {}
        self.loads: dict[int, list[Pin]] = defaultdict(list)
        self.ports: dict[int, str] = {}  # inputs of the module
        for name, port in module["ports"].items():
            for place, bit in enumerate(port["bits"]):
                if port["direction"] == "output":
                    self.loads[bit].append(("", name, place))
                else:
                    self.ports[bit] = f"{name}[{place}]"
        for name, raw in module["cells"].items():
            pins: dict[str, dict[tuple[str, int], Any]] = {"input": {}, "output": {}, "inout": {}}
            for port, bits in raw["connections"].items():
                for place, bit in enumerate(bits):
                    pins[raw["port_directions"][port]][port, place] = bit
            self.cells[name] = Cell(raw["type"].lstrip("\\"), pins["input"], pins["output"], raw)
            for (port, place), bit in pins["output"].items():
                self.driver[bit] = (name, port, place)
            for (port, place), bit in pins["input"].items():
                if bit not in CONSTANTS:
                    self.loads[bit].append((name, port, place))
        self.names = _names(module["netnames"])

    @classmethod
    def read(cls, path: Path, top: str) -> Netlist:
        return cls(json.loads(path.read_text())["modules"][top])

    def name(self, net: int) -> str:
        """Of a net: one that the RTL has, or the driver's cell."""
        found = self.names.get(net) or self.ports.get(net)
        if found is None:
            driver = self.driver.get(net)
            found = "?" if driver is None else f"{driver[0]}.{driver[1]}"
        return found

    def is_register(self, net: int) -> bool:
        """A flip-flop drives it, and nothing else does."""
        driver = self.driver.get(net)
        return driver is not None and REGISTERS.fullmatch(self.cells[driver[0]].kind) is not None

    def wide(self, least: int) -> list[tuple[int, int]]:
        """Nets with more loads than `least`, clocks aside, the widest first: their loads, and their numbers."""
        clocks = {cell.inputs["C", 0] for cell in self.cells.values() if REGISTERS.fullmatch(cell.kind)}
        found = [(len(pins), net) for net, pins in self.loads.items() if net not in clocks and len(pins) > least]
        return sorted(found, reverse=True)

    def counts(self) -> Counter[str]:
        """Cells by kind."""
        return Counter(cell.kind for cell in self.cells.values())


def _names(netnames: dict[str, Any]) -> dict[int, str]:
    """The best name of each net: one of a register, else the shortest; none that Yosys has made up."""
    best: dict[int, tuple[bool, int, str]] = {}
    for name, net in netnames.items():
        if net.get("hide_name"):
            continue
        for place, bit in enumerate(net["bits"]):
            if bit in CONSTANTS:
                continue
            label = f"{name}[{place}]" if len(net["bits"]) > 1 else name
            rank = (not name.endswith("_q"), len(name), label)
            if bit not in best or rank < best[bit]:
                best[bit] = rank
    return {bit: label for bit, (_, _, label) in best.items()}
