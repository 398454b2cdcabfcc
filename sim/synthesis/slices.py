"""Carry chains by name that a 7-series slice cannot hold as they are drawn: a tool would add LUTs, or refuse.

A place of a CARRY4 has one LUT (O6 is S, O5 may be DI), one bypass pin (AX..DX), one flip-flop, and one more way out
(AMUX..DMUX) for the sum, the carry or O5. So, of each CARRY4 that the RTL instantiates:

- a carry from below that is no constant (CYINIT) comes in by AX; then DI of the lowest place has to be its LUT's O5;
- of sum, carry and O5 (beyond the place's own DI) at most one leaves, and a second one if it goes to a flip-flop only.

Nothing is said about chains that a synthesiser makes of adders: it makes them to fit.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.synthesis.yosys import read_rtl, run_yosys

PLACES = 4  # of a CARRY4
# Modules with chains by name: all that the array is made of, and the noise.
CHECKED = (
    *((top, (f"-GBits={bits}",)) for top in ("popcount_lut", "count_ones") for bits in (48, 144)),
    ("dpu_row", ("-GBits=144",)),
    ("noise", ()),
)
CONSTANTS = ("0", "1", "x")
Pin = tuple[str, str, int]  # cell, port, bit


@dataclass
class Chains:
    """What was found in a module: its CARRY4s, places whose S no LUT drives (they need one), and conflicts."""

    carry4: int = 0
    fed_through: int = 0
    conflicts: list[str] = field(default_factory=list)


def check_chains(top: str, *parameters: str) -> Chains:
    """The chains of a module as it is synthesised."""
    return judge(named_netlist(top, *parameters))


def named_netlist(top: str, *parameters: str) -> dict[str, Any]:
    """A module, flattened, with its LUTs, carry chains and registers as the RTL has them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "netlist.json"
        run_yosys([read_rtl(top, *parameters), "proc", "flatten", "opt_clean", f"write_json {path}"])
        modules: dict[str, Any] = json.loads(path.read_text())["modules"]
    return next(module for module in modules.values() if int(module["attributes"].get("top", "0"), 2))


def judge(module: dict[str, Any]) -> Chains:
    """Looks at every place of every CARRY4 of a netlist in Yosys' JSON."""
    netlist = _Netlist(module)
    found = Chains()
    for name, cell in module["cells"].items():
        if cell["type"] == "CARRY4":
            found.carry4 += 1
            _judge_chain(name, cell["connections"], netlist, found)
    return found


class _Netlist:
    """Who drives a net, and who reads it."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.cells = module["cells"]
        self.driver: dict[Any, Pin] = {}
        self.loads: dict[Any, list[Pin]] = defaultdict(list)
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                for place, bit in enumerate(bits):
                    if cell["port_directions"][port] == "output":
                        self.driver[bit] = (name, port, place)
                    else:
                        self.loads[bit].append((name, port, place))
        for name, port in module["ports"].items():
            for place, bit in enumerate(port["bits"]):
                if port["direction"] == "output":
                    self.loads[bit].append((f"port {name}", "", place))

    def kind(self, pin: Pin) -> str:
        return str(self.cells[pin[0]]["type"]) if pin[0] in self.cells else "port"

    def registered(self, bit: Any) -> bool:
        """The net goes to one flip-flop and nowhere else."""
        loads = self.loads[bit]
        return len(loads) == 1 and self.kind(loads[0]).startswith("$dff") and loads[0][1] == "D"


def _judge_chain(name: str, pins: dict[str, list[Any]], netlist: _Netlist, found: Chains) -> None:
    for place in range(PLACES):
        s, di = pins["S"][place], pins["DI"][place]
        lut = netlist.driver.get(s)
        is_lut = lut is not None and netlist.kind(lut) in ("LUT6", "LUT6_2") and lut[1] in ("O", "O6")
        found.fed_through += s not in CONSTANTS and not is_lut
        own = netlist.cells[lut[0]]["connections"].get("O5", [None])[0] if lut is not None and is_lut else None
        carry_in = pins["CYINIT"][0]
        if place == 0 and carry_in not in CONSTANTS and di not in (*CONSTANTS, own, carry_in):
            found.conflicts.append(f"{name}: CYINIT and DI[0] both need AX")
        ways = {
            f"sum O[{place}]": (pins["O"][place], []),
            f"carry CO[{place}]": (pins["CO"][place], [] if place < PLACES - 1 else ["CI"]),
            f"O5 of the LUT at S[{place}]": (own, ["DI"]),
        }
        leaving = [what for what, (bit, inside) in ways.items() if _leaves(bit, name, place, inside, netlist)]
        free = any(netlist.registered(ways[what][0]) for what in leaving)
        if len(leaving) > 1 + free:
            found.conflicts.append(f"{name}: {' and '.join(leaving)} leave by one pin")


def _leaves(bit: Any, name: str, place: int, inside: list[str], netlist: _Netlist) -> bool:
    """The net is read elsewhere than by the pins named `inside`: the place's own DI, or the next CARRY4's CI."""
    own = [pin for pin in netlist.loads.get(bit, ()) if pin[1] in inside and _is_inside(pin, name, place, netlist)]
    return len(netlist.loads.get(bit, ())) > len(own)


def _is_inside(pin: Pin, name: str, place: int, netlist: _Netlist) -> bool:
    if netlist.kind(pin) != "CARRY4":
        return False
    return pin[1] == "CI" or (pin[0] == name and pin[2] == place)
