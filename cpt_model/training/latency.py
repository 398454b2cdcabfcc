"""Boards whose hours a run is counted in: by name, or by a profile's file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from cpt_model.cost import ModelCount, Run, paper_board
from cpt_model.cost.accelerator import AcceleratorBoard, Profile
from cpt_model.cost.profile_file import find_profile
from host.compiler.results import Results

PAPER = "paper"


class LatencyModel(Protocol):
    """Hours of a whole run of a network on a board."""

    def hours(self, count: ModelCount, run: Run) -> float: ...


def latency_model(name: str, results: Results = Results.ROUNDED) -> Callable[[], LatencyModel]:
    """How a board's model is made; calling it may take a second. Unknown names and malformed files are refused here.

    >>> latency_model("paper") is paper_board
    True
    >>> latency_model("zc706")().profile.clock_mhz
    200.0
    """
    if name == PAPER:
        return paper_board
    profile = as_trained(find_profile(name, also=(PAPER,)), results)
    return lambda: AcceleratorBoard(profile)


def as_trained(profile: Profile, results: Results) -> Profile:
    """The profile, storing what a run with these results needs: rounded ones as it says, else all bits of the sums."""
    return replace(profile, results=results) if results is Results.EXACT else profile
