"""The handle a program holds: an overlay with one accelerator, opened, checked, and closed whatever happens.

On the board `Accelerator.open("cpt.bit")`; anywhere `host.open_device("reference")` (or "hls", "rtl"), which is
the same code on a simulated pynq device.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import reduce
from types import TracebackType
from typing import Any

from host.compiler.command_list import CommandList
from host.compiler.plan import Plan
from host.driver.claim import Claim
from host.driver.contiguous import ContiguousMemory, amount
from host.driver.core import Core
from host.driver.errors import DeviceError, ExecutionError, OverlayError, VersionError
from host.driver.outcome import ListOutcome
from host.driver.region import Region
from sim.contract import (
    BUILDS,
    NO_COMMAND,
    OVERLAY_VLNV,
    VERSION_MAGIC,
    VERSION_MAJOR,
    VERSION_MINOR,
    Build,
    Error,
    Register,
)

OPENING_SECONDS = 60.0  # for the empty list that fills the capability registers
LIST_SECONDS = 60.0


def to_stderr(line: str) -> None:
    print(line, file=sys.stderr)


class Accelerator:
    """An opened device. Use it in a `with` block: on every way out the device is stopped and its memory freed.

    Args:
        overlay: a loaded `pynq.Overlay` with one accelerator.
        expect: the build it must be; any by default.
        seconds: how long a list may take, unless a call gives its own limit.
        log: takes a line for each region, before it is allocated; standard error by default.
        claim: the device's, if the caller has it already.
    """

    def __init__(
        self,
        overlay: Any,
        expect: Build | None = None,
        seconds: float = LIST_SECONDS,
        log: Callable[[str], None] = to_stderr,
        claim: Claim | None = None,
    ) -> None:
        self._closing = ExitStack()
        self._regions: list[Region] = []
        self._current: Region | None = None
        self.overlay = overlay
        self.device = overlay.device
        self.seconds = seconds
        self.log = log
        try:
            self._closing.callback((claim or Claim(str(self.device.tag))).release)
            self.core = find_core(overlay)
            self._closing.callback(self._stop)
            self.version, self.build = self._identify(expect)
            self.features = self.core.read(Register.FEATURES)
            self._pool = ContiguousMemory(overlay)
        except BaseException:
            self._closing.close()
            raise

    @classmethod
    def open(
        cls,
        bitfile: str,
        device: Any = None,
        expect: Build | None = None,
        seconds: float = LIST_SECONDS,
        log: Callable[[str], None] = to_stderr,
    ) -> Accelerator:
        """Loads an overlay and opens the accelerator in it; on the board's own device if none is given."""
        from host.driver import pynq_core  # noqa: F401 (pynq finds it there; it takes a second to import)
        from sim.devices.pynq_api import Device, Overlay

        if device is None:
            device = board_device()
        Device.active_device = device  # where pynq looks for interrupts
        claim = Claim(str(device.tag))  # before the bitstream is replaced under another process
        try:
            overlay = Overlay(str(bitfile), device=device)
        except BaseException as problem:
            claim.release()
            if not isinstance(problem, Exception):
                raise
            raise OverlayError(  # pynq raises many kinds of exceptions here
                f"{bitfile}: {type(problem).__name__}: {problem}; build it with 'make -C vivado bitstream' and copy the"
                " .bit and .hwh files"
            ) from problem
        return cls(overlay, expect, seconds, log, claim)

    @property
    def simulates(self) -> str | None:
        """The executor behind a simulated device; None on real hardware."""
        name: str | None = getattr(self.device, "simulates", None)
        return name

    def on_close(self, call: Callable[[], object]) -> None:
        """Registers a call for when the device is closed, after everything else."""
        last = ExitStack()
        last.callback(call)
        last.push(self._closing.pop_all())
        self._closing = last

    def free_bytes(self) -> int | None:
        """Free contiguous memory; None where it is unknown."""
        return self._pool.free_bytes()

    def allocate(self, plan: Plan) -> Region:
        """The planned region, in one piece; what it needs and what is free is logged first."""
        self._require_open()
        self.log(f"region: needs {plan.bytes:,} bytes in one piece, {amount(self._pool.free_bytes())} free")
        region = Region(self._pool.take(max(plan.bytes, 64)), self)
        self._regions.append(region)
        return region

    def start(self, region: Region, commands: CommandList) -> None:
        """Starts a list that was uploaded to the region, and returns at once."""
        self._require_open()
        if self._current is not region:
            self.core.choose_region(region.address, region.bytes)
            self._current = region
        self.core.start(commands.offset, commands.bytes)

    def finish(self, what: str = "list", seconds: float | None = None) -> ListOutcome:
        """Waits for the started list. Errors, timeouts and Ctrl-C stop the device; the next list then runs again."""
        try:
            outcome = self.core.wait(self.seconds if seconds is None else seconds)
        except DeviceError as problem:
            self._stop()
            raise type(problem)(f"{what}: {problem}; the device was reset and can be used again") from problem
        except BaseException:
            self._stop()
            raise
        if outcome.error:
            place = "" if outcome.error_index == NO_COMMAND else f" at command {outcome.error_index}"
            raise ExecutionError(
                f"{what}: {outcome.error.name}{place} of the list, {outcome.commands_done} completed before it"
                f" ({advice(outcome.error)})"
            )
        return outcome

    def run(
        self, region: Region, commands: CommandList, what: str = "list", seconds: float | None = None
    ) -> ListOutcome:
        """Starts a list and waits for its end."""
        self.start(region, commands)
        return self.finish(what, seconds)

    def leave(self, region: Region) -> None:
        """A region is about to be freed: nothing may run on it."""
        if self._current is region:
            if self.core.running:
                self._stop()
            self._current = None
        if region in self._regions:
            self._regions.remove(region)

    def close(self) -> None:
        """Stops the device, frees its memory and lets others have it. Closing twice is harmless."""
        self._closed = True
        try:
            for region in list(self._regions):
                region.free()
        finally:
            self._closing.close()

    _closed = False

    def __enter__(self) -> Accelerator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _require_open(self) -> None:
        if self._closed:
            raise DeviceError("this device was closed: open it again")

    def _stop(self) -> None:
        self._current = None
        self.core.reset()

    def _identify(self, expect: Build | None) -> tuple[tuple[int, int], Build]:
        """Version and build, from the registers that an empty list fills."""
        core = self.core
        core.reset()
        core.choose_region(0, 0)
        core.start(0, 0)
        try:
            core.wait(OPENING_SECONDS)
        except DeviceError as problem:
            raise type(problem)(f"opening '{self.device.tag}': {problem}; is the overlay the right one?") from problem
        magic, version = core.read(Register.MAGIC), core.read(Register.VERSION)
        major, minor = version >> 16, version & 0xFFFF
        if magic != VERSION_MAGIC:
            raise OverlayError(
                f"what answers on '{self.device.tag}' is not this accelerator: MAGIC reads {magic:#010x}, expected"
                f" {VERSION_MAGIC:#010x}; load the overlay again, or build it with 'make -C vivado bitstream'"
            )
        if major != VERSION_MAJOR:
            raise VersionError(
                f"the accelerator has contract version {major}.{minor}, this driver knows {VERSION_MAJOR}."
                f"{VERSION_MINOR}: build the overlay from the driver's sources, or use the overlay's driver"
            )
        found = {name: core.read(Register[name.upper()]) for name in next(iter(BUILDS.values()))}
        name = next((name for name, values in BUILDS.items() if values == found), "custom")
        wanted = found if expect is None else expect.parameters()
        different = [f"{key} = {found[key]}, not {value}" for key, value in wanted.items() if found[key] != value]
        if expect is not None and different:
            raise VersionError(
                f"the accelerator is build '{name}', not '{expect.name}' ({'; '.join(different)}): load its overlay"
            )
        return (major, minor), Build(name=name, **found)


def find_core(overlay: Any) -> Core:
    """The accelerator in an overlay, by its type."""
    names = [name for name, entry in overlay.ip_dict.items() if entry.get("type") == OVERLAY_VLNV]
    if len(names) != 1:
        there = ", ".join(f"{name} ({entry.get('type')})" for name, entry in overlay.ip_dict.items()) or "nothing"
        raise OverlayError(
            f"{overlay.bitfile_name} has {len(names) or 'no'} IP of type {OVERLAY_VLNV}, expected one; it has: {there}"
        )
    core: Core = reduce(getattr, names[0].split("/"), overlay).core
    return core


def board_device() -> Any:
    """The first device that is not simulated."""
    from sim.devices.pynq_api import Device

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the error below says that there is no device
        devices = [device for device in Device.devices if getattr(device, "simulates", None) is None]
    if not devices:
        raise DeviceError(
            "no PYNQ device on this machine: run this on the board as root (with XRT set up), or use a simulated"
            " device: reference, hls or rtl"
        )
    return devices[0]


def advice(error: Error) -> str:
    """What a user can do about a list that ended with this error."""
    if error in (Error.READ_BUS, Error.WRITE_BUS):
        return "the memory refused an access: check the region's address and the memory controller"
    if error == Error.CAPACITY:
        return "compiled for a different build than this device's"
    return "the command in memory is not the one the compiler made: was the region overwritten, or a flush omitted?"
