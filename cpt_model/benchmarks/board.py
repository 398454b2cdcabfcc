"""The host's share of an iteration on the board: ResNet-20, batch 128, at CPT's lowest bits, where lists are shortest.

What the host does is counted, not timed: instructions and system calls of `cpt board train` on an emulated 32-bit ARM,
with the `uio` driver (`tests/arm/counting.py`; `make arm` counts again). What a Cortex-A9 makes of them is assumed, not
measured: 667 MHz (this board's part may do 800), an instruction every second cycle (the core can begin two in one,
and code like CoreMark gets close to one; an interpreter misses caches and branches more often), 5 µs for a system call.
What lists take is the latency model's. Work that the loop does while lists run is hidden as far as they last; images
are packed by the second core. Maintenance of caches is counted as system calls alone.
"""

from __future__ import annotations

import json
from importlib.resources import files

from cpt_model import benchmarks
from cpt_model.cost.accelerator import PROFILES
from cpt_model.cost.profile_file import adjusted
from cpt_model.cost.whole_step import CREDIBLE_MHZ
from host.compiler.bits import Bits
from host.compiler.step.networks import named
from host.measure.step_time import iteration_time

BATCH, BITS = 128, Bits(3, 8)
MHZ, INSTRUCTIONS_A_CYCLE, CALL_US = 667, 0.5, 5.0
BETWEEN = ("before the forward list", "between the lists")
BEHIND = ("behind the forward list", "behind the backward list")
AHEAD = "ahead"


def measure(repeat: int) -> dict[str, float]:
    """Milliseconds of an iteration, and the per cent of it in which the device waits for the host."""
    counted = json.loads((files(benchmarks) / "results" / "arm.json").read_text(encoding="utf-8"))

    def ms(parts: tuple[str, ...]) -> float:
        return sum(milliseconds(*counted[part]) for part in parts)

    found = {f"host_ms {part}": ms((part,)) for part in (*BETWEEN, *BEHIND)}
    found["host_ms packing, on the second core"] = ms((AHEAD,))
    for mhz in (CREDIBLE_MHZ, PROFILES["zc706"].clock_mhz):
        profile = adjusted(PROFILES["zc706"], mhz)
        times = iteration_time(named("cifar10_resnet_20"), BATCH, BITS, profile.build, profile.memory).values()
        lists = sum(time.cycles for time in times) / mhz / 1e3
        shown = ms(BETWEEN) + max(0.0, max(ms(BEHIND), ms((AHEAD,))) - lists)
        found |= {f"lists_ms at {mhz:g} MHz": lists, f"host_not_hidden_percent at {mhz:g} MHz": share(shown, lists)}
    return found


def milliseconds(instructions: int, calls: int) -> float:
    return instructions / (MHZ * 1e3 * INSTRUCTIONS_A_CYCLE) + calls * CALL_US / 1e3


def share(shown: float, lists: float) -> float:
    return 100 * shown / (shown + lists)
