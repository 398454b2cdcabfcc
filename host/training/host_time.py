"""Where a run's time goes: the host's seconds, hidden behind lists and not, the device's, and those of its commands."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from host.compiler.bits import Bits
from host.driver.list_times import ListTimes
from sim.common.files import write_atomically
from sim.common.table import as_table

FILE = "seconds.json"
SLOWEST = 5  # layers that are printed


@dataclass
class Host:
    """Seconds since the run was started; the device's as the host waited for them."""

    hidden: float = 0.0
    shown: float = 0.0
    device: float = 0.0
    parts: dict[str, dict[str, float]] = field(default_factory=dict)  # of the last timed iteration: layer, kind

    @property
    def share(self) -> float:
        """The part of the time in which the device waits for the host."""
        return self.shown / (self.shown + self.device) if self.device else 0.0

    def take(self, times: ListTimes) -> None:
        self.parts = {}
        for (layer, kind), seconds in times.seconds.items():
            self.parts.setdefault(layer, {})[kind] = seconds

    def kinds(self) -> dict[str, float]:
        """Seconds of each kind of command, the longest first."""
        found: dict[str, float] = {}
        for row in self.parts.values():
            for kind, seconds in row.items():
                found[kind] = found.get(kind, 0.0) + seconds
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def layers(self) -> dict[str, float]:
        found = {layer: sum(row.values()) for layer, row in self.parts.items()}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def brief(self) -> str:
        """The greatest shares, for a line of progress.

        >>> Host(parts={"conv1": {"CONV": 3.0, "MAP": 1.0}}).brief()
        'CONV 75 % MAP 25 %; conv1 100 %'
        """
        total = sum(self.kinds().values())
        if not total:
            return ""
        kinds = " ".join(f"{kind} {100 * seconds / total:.0f} %" for kind, seconds in list(self.kinds().items())[:3])
        layer, seconds = next(iter(self.layers().items()))
        return f"{kinds}; {layer} {100 * seconds / total:.0f} %"

    def write(self, folder: Path, step: int, bits: Bits) -> None:
        found = {"step": step, "fw_bits": bits.forward, "bw_bits": bits.backward, "seconds": self.parts}
        write_atomically(folder / FILE, json.dumps(found, indent=1) + "\n")


def render(folder: Path) -> str:
    """The last timed iteration of a run: its slowest layers, and all, by kind of command."""
    found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    host = Host(parts=found["seconds"])
    kinds = list(host.kinds())
    rows = [(name, host.parts[name], total) for name, total in list(host.layers().items())[:SLOWEST]]
    rows.append(("all layers", host.kinds(), sum(host.layers().values())))
    cells = [(name, *(f"{1e3 * row.get(kind, 0.0):.2f}" for kind in kinds), f"{1e3 * s:.2f}") for name, row, s in rows]
    heading = f"ms of step {found['step']} at {found['fw_bits']}/{found['bw_bits']} bits, as the host waited\n"
    return heading + as_table(("layer", *kinds, "all"), cells)
