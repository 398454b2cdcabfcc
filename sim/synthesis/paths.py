"""The longest paths of a mapped netlist: nanoseconds and LUT levels from register to register, without wires.

The method is Yosys' own (`sta`): delays of its models, each path from a clock through cells to a clock. Here every end
point is kept, with where its path begins and what it goes through.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sim.synthesis.delays import CellDelays, Parameters, Place, cell_delays, parameters_of
from sim.synthesis.netlist import CONSTANTS, Cell, Netlist

LUT = re.compile(r"LUT[1-6](_2)?")
LEVEL = re.compile(r"LUT[1-6](_2)?|RAM(32|64|128|256)\w+|SRL\w+")  # what takes a LUT's place on a path
LUT_PINS = (642, 631, 472, 407, 238, 127)  # of a LUT6 from I0 on; a LUT of fewer inputs has the last ones
BIT = re.compile(r"\[\d+\]$")


@dataclass(frozen=True)
class Path:
    """One path: picoseconds, LUTs and CARRY4s on it, the register it ends at, the nets from where it begins."""

    ps: int
    luts: int
    carries: int
    net: int  # the last one, of the netlist's own numbers
    end: str
    through: tuple[str, ...] = ()

    @property
    def begin(self) -> str:
        return self.through[0]


@dataclass
class _Step:
    """The latest signal of a net: when, over how many LUTs and CARRY4s, from which net before."""

    ps: int
    luts: int
    carries: int
    source: int | None


class Paths:
    """All end points of a netlist with their latest signals; `deepest` counts LUTs first, picoseconds second."""

    def __init__(self, netlist: Netlist, deepest: bool = False) -> None:
        self.netlist = netlist
        self._deepest = deepest
        kinds = {(cell.kind, parameters_of(cell.raw)) for cell in netlist.cells.values()}
        self._models = known_delays(kinds)
        self._steps: dict[int, _Step] = {}
        for net in list(netlist.loads):
            self._arrive(net)

    def worst(self, count: int | None = None) -> list[Path]:
        """The longest paths, one for each register that they end at (bits aside); all of them without `count`."""
        best: dict[str, Path] = {}
        for name, cell in self.netlist.cells.items():
            model = self._models.get((cell.kind, parameters_of(cell.raw)))
            for place, needed in model.needed.items() if model is not None else ():
                net = cell.inputs.get(place)
                if net is None or net in CONSTANTS:
                    continue
                end, step = self._end(name, cell, place), self._steps[net]
                path = Path(step.ps + needed, step.luts, step.carries, net, end)
                key = BIT.sub("", end)
                if key not in best or self._rank(path) > self._rank(best[key]):
                    best[key] = path
        chosen = sorted(best.values(), key=self._rank, reverse=True)[:count]
        return [replace(path, through=self._through(path.net), net=0) for path in chosen]

    def _rank(self, path: Path) -> tuple[int, int]:
        return (path.luts, path.ps) if self._deepest else (path.ps, path.luts)

    def _through(self, net: int) -> tuple[str, ...]:
        """The names of the nets of the latest path to a net, from its beginning; none that Yosys has made up."""
        at = [net]
        while (source := self._steps[at[-1]].source) is not None:
            at.append(source)
        names = [self.netlist.names.get(each, "") for each in at[:-1]]
        return (self.netlist.name(at[-1]), *(name for name in names[::-1] if name))

    def _end(self, name: str, cell: Cell, place: Place) -> str:
        """A register is known by what it shows, with the pin if it is not D."""
        shown = next((self.netlist.names[net] for net in cell.outputs.values() if net in self.netlist.names), name)
        return shown if place[0] == "D" else f"{shown}.{place[0]}"

    def _arrive(self, net: int) -> _Step:
        """Depth first without recursion: chains are longer than Python's stack."""
        waiting = [net]
        while waiting:
            at = waiting[-1]
            if at in self._steps:
                waiting.pop()
                continue
            arcs, begins = self._into(at)
            missing = [source for source, _ in arcs if source not in self._steps]
            if missing:
                waiting.extend(missing)
                if len(waiting) > 10_000_000:
                    raise ValueError(f"a loop of logic runs through {self.netlist.name(at)}")
                continue
            self._steps[at] = self._latest(at, arcs, begins)
            waiting.pop()
        return self._steps[net]

    def _latest(self, net: int, arcs: list[tuple[int, int]], begins: int) -> _Step:
        best = _Step(begins, 0, 0, None)
        driver = self.netlist.driver.get(net)
        kind = self.netlist.cells[driver[0]].kind if driver is not None else ""
        is_lut, is_carry = LEVEL.fullmatch(kind) is not None, kind == "CARRY4"
        for source, delay in arcs:
            before = self._steps[source]
            step = _Step(before.ps + delay, before.luts + is_lut, before.carries + is_carry, source)
            later = (step.luts, step.ps) > (best.luts, best.ps) if self._deepest else step.ps > best.ps
            if later or (best.source is None and begins == 0):
                best = step
        return best

    def _into(self, net: int) -> tuple[list[tuple[int, int]], int]:
        """The nets that a net depends on in the same cycle, with delays, and when it begins with the clock."""
        driver = self.netlist.driver.get(net)
        if driver is None:
            return [], 0
        name, port, place = driver
        cell = self.netlist.cells[name]
        if LUT.fullmatch(cell.kind):
            return _lut_arcs(cell, port), 0
        model = self._models.get((cell.kind, parameters_of(cell.raw)))
        if model is None:
            return [], 0
        arcs = [
            (source, delay)
            for pin, delay in model.through.get((port, place), {}).items()
            if (source := cell.inputs.get(pin)) is not None and source not in CONSTANTS
        ]
        return arcs, model.arrives.get((port, place), 0)


def _lut_arcs(cell: Cell, port: str) -> list[tuple[int, int]]:
    """The inputs that a LUT's output depends on; O5 of a LUT6_2 is a LUT5 of the lower half of its contents."""
    inputs = 5 if port == "O5" else 6 if cell.kind == "LUT6_2" else int(cell.kind[3])
    return [
        (net, LUT_PINS[len(LUT_PINS) - inputs + pin])
        for pin in depends(contents(cell.raw), inputs)
        if (net := cell.inputs[f"I{pin}", 0]) not in CONSTANTS
    ]


def contents(raw: dict[str, Any]) -> int:
    init = raw["parameters"]["INIT"]
    return int(init, 2) if isinstance(init, str) else int(init)


@lru_cache(maxsize=1 << 14)
def depends(table: int, inputs: int) -> tuple[int, ...]:
    """The inputs that a truth table depends on.

    >>> depends(0b1100, 2), depends(0b0110, 2)
    ((1,), (0, 1))
    """
    table &= (1 << (1 << inputs)) - 1
    found = []
    for pin in range(inputs):
        ones = sum(1 << place for place in range(1 << inputs) if place >> pin & 1)
        if (table & ones) >> (1 << pin) != table & (ones >> (1 << pin)):
            found.append(pin)
    return tuple(found)


_KNOWN: dict[tuple[str, Parameters], CellDelays] = {}


def known_delays(kinds: set[tuple[str, Parameters]]) -> dict[tuple[str, Parameters], CellDelays]:
    """Delays of the vendor's cells among these kinds; what has no model is a module that was left out."""
    new = {kind for kind in kinds if kind not in _KNOWN and VENDOR.fullmatch(kind[0])}
    if new:
        _KNOWN.update(cell_delays(new))
    return {kind: _KNOWN[kind] for kind in kinds if kind in _KNOWN}


VENDOR = re.compile(r"FD[RSCP]E(_1)?|CARRY4|MUXF[78]|RAM\w+|SRL\w+|DSP48E1|INV|BUFG")
