"""From settings to the precision of every step."""

from __future__ import annotations

from cpt_model.precision_run import Plan
from cpt_model.training.settings import Settings
from host.compiler.bits import Bits
from host.training.precision import backward_schedule, folder_name, forward_schedule, precision_name

__all__ = ["backward_schedule", "folder_name", "forward_schedule", "plan", "precision_name"]


def plan(run: Settings) -> Plan:
    """The schedules of a quantised run.

    >>> plan(Settings(fw_bits=(3, 8))).forward
    CPT(low=3, high=8, cycles=32, growth='cosine', decay='none')
    """
    stated = None if run.eval_bits is None else Bits(run.eval_bits, run.bw_bits[-1])
    return Plan(forward_schedule(run), backward_schedule(run), every=run.every, evaluate_at=stated)
