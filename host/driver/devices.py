"""Devices by name, opened through one driver: `pynq` and `uio` are the board, the others are simulated pynq devices.

>>> with open_device("reference", Build.named("tiny"), log=print) as accelerator:
...     accelerator.build.lanes, accelerator.simulates
(16, 'reference')
"""

from __future__ import annotations

from collections.abc import Callable

from host.driver.accelerator import Accelerator, to_stderr
from sim.contract import OVERLAY_NAME, Build, Executor
from sim.devices import EXECUTORS, open_executor

BOARD, PLAIN_LINUX = "pynq", "uio"
DEVICES = (*EXECUTORS, BOARD, PLAIN_LINUX)
BITFILE = f"{OVERLAY_NAME}.bit"
BOARD_SECONDS = 60.0
SIMULATION_SECONDS = 4 * 3600.0  # the Verilated core takes minutes for a list of a large layer


def open_device(
    name: str,
    build: Build | str | None = None,
    bitfile: str = BITFILE,
    seconds: float | None = None,
    log: Callable[[str], None] = to_stderr,
    registers: str | None = None,
    memory: str | None = None,
) -> Accelerator:
    """The device of this name, opened and checked.

    Args:
        name: one of DEVICES.
        build: the build to simulate (zc706 by default), or the one the board must have (any by default); or its name.
        bitfile: the board's overlay; its .hwh must be next to it.
        seconds: how long a list may take.
        log: takes a line before memory is allocated.
        registers: of `uio`, where they are mapped from (host/driver/uio.py).
        memory: of `uio`, likewise.
    """
    if build is not None and not isinstance(build, Build):
        build = Build.named(build)
    if name == BOARD:
        return Accelerator.open(bitfile, None, build, BOARD_SECONDS if seconds is None else seconds, log)
    if name == PLAIN_LINUX:
        from host.driver.uio import open_uio

        return open_uio(build, registers, memory, BOARD_SECONDS if seconds is None else seconds, log)
    if name not in DEVICES:
        raise ValueError(f"unknown device '{name}'; there are: {', '.join(DEVICES)}")
    return open_simulated(open_executor(name, build or Build.named("zc706")), name, seconds, log)


def open_simulated(
    executor: Executor, name: str, seconds: float | None = None, log: Callable[[str], None] = to_stderr
) -> Accelerator:
    """The driver on a simulated device around any executor."""
    from sim.devices.pynq_device import SimulatedDevice

    device = SimulatedDevice(executor, name)
    try:
        limit = SIMULATION_SECONDS if seconds is None else seconds
        accelerator = Accelerator.open(device.bitfile, device, executor.build, limit, log)
    except BaseException:
        device.release()
        raise
    accelerator.on_close(device.release)
    return accelerator
