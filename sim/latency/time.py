"""What the model takes and what it returns."""

from __future__ import annotations

from dataclasses import dataclass

from sim.contract import BOARD_BYTES_PER_CYCLE, BOARD_LATENCY_CYCLES

# What is left of the SODIMM's 60 bytes a cycle where rows are opened and reads and writes take turns, as the modelled
# DDR of `--rows` has it: passes of a CIFAR ResNet at 3 bits take as long as at 29 to 41, on average at these.
ROWS_BYTES_PER_CYCLE = 36.0


@dataclass(frozen=True)
class Memory:
    """What the core reads from and writes to: one bandwidth for both, and the cycles to a read's first beat."""

    bytes_per_cycle: float = BOARD_BYTES_PER_CYCLE
    latency: int = BOARD_LATENCY_CYCLES

    def __post_init__(self) -> None:
        if not (self.bytes_per_cycle > 0 and self.latency >= 0):
            raise ValueError(
                f"bytes_per_cycle = {self.bytes_per_cycle} must be positive, latency = {self.latency} not negative"
            )


@dataclass(frozen=True)
class CommandTime:
    """Cycles of one command, and what each of its streams would take alone."""

    cycles: float
    compute: float
    load: float
    store: float

    def __add__(self, other: CommandTime) -> CommandTime:
        return CommandTime(*map(sum, zip(self._fields(), other._fields(), strict=True)))

    def __rmul__(self, times: float) -> CommandTime:
        return CommandTime(*(times * value for value in self._fields()))

    def _fields(self) -> tuple[float, float, float, float]:
        return self.cycles, self.compute, self.load, self.store

    @property
    def bottleneck(self) -> str:
        """The stream that limits: compute, or, where the memory does, the larger of load and store.

        >>> CommandTime(cycles=120, compute=100, load=50, store=20).bottleneck
        'compute'
        >>> CommandTime(cycles=120, compute=60, load=50, store=40).bottleneck
        'load'
        """
        if self.compute >= self.load + self.store:
            return "compute"
        return "load" if self.load >= self.store else "store"
