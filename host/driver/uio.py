"""The `uio` device: any Linux, no pynq. The overlay is loaded already (vivado/BRINGUP.md says how).

Registers are a UIO device's, found by its name, or `/dev/mem@ADDRESS`. Memory is a u-dma-buf's, the first there is or
the one that is named, or a region that Linux does not use, `/dev/mem@ADDRESS+BYTES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from host.driver.accelerator import LIST_SECONDS, Accelerator, to_stderr
from host.driver.core import Core
from host.driver.errors import DeviceError
from host.driver.uio_memory import MappedMemory
from host.driver.uio_registers import MappedRegisters, UioSleeper
from sim.contract import OVERLAY_CELL, OVERLAY_CONTROL_BYTES, OVERLAY_VLNV, Build

ROOT = Path("/")
CLASSES = ("u-dma-buf", "udmabuf")  # of the driver since its version 2, and before
BY_ADDRESS = re.compile(r"(/.*)@(0x[0-9a-fA-F]+)(?:\+(0x[0-9a-fA-F]+|\d+))?")


@dataclass(frozen=True)
class Window:
    """What to map: so many bytes of a file, which are at this address of the bus."""

    file: Path
    offset: int
    bytes: int
    address: int
    sync: Path | None = None


class UioDevice:
    """What the driver uses of a pynq device."""

    simulates = None

    def __init__(self, registers: Any, memory: MappedMemory, tag: str) -> None:
        self.registers, self.memory, self.tag = registers, memory, tag

    def allocate(self, shape: tuple[int], dtype: Any) -> Any:
        return self.memory.allocate(shape, np.dtype(dtype))

    def free_bytes(self) -> int:
        return self.memory.free_bytes()

    def close(self) -> None:
        self.registers.close()
        self.memory.close()


def open_uio(
    build: Build | None = None,
    registers: str | None = None,
    memory: str | None = None,
    seconds: float = LIST_SECONDS,
    log: Callable[[str], None] = to_stderr,
    root: Path = ROOT,
    mapped: Callable[[Path, int, int, bool], Any] = MappedRegisters,
) -> Accelerator:
    """The accelerator behind UIO and u-dma-buf, or behind /dev/mem, opened and checked.

    Args:
        build: the one it must be; any by default.
        registers: `/dev/uioN`, or `/dev/mem@ADDRESS`; by default the UIO device named as the core is.
        memory: `/dev/udmabufN`, or `/dev/mem@ADDRESS+BYTES`; by default the first u-dma-buf.
        seconds: how long a list may take.
        log: takes a line before memory is allocated.
        root: where /dev and /sys are.
        mapped: what maps registers.
    """
    where, what = find_registers(registers, root), find_memory(memory, root)
    by_uio = BY_ADDRESS.fullmatch(registers or "") is None
    try:
        bus = mapped(where.file, where.offset, where.bytes, by_uio)
    except OSError as problem:
        raise DeviceError(f"{where.file}: the registers cannot be mapped ({problem.strerror}): {HELP}") from problem
    try:
        found = MappedMemory(what.file, what.offset, what.bytes, what.address, what.sync)
    except OSError as problem:
        bus.close()
        raise DeviceError(f"{what.file}: the memory cannot be mapped ({problem.strerror}): {HELP}") from problem
    device = UioDevice(bus, found, str(where.file))
    core = Core(bus, None if bus.events is None else UioSleeper(bus.events))
    overlay = SimpleNamespace(device=device, bitfile_name=str(where.file), mem_dict={})
    overlay.ip_dict = {OVERLAY_CELL: {"type": OVERLAY_VLNV}}
    setattr(overlay, OVERLAY_CELL, SimpleNamespace(core=core))
    try:
        accelerator = Accelerator(overlay, build, seconds, log)
    except BaseException:
        device.close()
        raise
    accelerator.on_close(device.close)
    return accelerator


HELP = "run this as root on the board; vivado/BRINGUP.md has the device tree's nodes and the modules"


def find_registers(stated: str | None, root: Path) -> Window:
    """A UIO device by its file or by the core's name; or physical addresses."""
    if stated and (found := BY_ADDRESS.fullmatch(stated)):
        address = int(found[2], 16)
        return Window(root / found[1].lstrip("/"), address, OVERLAY_CONTROL_BYTES, address)
    folder = root / "sys/class/uio"
    names = {each.name: _line(each / "name") for each in sorted(folder.glob("uio*"))}
    wanted = Path(stated).name if stated else next((uio for uio, name in names.items() if name == OVERLAY_CELL), None)
    if wanted not in names:
        there = ", ".join(f"{uio} ({name})" for uio, name in names.items()) or "none"
        raise DeviceError(f"no UIO device '{wanted or OVERLAY_CELL}'; there are: {there}: {HELP}")
    first = folder / wanted / "maps/map0"
    size = int(_line(first / "size"), 16)
    if size < OVERLAY_CONTROL_BYTES:
        raise DeviceError(f"{wanted} maps {size} bytes, the core's registers take {OVERLAY_CONTROL_BYTES}")
    return Window(root / "dev" / wanted, 0, size, int(_line(first / "addr"), 16))


def find_memory(stated: str | None, root: Path) -> Window:
    """A u-dma-buf by its file, or the first; or physical addresses that Linux was told to leave alone."""
    if stated and (found := BY_ADDRESS.fullmatch(stated)):
        if found[3] is None:
            raise ValueError(f"--memory '{stated}': write /dev/mem@ADDRESS+BYTES")
        address = int(found[2], 16)
        return Window(root / found[1].lstrip("/"), address, int(found[3], 0), address)
    folders = [each for kind in CLASSES for each in sorted((root / "sys/class" / kind).glob("*"))]
    wanted = Path(stated).name if stated else None
    chosen = next((each for each in folders if wanted in (None, each.name)), None)
    if chosen is None:
        there = ", ".join(each.name for each in folders) or "none"
        raise DeviceError(f"no u-dma-buf device {wanted or ''}; there are: {there}: {HELP}")
    size, address = int(_line(chosen / "size"), 0), int(_line(chosen / "phys_addr"), 16)
    return Window(root / "dev" / chosen.name, 0, size, address, chosen)


def _line(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError as problem:
        raise DeviceError(f"{file} cannot be read ({problem.strerror}): {HELP}") from problem
