"""What differs from iteration to iteration besides the data: seed, momentum, decay, learning rate; the STEP block."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

from host.compiler.step.fixed import RATE_FRACTION, VELOCITY_FRACTION, WEIGHT_FRACTION, scalar_of
from sim.contract import TENSOR_ALIGNMENT, Block, BlockPlace, Memory

RUNNING = 0.1  # the share by which running statistics follow, as PyTorch's batch normalisation has it
KEEP = scalar_of(RUNNING)
HEADER = Struct("<2IQ5I4x2i16x")  # of a STEP block; tested against the contract
assert HEADER.size == TENSOR_ALIGNMENT
FINER = WEIGHT_FRACTION - VELOCITY_FRACTION
# A seed has 64 bits: the run's seed, 16; the iteration, 32; and 16 for the number of the unit, which commands add.
SEED_BITS, SEED_SHIFT, ITERATION_SHIFT = 16, 48, 16


@dataclass(frozen=True)
class Rates:
    """Integers with 24 bits behind the point; those of weights make up for the 3 bits more that weights have.

    >>> Rates.of(0.1, momentum=0.9, weight_decay=1e-4).momentum
    15099494
    """

    seed: int
    momentum: int
    weight_decay: int
    weight_rate: int
    parameter_decay: int
    parameter_rate: int

    @classmethod
    def of(
        cls, lr: float, momentum: float = 0.9, weight_decay: float = 1e-4, seed: int = 0, iteration: int = 0
    ) -> Rates:
        """The nearest integers, ties to even; what does not fit its 32 bits is refused."""
        one = 1 << RATE_FRACTION
        if not 0 <= lr < 1 << 32 - RATE_FRACTION - FINER:
            raise ValueError(f"learning rate {lr} is not in 0..{1 << 32 - RATE_FRACTION - FINER}")
        if not 0 <= momentum <= 1 or not 0 <= weight_decay <= 1:
            raise ValueError(f"momentum {momentum} and weight decay {weight_decay} must be in 0..1")
        if not 0 <= seed < 1 << SEED_BITS:
            raise ValueError(f"seed {seed} is not in 0..{(1 << SEED_BITS) - 1}")
        return cls(
            (seed << SEED_SHIFT) + (iteration << ITERATION_SHIFT) & (1 << 64) - 1,
            momentum=round(momentum * one),
            weight_decay=round(weight_decay * (one >> FINER)),
            weight_rate=round(lr * (one << FINER)),
            parameter_decay=round(weight_decay * one),
            parameter_rate=round(lr * one),
        )

    def write(self, place: BlockPlace, memory: Memory) -> None:
        """The whole block at once: the device waits for it."""
        values = self.seed, self.momentum, self.weight_decay, self.weight_rate, self.parameter_decay
        HEADER.pack_into(memory.data, place.address, int(Block.STEP), 0, *values, self.parameter_rate, *KEEP)
