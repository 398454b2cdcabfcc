"""Boards whose hours a run is counted in, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cpt_model.cost import ModelCount, Run, paper_board


class LatencyModel(Protocol):
    """Hours of a whole run of a network on a board."""

    def hours(self, count: ModelCount, run: Run) -> float: ...


LATENCY_MODELS: dict[str, Callable[[], LatencyModel]] = {"paper": paper_board}


def latency_model(name: str) -> Callable[[], LatencyModel]:
    """How a board's model is made; calling it may take a second.

    >>> latency_model("paper") is paper_board
    True
    """
    if name not in LATENCY_MODELS:
        raise ValueError(f"no latency model '{name}'; there are: {', '.join(LATENCY_MODELS)}")
    return LATENCY_MODELS[name]
