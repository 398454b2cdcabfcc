"""The one contiguous piece of memory that host and accelerator share, laid out by a plan.

What the host writes is flushed, what it reads is invalidated, here and nowhere else: callers never see a cache.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from host.compiler.command_list import CommandList
from host.compiler.program import Program
from sim.contract import Memory, row_sums

if TYPE_CHECKING:
    from host.driver.accelerator import Accelerator

Codes = npt.NDArray[np.integer]


class Region:
    """A pynq buffer. A context manager: memory is freed at the end of the block."""

    def __init__(self, buffer: Any, owner: Accelerator) -> None:
        self._buffer = buffer
        self._owner = owner
        self.address = int(buffer.device_address)
        self.bytes = int(buffer.nbytes)

    @property
    def memory(self) -> Memory:
        """The host's view, without pynq's type."""
        if self._buffer is None:
            raise ValueError("this region was freed: allocate another")
        return np.asarray(self._buffer).view(np.ndarray)

    def upload(self, program: Program, a: Codes, b: Codes) -> None:
        """Writes the operands of a pass where its commands read them."""
        program.load(self.memory, a, b)
        slots = {part.a for part in program.parts} | {part.b for part in program.parts}
        for slot in slots:
            self.flush(slot.offset, slot.bytes)

    def upload_list(self, commands: CommandList) -> None:
        commands.write(self.memory)
        self.flush(commands.offset, commands.bytes)

    def result(self, program: Program) -> Codes:
        """What the pass left, in PyTorch's shape."""
        for slot in {part.out for part in program.parts}:
            self.invalidate(slot.offset, slot.bytes)
        return program.result(self.memory)

    def row_sums(self, program: Program) -> Codes:
        """Sums of operand A's codes, shaped to broadcast against the result."""
        for part in program.parts:
            tensor = row_sums(part.command)
            if tensor is not None:
                self.invalidate(tensor.address, tensor.end - tensor.address)
        return program.row_sums(self.memory)

    def flush(self, offset: int, size: int) -> None:
        """Writes these bytes back to memory, where the accelerator sees them."""
        self._buffer[offset : offset + size].flush()

    def invalidate(self, offset: int, size: int) -> None:
        """Drops the host's cached copy of these bytes, so that it reads what the accelerator wrote."""
        self._buffer[offset : offset + size].invalidate()

    def free(self) -> None:
        """Frees the memory; an accelerator that is still running on it is stopped first."""
        if self._buffer is not None:
            self._owner.leave(self)
            self._buffer.freebuffer()
            self._buffer = None

    def __enter__(self) -> Region:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.free()
