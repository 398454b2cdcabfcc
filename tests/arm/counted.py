"""What is counted on an emulated ARM: `cpt board train` of ResNet-20, batch 128, on a device whose lists take no time.

The driver is `uio`'s, with plain files for registers and memory, a first look that sees nothing and then an interrupt.
Each change between "a list runs" and "none runs" is a mark (count.c). Two threads would be counted as one mixture: the
images of the next iteration are prepared before a list starts, between marks of their own.
"""

from __future__ import annotations

import os
import socket
import tempfile
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from host.data.images import Images
from host.data.store import write_npz
from host.driver import uio, uio_registers
from host.training import ahead
from host.training import run as training
from host.training.settings import Settings
from sim.contract import OVERLAY_CELL, OVERLAY_CONTROL_BYTES, VERSION_MAGIC, VERSION_MAJOR, Build, Register
from sim.contract.constants import ApCtrl

RUNS, RUNS_NO_MORE, AHEAD, AHEAD_ENDS, STEP = 1, 2, 3, 4, 5
ARCH, BATCH, BITS, STEPS, TIMED = "cifar10_resnet_20", 128, (3, 8), 14, 12
ADDRESS, MEMORY = 0x43C0_0000, 192 << 20
BUILD = Build.named("zc706")
ISR, AP_CTRL = int(Register.ISR), int(Register.AP_CTRL)
START, IDLE = 1 << ApCtrl.START, 1 << ApCtrl.IDLE


def mark(number: int) -> None:
    os.umask(number)


class Registers(uio_registers.MappedRegisters):
    """Those of a core that is done when the driver has gone to sleep."""

    opened: Registers

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        Registers.opened = self
        host, self.line = socket.socketpair()
        self.events, self.started = host.fileno(), False
        self._host = host
        self.line.setblocking(False)
        values = {"MAGIC": VERSION_MAGIC, "VERSION": VERSION_MAJOR << 16, "FEATURES": 1, "AP_CTRL": IDLE}
        for name, value in (values | {key.upper(): value for key, value in BUILD.parameters().items()}).items():
            super().write(Register[name], value)

    def write(self, offset: int, value: int) -> None:
        if offset == ISR:
            value = 0
        elif offset == AP_CTRL:
            self.started, value = value == START, IDLE
        super().write(offset, value)
        if self.started and offset == AP_CTRL:
            mark(RUNS)  # what follows is no work of the host's
            with suppress(BlockingIOError):
                self.line.recv(1 << 16)  # what the driver has written to let interrupts through
            self.line.send(b"\1\0\0\0")


class Sleeper(uio_registers.UioSleeper):
    """Its waking is a mark."""

    def __init__(self, events: int) -> None:
        super().__init__(events)
        self.real, self._poll = self._poll, self  # type: ignore[assignment]

    def poll(self, milliseconds: float) -> Any:
        found = self.real.poll(milliseconds)
        Registers.opened.words[ISR // 4] = 1
        mark(RUNS_NO_MORE)
        return found


class AtOnce:
    """An executor that is done when it returns."""

    def __init__(self, *_: Any) -> None: ...
    def shutdown(self) -> None: ...
    def submit(self, work: Any, *arguments: Any) -> Future[Any]:
        mark(AHEAD)
        done: Future[Any] = Future()
        done.set_result(work(*arguments))
        mark(AHEAD_ENDS)
        return done


def folders(root: Path) -> None:
    """Those of a Linux with UIO and u-dma-buf."""
    files = {
        "sys/class/uio/uio0/name": OVERLAY_CELL,
        "sys/class/uio/uio0/maps/map0/size": hex(OVERLAY_CONTROL_BYTES),
        "sys/class/uio/uio0/maps/map0/addr": hex(ADDRESS),
        "sys/class/u-dma-buf/udmabuf0/size": str(MEMORY),
        "sys/class/u-dma-buf/udmabuf0/phys_addr": "0x18000000",
    }
    files |= {f"sys/class/u-dma-buf/udmabuf0/{name}": "" for name in ("sync_for_cpu", "sync_for_device")}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "dev").mkdir()
    for name, size in (("uio0", OVERLAY_CONTROL_BYTES), ("udmabuf0", MEMORY)):
        with open(root / "dev" / name, "wb") as file:
            file.truncate(size)


def main() -> None:
    ahead.ThreadPoolExecutor = AtOnce  # type: ignore[misc, assignment]
    uio.UioSleeper = Sleeper  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folders(root)
        rng = np.random.default_rng(0)
        images = Images(rng.integers(0, 256, (2560, 32, 32, 3), dtype=np.uint8), rng.integers(0, 10, 2560))
        write_npz(root / "cifar10.npz", images, images)
        values = {"arch": ARCH, "batch": BATCH, "steps": STEPS, "log_every": TIMED}
        values |= {"fw_bits": BITS[:1], "bw_bits": BITS[1:], "test_limit": BATCH}
        settings = Settings.from_dict(values | {"folder": str(root / "run"), "datadir": str(root)})
        with uio.open_uio(BUILD, root=root, mapped=Registers, log=lambda _: None) as accelerator:
            made = training.Run._train

            def train(run: Any) -> None:
                mark(STEP)
                made(run)

            training.Run._train = train  # type: ignore[method-assign, assignment]
            training.train(settings, accelerator, shown=False)
            mark(STEP)


if __name__ == "__main__":
    main()
