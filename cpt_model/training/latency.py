"""Boards whose hours a run is counted in: by name, or by a profile's file."""

from __future__ import annotations

from dataclasses import replace

from cpt_model.cost import paper_board
from cpt_model.cost.accelerator import AcceleratorBoard, Profile
from cpt_model.cost.profile_file import find_profile
from cpt_model.cost.whole_step import HoursOf, StepBoard
from cpt_model.models import entry
from cpt_model.training.fields import Fields
from host.compiler.layer import LayerError
from host.compiler.results import Results
from host.compiler.step.networks import named

PAPER = "paper"


def board_profile(name: str) -> Profile | None:
    """A profile by name or file; none for the paper's board. Unknown names and malformed files are refused.

    >>> board_profile("paper"), board_profile("zc706").clock_mhz
    (None, 200.0)
    """
    return None if name == PAPER else find_profile(name, also=(PAPER,))


def latency_models(run: Fields, profile: Profile | None) -> list[HoursOf]:
    """What a run's hours may be of, the best first: its whole steps, its matrix passes. A model may refuse its bits.

    >>> [model.of for model in latency_models(Fields(arch="cifar10_resnet_20"), board_profile("zc706"))]
    ['whole training steps', 'matrix passes']
    """
    if profile is None:
        return [paper_board()]
    passes = AcceleratorBoard(as_trained(profile, run.results))
    return [StepBoard(run.arch, profile), passes] if as_whole_steps(run) else [passes]


def as_whole_steps(run: Fields) -> bool:
    """Whether the integer step does what the run trains: its network, all layers at the schedule's bits, rounded."""
    try:
        named(run.arch)
    except LayerError:
        return False
    usual = run.policy in (None, entry(run.arch).policy)
    return usual and not run.layer_bits and run.results is not Results.EXACT


def as_trained(profile: Profile, results: Results) -> Profile:
    """The profile, storing what a run with these results needs: rounded ones as it says, else all bits of the sums."""
    return replace(profile, results=results) if results is Results.EXACT else profile
