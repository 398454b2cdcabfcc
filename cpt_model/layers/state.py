"""What a prepared layer remembers in addition to its parameters; nothing of it enters the model's `state_dict`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from cpt_model.arithmetic.passes import Watch
from cpt_model.quantisers import Quantiser
from cpt_model.quantisers.running_range import RunningRange
from host.compiler.bits import Bits
from host.compiler.results import Results
from sim.contract.noise import noise


@dataclass
class LayerState:
    """Precision, quantiser, position in the noise stream, ranges of evaluation, and who watches the integers."""

    name: str
    quantiser: Quantiser
    bits: Bits
    seed: int
    gradient_bits: int = 0  # of weight gradients; 0 leaves them in float32
    results: Results = Results.ROUNDED  # what forward and input-error passes store
    draws: int = 0
    ranges: dict[str, RunningRange] = field(default_factory=lambda: defaultdict(RunningRange))
    watch: Watch | None = None

    def next_seed(self) -> int:
        """A seed of stochastic rounding from the layer's own stream: a run repeats, and resumes, bit for bit."""
        self.draws += 1
        return self.seed << 32 | self.draws & 0xFFFFFFFF

    def seeds_for(self, count: int, *operands: Tensor) -> list[int]:
        """As many seeds, for a product that will be differentiated; evaluation without gradients draws none."""
        wanted = torch.is_grad_enabled() and any(each.requires_grad for each in operands)
        return [self.next_seed() for _ in range(count)] if wanted else []

    def check_device(self, *tensors: Tensor) -> None:
        """The kernels, and the proof that sums are exact, are the CPU's."""
        for each in tensors:
            if each.device.type != "cpu":
                raise ValueError(f"layer '{self.name}' is quantised and runs on the CPU only, not on '{each.device}'")

    @contextmanager
    def blamed(self, what: str) -> Iterator[None]:
        """What cannot be quantised is reported with the layer's name and the tensor's."""
        try:
            yield
        except (TypeError, ValueError) as problem:
            kind = TypeError if isinstance(problem, TypeError) else ValueError
            raise kind(f"layer '{self.name}', {what}: {problem}") from problem

    def settings(self) -> dict[str, object]:
        """What a saved state must have been made with."""
        return {
            "quantiser": self.quantiser.name,
            "seed": self.seed,
            "gradient_bits": self.gradient_bits,
            "results": self.results.value,
        }

    def state_dict(self) -> dict[str, object]:
        ranges = {what: seen.state() for what, seen in self.ranges.items()}
        return {**self.settings(), "draws": self.draws, "ranges": ranges}

    def load_state_dict(self, state: dict) -> None:
        """Continues from a state of the same settings."""
        self.draws = state["draws"]
        self.ranges.clear()
        for what, seen in state["ranges"].items():
            self.ranges[what].load(tuple(seen))


def layer_seed(run_seed: int, index: int) -> int:
    """32 bits that differ from layer to layer and from run to run."""
    return int(noise(run_seed, index)[0])
