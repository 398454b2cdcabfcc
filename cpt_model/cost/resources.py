"""What a build needs of an FPGA: an estimate, scaled from the synthesis of the zc706 build.

`make -C vivado resources` counts with Yosys what each module of the zc706 core needs (vivado/resources.json). A build
of other sizes needs of each module what zc706 needs, times the ratio of their sizes:

| modules | LUT and FF grow with | DSP with | BRAM with |
|---|---|---|---|
| dpu_row | lanes · columns · slice_groups | lanes · columns | – |
| row_sum | lanes · slice_groups | – | – |
| lane | memories (LUT), memories · slice_groups (FF) | – | memories · banks, columns · slice_groups, in blocks |
| array | operands (lanes + columns) · slice_groups, results held and drained, lanes · columns | – | – |
| core | memories | – | – |
| row_table, store_buffer | lanes | – | lanes |
| accumulator, epilogue, requantise, noise | columns: two lanes' results a cycle, whatever the lanes | – | columns |
| load_writer, load_dispatch, axi_reader, axi_writer | bus_bytes | – | – |
| all others (control, planner, loader, reads, store) | nothing | nothing | nothing |

Memories are those of the lanes, columns · slice_groups / 3 of them: a row of the array for each, or for fewer.

Nothing of it is placed or routed, and a module whose rule is not known is taken as fixed. It is an estimate of an
estimate: good for choosing what to synthesise next.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from sim.common.places import VIVADO
from sim.contract import Build
from sim.latency.core import memories

TABLE = VIVADO / "resources.json"
BASE = "zc706"
HALF_BLOCKS = ((512, 36), (1024, 18), (2048, 9))  # words and bits of a RAMB18

Size = Callable[[Build], float]


class ResourceError(ValueError):
    """A table of resources that cannot be read; the message says where and what."""


@dataclass(frozen=True)
class Resources:
    """Counts; estimates are not rounded."""

    lut: float = 0.0
    ff: float = 0.0
    dsp: float = 0.0
    bram36: float = 0.0

    def __add__(self, other: Resources) -> Resources:
        return Resources(*(getattr(self, name) + getattr(other, name) for name in NAMES))

    def exceeded(self, most: Resources) -> list[str]:
        """Which of them are more than there are.

        >>> Resources(lut=5, dsp=2).exceeded(Resources(lut=4, ff=1, dsp=2))
        ['lut']
        """
        return [name for name in NAMES if getattr(self, name) > getattr(most, name)]


NAMES = tuple(field.name for field in fields(Resources))


@dataclass(frozen=True)
class Module:
    """A module of the base build: what all its instances need, and the logic of its longest path in nanoseconds."""

    name: str
    use: Resources
    logic_ns: float


@dataclass(frozen=True)
class ResourceTable:
    """The modules as synthesised, and the device they were counted for."""

    modules: tuple[Module, ...]
    device: Resources

    @property
    def slowest(self) -> Module:
        """The module with the longest path of logic, wires not counted."""
        return max(self.modules, key=lambda module: module.logic_ns)

    @property
    def unknown(self) -> list[str]:
        """Modules that no rule names; they are taken as fixed."""
        return [module.name for module in self.modules if module.name not in RULES and module.name not in FIXED]

    def estimate(self, build: Build) -> Resources:
        """What a build needs.

        >>> read_table().estimate(Build.named("zc706")).dsp > read_table().estimate(Build.named("tiny")).dsp
        True
        """
        return sum((_scaled(module, build) for module in self.modules), start=Resources())


def _scaled(module: Module, build: Build) -> Resources:
    rules, base = RULES.get(module.name, {}), Build.named(BASE)
    grown = {name: rule(build) / rule(base) for name, rule in rules.items()}
    return Resources(*(getattr(module.use, name) * grown.get(name, 1) for name in NAMES))


def _rule(lut: Size, ff: Size | None = None, dsp: Size | None = None, bram36: Size | None = None) -> dict[str, Size]:
    """One rule for all of a module's resources, but for those named."""
    return {"lut": lut, "ff": ff or lut, "dsp": dsp or lut, "bram36": bram36 or lut}


def _products(build: Build) -> float:
    return build.lanes * build.columns


def _window(build: Build) -> float:
    return build.lanes * build.slice_groups


def _memory_window(build: Build) -> float:
    return memories(build) * build.slice_groups


def _operands(build: Build) -> float:
    """Bits of a slice that the rows and the columns hold."""
    return (build.lanes + build.columns) * 16 * build.slice_groups


def _held(build: Build) -> float:
    """Bits of results that wait for the drain: 48 for each column, 32 of the row sum."""
    return build.lanes * (48 * build.columns + 32)


def half_blocks(words: int, bits: int) -> int:
    """RAMB18 that a memory takes.

    >>> half_blocks(2048, 16), half_blocks(512, 32), half_blocks(513, 16)
    (2, 1, 1)
    """
    return min(-(-words // deep) * -(-bits // wide) for deep, wide in HALF_BLOCKS)


def _lane_memory(build: Build) -> float:
    """Four banks of each lane's words, a power of two and a rest, and a column memory for each group of each column.

    The column memories lie in the lanes, three in each, if a slice has 3 groups for 16 lanes.
    """
    bank = -(-build.lane_words // 4)
    low = 1 << (bank.bit_length() - 1)
    halves = 4 * (half_blocks(low, 16) + (half_blocks(bank - low, 16) if bank > low else 0))
    column_memories = build.columns * build.slice_groups
    return memories(build) * halves + column_memories * half_blocks(build.column_words, 16)


RULES: dict[str, dict[str, Size]] = {
    "dpu_row": _rule(lambda build: _products(build) * build.slice_groups, dsp=_products),
    "row_sum": _rule(_window),
    "lane": _rule(memories, ff=_memory_window, bram36=_lane_memory),
    # Two bits of an operand's choice take a LUT, the drain of six bits takes one.
    "array": _rule(lambda each: _operands(each) / 2 + _held(each) / 6, ff=lambda each: _operands(each) + _held(each)),
    "core": _rule(memories),
    **dict.fromkeys(("row_table", "store_buffer"), _rule(attrgetter("lanes"))),
    **dict.fromkeys(("accumulator", "epilogue", "requantise", "noise"), _rule(attrgetter("columns"))),
    **dict.fromkeys(("load_writer", "load_dispatch", "axi_reader", "axi_writer"), _rule(attrgetter("bus_bytes"))),
}
FIXED = (
    *("cpt_kernel", "control_registers", "cycle_counters", "list_runner", "command_check", "planner", "loader"),
    *("row_requests", "feeder", "conv_reads", "wgrad_reads", "sequencer", "store"),
)


def buildable(build: Build) -> bool:
    """Whether the RTL elaborates at these sizes as it is: vivado/rtl/core.sv, array.sv and popcount_lut.sv say so.

    >>> [buildable(Build.named(name)) for name in ("tiny", "zc706", "zc706_train")]
    [True, True, True]
    """
    fits_slices = build.slice_groups in (3, 9) and build.lanes <= memories(build)
    return fits_slices and build.lane_words % 4 == 0 and build.lane_words <= 65536


@cache
def read_table(path: Path = TABLE) -> ResourceTable:
    """The table as `make -C vivado resources` writes it."""
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        modules = tuple(_module(part) for part in values[BASE]["parts"])
        device = Resources(**{name: float(values["device"][name]) for name in NAMES})
    except FileNotFoundError:
        raise ResourceError(f"{path}: not there; 'make -C vivado resources' writes it") from None
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ResourceError(f"{path}: not a table of 'make -C vivado resources': {problem!r}") from None
    if not modules:
        raise ResourceError(f"{path}: the build {BASE} has no modules")
    return ResourceTable(modules, device)


def _module(part: dict[str, Any]) -> Module:
    use = Resources(**{name: float(part["use"][name]) * part["count"] for name in NAMES})
    return Module(part["module"], use, part["logic_ps"] / 1000)
