"""`cpt train` that also writes a line a step and process: both their numbers, and a digest of what all must share."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from cpt_model.training import learner, training
from scripts.cli import main

OWN = ("mean", "variance", "nodes", "seed")  # statistics, ranges and noise of each process


class Recorded(learner.WholeSteps):
    def step(self, *arguments: Any) -> tuple[float, int, int]:
        found = super().step(*arguments)
        state, digest = self.network.integers.state(), hashlib.sha256()
        for name in sorted(state):
            if not name.endswith(OWN):
                digest.update(state[name].tobytes())
        with open(sys.argv[1], "a", encoding="utf-8") as lines:
            lines.write(f"{arguments[-1]} {self.who.rank} {digest.hexdigest()}\n")
        return found


if __name__ == "__main__":
    training.WholeSteps = Recorded  # type: ignore[misc]
    sys.exit(main(sys.argv[2:]))
