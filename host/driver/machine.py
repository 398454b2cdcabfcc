"""A region and what runs lists on it: an executor on plain memory, or a device with its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from host.compiler.command_list import CommandList
from host.compiler.plan import Plan
from host.driver.errors import ExecutionError
from sim.contract import Build, Executor, Memory, Tensor, pack_planes

if TYPE_CHECKING:  # pynq takes a second to import: those who bring an executor do not wait for it
    from host.driver.accelerator import Accelerator


Work = Callable[[], object]


class Machine(Protocol):
    """What a program needs to run lists. What the host wrote it must say, and what it is about to read."""

    build: Build

    @property
    def memory(self) -> Memory: ...
    def pack(self, place: Tensor, codes: npt.NDArray[np.integer], signed: bool) -> Any: ...
    def write_packed(self, place: Tensor, packed: Any) -> None: ...
    def wrote(self, start: int, end: int) -> None: ...
    def reads(self, start: int, end: int) -> None: ...
    def run(self, commands: CommandList, what: str, meanwhile: Work | None = None) -> None:
        """`meanwhile` is what the host does while the list runs; it touches nothing that the list uses."""

    def close(self) -> None: ...


class Planes:
    """Codes as bit planes. What is slow is `pack`, which touches nothing: it may run while a list does."""

    def pack(self, place: Tensor, codes: npt.NDArray[np.integer], signed: bool) -> Any:
        """Of (n, c, h, w)."""
        return pack_planes(codes, place.tile[1], signed)

    def write_packed(self: Machine, place: Tensor, packed: Any) -> None:
        place.write(self.memory, packed)
        self.wrote(place.address, place.end)


class ExecutorMachine(Planes):
    """An executor of the contract; nothing is between it and the host's memory."""

    def __init__(self, executor: Executor, plan: Plan) -> None:
        self.build, self._executor = executor.build, executor
        self.memory: Memory = np.zeros(plan.bytes, dtype=np.uint8)

    def wrote(self, start: int, end: int) -> None:
        pass

    def reads(self, start: int, end: int) -> None:
        pass

    def run(self, commands: CommandList, what: str, meanwhile: Work | None = None) -> None:
        if meanwhile is not None:
            meanwhile()
        outcome = self._executor.run(self.memory, commands.offset, commands.bytes)
        if outcome.error:
            command = commands.commands[outcome.error_index]
            raise ExecutionError(f"{what}: {outcome.error.name} at command {outcome.error_index}: {command}")

    def close(self) -> None:
        pass


class DeviceMachine(Planes):
    """An opened device: a region of its memory, with a cache in between."""

    def __init__(self, accelerator: Accelerator, plan: Plan) -> None:
        self.build, self._accelerator = accelerator.build, accelerator
        self._region = accelerator.allocate(plan)
        self.memory[:] = 0
        self.wrote(0, plan.bytes)

    @property
    def memory(self) -> Memory:
        return self._region.memory

    def wrote(self, start: int, end: int) -> None:
        self._region.flush(start, end - start)

    def reads(self, start: int, end: int) -> None:
        self._region.invalidate(start, end - start)

    def run(self, commands: CommandList, what: str, meanwhile: Work | None = None) -> None:
        self._accelerator.start(self._region, commands)
        if meanwhile is not None:
            meanwhile()
        self._accelerator.finish(what)

    def close(self) -> None:
        self._region.free()


class MachineMaker(Protocol):
    """What brings a machine of its own."""

    build: Build

    def machine(self, plan: Plan) -> Machine: ...


def machine(device: Accelerator | Executor | MachineMaker, plan: Plan) -> Machine:
    """The planned region on a device, or on an executor."""
    if hasattr(device, "machine"):
        return device.machine(plan)
    if hasattr(device, "allocate"):
        return DeviceMachine(cast("Accelerator", device), plan)
    return ExecutorMachine(device, plan)
