"""Precision schedules, which are `host.schedules`', and the object that a training loop steps.

>>> CPT(3, 8, cycles=2).bits([0, 24, 49, 50, 99], total=100).tolist()
[3, 5, 8, 3, 8]
"""

from cpt_model.schedules.closed_loop_scheduler import ClosedLoopScheduler
from cpt_model.schedules.scheduler import PrecisionScheduler
from host.compiler.bits import Bits
from host.schedules import (
    CPT,
    NAMES,
    PFQ,
    ClosedLoop,
    CosineAnnealing,
    Cyclic,
    Deficit,
    LateStart,
    MuPPET,
    Progressive,
    Schedule,
    ScheduleError,
    Sequence,
    Static,
    as_schedule,
    named,
)

__all__ = [
    "CPT",
    "NAMES",
    "PFQ",
    "Bits",
    "ClosedLoop",
    "ClosedLoopScheduler",
    "CosineAnnealing",
    "Cyclic",
    "Deficit",
    "LateStart",
    "MuPPET",
    "PrecisionScheduler",
    "Progressive",
    "Schedule",
    "ScheduleError",
    "Sequence",
    "Static",
    "as_schedule",
    "named",
]
