"""The latency model: cycles of a command on the RTL core, from the contract's structure.

Three streams run beside each other: the array computes, the loader fills the lanes' memories, the store unit writes
results. The slowest of them is the command's body; what cannot overlap (filling before the first window, draining
after the last) comes on top.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.command import Command
from sim.config import Config
from sim.cycles import array_cycles
from sim.tensors import operand_a, operand_b, output, row_sums


@dataclass(frozen=True)
class Memory:
    """What the core reads from and writes to: one bandwidth for both, and the cycles to a read's first beat."""

    bytes_per_cycle: float = 50.0
    latency: int = 60


@dataclass(frozen=True)
class CommandTime:
    """Cycles of one command, and of each of its streams as if it were alone."""

    cycles: float
    compute: float
    load: float
    store: float

    def __add__(self, other: CommandTime) -> CommandTime:
        return CommandTime(*map(sum, zip(self._fields(), other._fields(), strict=True)))

    def __rmul__(self, times: int) -> CommandTime:
        return CommandTime(*(times * value for value in self._fields()))

    def _fields(self) -> tuple[float, float, float, float]:
        return self.cycles, self.compute, self.load, self.store

    @property
    def bottleneck(self) -> str:
        """The stream that rules: compute, load or store.

        >>> CommandTime(cycles=120, compute=100, load=50, store=20).bottleneck
        'compute'
        """
        return max(("compute", "load", "store"), key=lambda stream: float(getattr(self, stream)))


def command_time(command: Command, config: Config, memory: Memory) -> CommandTime:
    """One command that follows another in a list."""
    compute = array_cycles(command, config)
    read = sum(_bytes(tensor) for tensor in (operand_a(command), operand_b(command)))
    written = sum(_bytes(tensor) for tensor in (output(command), row_sums(command)) if tensor is not None)
    load, store = read / memory.bytes_per_cycle, written / memory.bytes_per_cycle
    return CommandTime(max(compute, load + store), compute, load, store)


def _bytes(tensor: object) -> int:
    return tensor.images * tensor.blocks * tensor.tile_bytes  # type: ignore[attr-defined]
