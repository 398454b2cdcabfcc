"""Precision schedules: how many bits at which step. Pure functions of the step, NumPy only.

>>> CPT(3, 8, cycles=2).bits([0, 24, 49, 50, 99], total=100).tolist()
[3, 5, 8, 3, 8]
"""

from cpt_model.schedules.base import Schedule, ScheduleError, Static, as_schedule
from cpt_model.schedules.compose import Deficit, LateStart, Sequence
from cpt_model.schedules.cyclic import CPT, CosineAnnealing, Cyclic
from cpt_model.schedules.names import NAMES, named
from cpt_model.schedules.progressive import Progressive
from cpt_model.schedules.scheduler import PrecisionScheduler
from host.compiler.bits import Bits

__all__ = [
    "CPT",
    "NAMES",
    "Bits",
    "CosineAnnealing",
    "Cyclic",
    "Deficit",
    "LateStart",
    "PrecisionScheduler",
    "Progressive",
    "Schedule",
    "ScheduleError",
    "Sequence",
    "Static",
    "as_schedule",
    "named",
]
