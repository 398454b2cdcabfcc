"""`make -C vivado timing`: the longest paths of the zc706 core, from register to register, across its modules.

Estimates: LUTs, carry chains, RAMs and DSPs by Yosys' models of a -1 part, after its own mapping; no wires. 200 MHz
leaves 5 ns for logic and wires together. LUT levels count more than nanoseconds: on a full device a level with its wire
takes 0.5 to 0.7 ns, a carry chain about as much as one. A net with many loads is slow by its wires alone, and should
come from a register, without logic before it in the same cycle: nets with more than WIDE loads are listed.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from sim.common.files import write_atomically
from sim.common.places import CHECKOUT, OUT, VIVADO
from sim.synthesis.groups import GROUPS, mapped
from sim.synthesis.netlist import Netlist
from sim.synthesis.paths import Path, Paths
from sim.synthesis.resources import TOP

RESULT = (VIVADO if CHECKOUT else OUT) / "timing.json"
KEPT = 5  # paths of a group that are written down
WIDE = 256  # loads of a net
MOST_NS, MOST_LUTS = 3.0, 5  # what a path should take at most


@dataclass(frozen=True)
class Net:
    """A net with many loads, and whether a flip-flop drives it."""

    name: str
    loads: int
    register: bool


@dataclass
class Group:
    """The paths of a group: the longest by time, and those over most LUTs; how many paths are too long or too
    deep; nets with many loads.
    """

    name: str
    modules: list[str]
    longest: list[Path] = field(default_factory=list)
    deepest: list[Path] = field(default_factory=list)
    ends: int = 0  # of paths: a register, or a pin of it
    too_long: int = 0
    too_deep: int = 0
    nets: list[Net] = field(default_factory=list)

    @classmethod
    def read(cls, values: dict[str, Any]) -> Group:
        paths = {
            key: [Path(**{**path, "through": tuple(path["through"])}) for path in values[key]]
            for key in ("longest", "deepest")
        }
        nets = [Net(**net) for net in values["nets"]]
        return cls(**{**values, **paths, "nets": nets})


def measure(name: str) -> Group:
    netlist = Netlist.read(mapped(name), TOP)
    longest, deepest = (Paths(netlist, deepest=by_levels).worst() for by_levels in (False, True))
    nets = [Net(netlist.name(net), loads, netlist.is_register(net)) for loads, net in netlist.wide(WIDE)]
    return Group(
        name,
        list(GROUPS[name]),
        *(longest[:KEPT], deepest[:KEPT], len(longest)),
        too_long=sum(path.ps > 1000 * MOST_NS for path in longest),
        too_deep=sum(path.luts > MOST_LUTS for path in deepest),
        nets=nets,
    )


def table(groups: list[Group]) -> str:
    """In Markdown; a path's LUTs and CARRY4s as '3 + 2'; wide nets: those that no register drives, of all."""
    lines = [
        "| group | modules | ns | LUT + CARRY4 | from | to | most LUTs | ns | ends | too long | too deep | wide nets |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for group in groups:
        worst, deep = group.longest[0], group.deepest[0]
        lines.append(
            f"| {group.name} | {', '.join(f'`{module}`' for module in group.modules)} | {worst.ps / 1000:.2f} "
            f"| {worst.luts} + {worst.carries} | `{short(worst.begin)}` | `{short(worst.end)}` "
            f"| {deep.luts} | {deep.ps / 1000:.2f} | {group.ends} | {group.too_long} | {group.too_deep} "
            f"| {sum(not net.register for net in group.nets)} of {len(group.nets)} |"
        )
    return "\n".join(lines)


def short(name: str) -> str:
    """The last two parts of a register's path.

    >>> short("u_core.u_loader.u_pass.a_first_o[3]")
    'u_pass.a_first_o[3]'
    """
    return ".".join(name.split(".")[-2:])


def paths_of(group: Group) -> str:
    lines = [f"{group.name}:"]
    for path in (*group.longest, *group.deepest):
        lines.append(
            f"  {path.ps / 1000:5.2f} ns {path.luts:2} LUT {path.carries:2} CARRY4  {path.begin} -> {path.end}"
        )
    for net in group.nets:
        lines.append(f"  {net.loads:6} loads  {'register' if net.register else 'logic   '}  {net.name}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = "group to map, without writing the JSON; may be repeated (default: all)"
    parser.add_argument("--group", action="append", choices=list(GROUPS), metavar="NAME", help=what)
    parser.add_argument("--show", action="store_true", help="print the table of timing.json; map nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    arguments = parser.parse_args()
    if arguments.show:
        if not RESULT.exists():
            parser.error(f"there is no {RESULT.name}: run this without --show first")
        groups = [Group.read(values) for values in json.loads(RESULT.read_text())["groups"]]
    else:
        groups = []
        for name in arguments.group or GROUPS:
            groups.append(measure(name))
            print(paths_of(groups[-1]), file=sys.stderr, flush=True)
    result = {"build": "zc706", "groups": [asdict(group) for group in groups]}
    if not arguments.show and not arguments.group:
        write_atomically(RESULT, json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2) if arguments.json else table(groups))
    return 0


if __name__ == "__main__":
    sys.exit(main())
