"""What an executor reports after a list."""

from __future__ import annotations

from dataclasses import dataclass

from sim.contract.constants import Error


@dataclass(frozen=True)
class Outcome:
    """What the result registers show after a list."""

    error: Error
    error_index: int
    commands_done: int
    cycles: int
