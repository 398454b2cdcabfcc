"""What a prepared layer remembers in addition to its parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from cpt_model.arithmetic.passes import Watch
from cpt_model.quantisers import Quantiser
from cpt_model.quantisers.running_range import RunningRange
from host.compiler.bits import Bits
from host.compiler.layer import Conv
from host.compiler.results import Results
from sim.contract.noise import noise


class StandIn(Protocol):
    """Products in place of a layer's own, while it is exported."""

    def convolve(self, x: Tensor, weights: Tensor, layer: Conv, what: str) -> Tensor: ...

    def multiply(self, rows: Tensor, weights: Tensor, what: str) -> Tensor: ...

    def matmul(self, a: Tensor, b: Tensor, what: str) -> Tensor: ...


NO_TRACE = (
    "quantised layers cannot be traced or exported (torch.jit, ONNX, torch.export): use export_qonnx, or "
    "unprepare(model) first"
)

WITHOUT = {"meta": "values", "mps": "float64"}


@dataclass
class LayerState:
    """Precision, quantiser, position in the noise stream, ranges of evaluation, and who watches the integers."""

    name: str
    quantiser: Quantiser
    bits: Bits
    seed: int
    fixed: bool = False  # its bits are its own, not the schedule's
    gradient_bits: int = 0  # of weight gradients; 0 leaves them in float32
    results: Results = Results.ROUNDED  # what forward and input-error passes store
    draws: int = 0
    ranges: dict[str, RunningRange] = field(default_factory=dict)  # in the layer's buffers
    watch: Watch | None = None
    stand_in: StandIn | None = None
    drew: bool = False  # whether the last forward pass took seeds
    trained_at: Bits | None = None  # bits of the last forward pass of training

    def next_seed(self) -> int:
        """A seed of stochastic rounding from the layer's own stream: a run repeats, and resumes, bit for bit."""
        self.draws += 1
        return self.seed << 32 | self.draws & 0xFFFFFFFF

    def seeds_for(self, count: int, *operands: Tensor) -> list[int]:
        """As many seeds, for a product that will be differentiated; evaluation without gradients draws none.

        Recomputed for activation checkpointing, a product keeps the seeds of the pass that is recomputed, if it drew.
        """
        wanted = torch.is_grad_enabled() and any(each.requires_grad for each in operands)
        if recomputing():
            if wanted and self.drew:
                return [0] * count  # of a graph without a backward pass
        else:
            self.drew = wanted
        return [self.next_seed() for _ in range(count)] if wanted else []

    def range_of(self, what: str) -> RunningRange:
        """What evaluation knows of an activation; a recomputed pass has been observed before."""
        seen = self.ranges.get(what) or RunningRange()
        return seen.copied() if recomputing() else seen

    def begin_pass(self, training: bool) -> None:
        """Refuses a recomputed pass at other bits than those of the pass it stands for."""
        if not training:
            return
        if not recomputing():
            self.trained_at = self.bits
        elif self.trained_at is not None:
            self.check_recomputed(self.trained_at, self.bits)

    def check_recomputed(self, before: Bits, now: Bits) -> None:
        if before != now:
            raise RuntimeError(
                f"layer '{self.name}' ran at {before} bits and is recomputed at {now} (activation checkpointing): "
                "change the precision after backward(), not before"
            )

    def check(self, *tensors: Tensor) -> None:
        """No tracer sees the products; they need values, and float64 for their sums."""
        if self.stand_in is None and (torch.jit.is_tracing() or torch.compiler.is_exporting()):
            raise RuntimeError(f"layer '{self.name}': {NO_TRACE}")
        for each in tensors:
            if each.device.type in WITHOUT:
                what = WITHOUT[each.device.type]
                raise ValueError(
                    f"layer '{self.name}' is quantised and cannot run on '{each.device}', which has no {what}"
                )

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
        return {**self.settings(), "draws": self.draws}

    def load_state_dict(self, state: dict) -> None:
        """Continues from a state of the same settings; of an old one, which has them, with its ranges."""
        self.draws = state["draws"]
        for what, (low, high, batches) in state.get("ranges", {}).items():
            if what in self.ranges:
                self.ranges[what].load(low, high, batches)


def recomputing() -> bool:
    """Whether a forward pass is run from within a backward pass: activation checkpointing does that."""
    return torch._C._current_graph_task_id() != -1


def layer_seed(run_seed: int, index: int) -> int:
    """32 bits that differ from layer to layer and from run to run."""
    return int(noise(run_seed, index)[0])
