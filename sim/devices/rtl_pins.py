"""The Verilated core's pins: registers, a modelled DDR, time. `rtl_executor` runs whole lists through them."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from random import Random
from types import TracebackType

import numpy as np

from sim.contract import (
    BOARD_BYTES_PER_CYCLE,
    BOARD_LATENCY_CYCLES,
    COMMAND_BYTES,
    ApCtrl,
    Build,
    Irq,
    Memory,
    Register,
)
from sim.devices.native import check_build
from sim.devices.rtl_library import View, build_folder, load_library
from sim.devices.rtl_sources import RTL_BUILDS

PORTS = ("commands", "loads", "stores")


@dataclass(frozen=True)
class Ddr:
    """How the memory behaves. The defaults are the ZC706's PL SODIMM."""

    bytes_per_cycle: float = BOARD_BYTES_PER_CYCLE  # reads and writes together
    latency: int = BOARD_LATENCY_CYCLES  # cycles to the first beat of a read, and to a write's response
    stall: float = 0.0  # share of cycles in which a channel is held back at random, those of registers included
    read_errors: float = 0.0  # share of beats answered with an error
    write_errors: float = 0.0  # share of bursts
    seed: int = 1
    jitter: int = 0  # at most this many cycles more than `latency`
    fail: tuple[int, int, int] = (0, 0, 0)  # the beat of commands, of loads, the response of stores that is an error
    row_miss: float = 0.0  # cycles lost when a beat lies in a row of 8 KB that is not open in its bank
    turnaround: float = 0.0  # cycles lost between a read and a write

    def __post_init__(self) -> None:
        shares = (self.stall, self.read_errors, self.write_errors)
        counts = (self.latency, self.jitter, *self.fail, self.row_miss, self.turnaround)
        if self.bytes_per_cycle <= 0 or min(counts) < 0 or not all(0 <= share < 1 for share in shares):
            raise ValueError(
                f"{self}: bandwidth must be positive, latency and lost cycles not negative, shares in 0..1"
            )

    @classmethod
    def with_rows(cls) -> Ddr:
        """The SODIMM by its data sheet, at a core's clock of 200 MHz, with a controller that hides no row miss.

        DDR3-1600 has 64 bytes a cycle, of which 6 % go to refresh; closing and opening a row takes 27.5 ns, a turn
        about 15.
        """
        return cls(bytes_per_cycle=60, row_miss=5.5, turnaround=3)

    @classmethod
    def unfriendly(cls, seed: int) -> Ddr:
        """Another memory for every seed: bandwidth, latency, how much it varies, how often channels are held back."""
        draw = Random(seed)
        return cls(
            bytes_per_cycle=draw.choice([4, 8, 8, 16, 50]),
            latency=draw.choice([0, 1, 5, 20, 60]),
            jitter=draw.choice([0, 3, 30, 80]),
            stall=draw.uniform(0.05, 0.5),
            seed=seed,
        )


class _Settings(ctypes.Structure):
    _fields_ = (
        ("bytes_per_cycle", ctypes.c_double),
        ("latency", ctypes.c_uint64),
        ("jitter", ctypes.c_uint64),
        ("stall", ctypes.c_double),
        ("read_errors", ctypes.c_double),
        ("write_errors", ctypes.c_double),
        ("fail", ctypes.c_uint64 * len(PORTS)),
        ("seed", ctypes.c_uint64),
        ("row_miss", ctypes.c_double),
        ("turnaround", ctypes.c_double),
    )

    @classmethod
    def of(cls, ddr: Ddr) -> _Settings:
        fail = (ctypes.c_uint64 * len(PORTS))(*ddr.fail)
        shares = (ddr.stall, ddr.read_errors, ddr.write_errors)
        return cls(ddr.bytes_per_cycle, ddr.latency, ddr.jitter, *shares, fail, ddr.seed, ddr.row_miss, ddr.turnaround)


class Report(ctypes.Structure):
    """What was counted since power-on; `completed` and `broken` as the harness says."""

    cycles: int
    bytes_read: int
    bytes_written: int
    completed: int
    broken: bytes | None
    _fields_ = (
        *((name, ctypes.c_uint64) for name in ("cycles", "bytes_read", "bytes_written", "completed")),
        ("broken", ctypes.c_char_p),
    )


class ProtocolError(RuntimeError):
    """A master of the core broke a rule of AXI, or the core one of its own assertions."""


def wanted_view(synthesised: bool = False) -> View:
    if synthesised:
        return View.SYNTHESISED
    return View.WAVES if os.environ.get("WAVES") == "1" else View.PLAIN


def library_of(build: Build, synthesised: bool = False) -> ctypes.CDLL:
    """The core of a build, compiled if need be; parameters other than the contract's are refused."""
    check_build(build, "the RTL", RTL_BUILDS)
    return load_library(build.name, wanted_view(synthesised))


class RtlPins:
    """One core, from power-on, with random values in its registers; its DDR's seed is the seed of all random choices.

    `synthesised`: with the LUTs, carry chains and multiplexers that a synthesiser gets; dot products are modelled.
    """

    def __init__(self, build: Build, ddr: Ddr | None = None, synthesised: bool = False) -> None:
        self.build = build
        self.ddr = ddr or Ddr()
        self._library = library_of(build, synthesised)
        view = wanted_view(synthesised)
        file = str(build_folder(build.name, view) / "dump.vcd").encode() if view is View.WAVES else None
        self._core = self._library.cpt_rtl_open(ctypes.byref(_Settings.of(self.ddr)), file)
        self._memory: Memory | None = None  # kept alive while the core may reach it
        self._completions = np.zeros((0, 4), dtype=np.uint64)

    def __enter__(self) -> RtlPins:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        core, self._core = self._core, None
        if core is not None:
            self._library.cpt_rtl_close(core)

    def write(self, register: int, value: int) -> None:
        if not self._library.cpt_rtl_write(self._core, register, value & 0xFFFFFFFF):
            raise TimeoutError(f"RTL {self.build.name}: register {register:#x} does not answer a write")

    def read(self, register: int) -> int:
        value = ctypes.c_uint32()
        if not self._library.cpt_rtl_read(self._core, register, ctypes.byref(value)):
            raise TimeoutError(f"RTL {self.build.name}: register {register:#x} does not answer a read")
        return value.value

    def read_all(self) -> list[int]:
        """All registers, by words."""
        return [self.read(offset) for offset in range(0, max(Register) + 4, 4)]

    def place(self, memory: Memory, base: int = 0, ddr: Ddr | None = None) -> None:
        """Puts a memory behind the masters, from this cycle on; it is read and written in place."""
        self.ddr = ddr or self.ddr
        self._memory = memory
        settings = ctypes.byref(_Settings.of(self.ddr))
        self._library.cpt_rtl_memory(self._core, settings, memory.ctypes.data, memory.size, base)

    def start(self, arguments: dict[int, int]) -> None:
        """Enables the interrupt, writes a list's arguments and starts it."""
        self._completions = np.zeros((arguments[Register.LIST_BYTES] // COMMAND_BYTES, 4), dtype=np.uint64)
        for register, value in ((Register.GIER, 1), (Register.IER, 1 << Irq.DONE), *arguments.items()):
            self.write(register, value)
        self.write(Register.AP_CTRL, 1 << ApCtrl.START)

    def step(self, cycles: int) -> None:
        self._library.cpt_rtl_step(self._core, cycles)

    def wait(self, most: int) -> np.ndarray:
        """Waits for the interrupt, at most `most` cycles; returns the counters at the end of each command."""
        place = self._completions
        ended = self._library.cpt_rtl_wait(self._core, most, place.ctypes.data, len(place))
        report = self.report()
        if not ended:
            what = f"the list does not end in {most} cycles; {report.completed} commands were completed"
            raise TimeoutError(f"RTL {self.build.name}: {what}")
        return place[: report.completed]

    def acknowledge(self) -> None:
        """Clears the interrupt, so that the next list can be waited for."""
        self.write(Register.ISR, self.read(Register.ISR))

    def soft_reset(self, most: int) -> int:
        """Stops what runs, at once, and waits until the core is idle; the cycles it took."""
        before = self.report().cycles
        self.write(Register.AP_CTRL, 1 << ApCtrl.SW_RESET)
        while not self.read(Register.AP_CTRL) >> ApCtrl.IDLE & 1:
            if self.report().cycles - before > most:
                raise TimeoutError(f"RTL {self.build.name}: not idle within {most} cycles of a reset")
        return int(self.report().cycles - before)

    def report(self) -> Report:
        """What was counted; raises ProtocolError if a master broke a rule."""
        report = Report()
        self._library.cpt_rtl_report(self._core, ctypes.byref(report))
        if report.broken is not None:
            raise ProtocolError(f"RTL {self.build.name}: {report.broken.decode()}")
        return report
