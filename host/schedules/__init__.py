"""Precision schedules: how many bits at which step. Pure functions of the step, NumPy only; and rules that look at
the training instead (`ClosedLoop`, PFQ, MuPPET).

>>> CPT(3, 8, cycles=2).bits([0, 24, 49, 50, 99], total=100).tolist()
[3, 5, 8, 3, 8]
"""

from host.schedules.base import Schedule, ScheduleError, Static, as_schedule
from host.schedules.closed_loop import ClosedLoop
from host.schedules.compose import Deficit, LateStart, Sequence
from host.schedules.cyclic import CPT, CosineAnnealing, Cyclic
from host.schedules.muppet import MuPPET
from host.schedules.names import NAMES, named
from host.schedules.pfq import PFQ
from host.schedules.progressive import Progressive

__all__ = [
    "CPT",
    "NAMES",
    "PFQ",
    "ClosedLoop",
    "CosineAnnealing",
    "Cyclic",
    "Deficit",
    "LateStart",
    "MuPPET",
    "Progressive",
    "Schedule",
    "ScheduleError",
    "Sequence",
    "Static",
    "as_schedule",
    "named",
]
