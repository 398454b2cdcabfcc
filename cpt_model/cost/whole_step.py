"""Hours of whole training steps in integers (`cpt train --step integer`): products, and everything between them.

The host's share (the classifier, data) is not in them.
"""

from __future__ import annotations

from functools import lru_cache

from cpt_model.cost.accelerator import Profile
from cpt_model.cost.run import Run
from host.compiler.step.networks import named
from host.compiler.step.widths import check_step_bits
from host.measure.step_time import Work, iteration_time


def step_hours(arch: str, run: Run, profile: Profile) -> dict[Work, float]:
    """Of the run, by kind of work; a network, widths or a build that whole steps cannot have are refused."""
    network, hours = named(arch), dict.fromkeys(Work, 0.0)
    for bits in run.widths():
        check_step_bits(bits)
    for bits, iterations in run.widths().items():
        times = _iteration(network, run.batch, bits, profile.build, profile.memory)
        for work, time in times.items():
            hours[work] += time.cycles * iterations / (profile.clock_mhz * 3600e6)
    return hours


_iteration = lru_cache(maxsize=256)(iteration_time)  # runs share most of their widths
