"""The RTL core as an executor: Verilated into a shared library with a modelled DDR, called through ctypes.

WAVES=1 in the environment writes a waveform, `out/rtl/CONFIG-waves/dump.vcd`.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from sim.bench.verilator import verilator_environment
from sim.config import Config
from sim.contract import COMMAND_BYTES, CONFIGS, Error, Irq, Register
from sim.counters import NOTHING, Counters
from sim.reference import Outcome
from sim.rtl_sources import RTL, rtl_sources
from sim.tensors import Memory

ROOT = RTL.parents[1]
HARNESS = ROOT / "vivado" / "harness"
BUILDS = tuple(CONFIGS)  # a build's place is its number in parameter `Build` of cpt_kernel
OPTIMISE = "-O2 -march=native"
# Statements in a file and in a function: the compiler's time grows faster than their size.
SPLIT = ("--output-split", "10000", "--output-split-cfuncs", "2000", "--output-groups", "0")
BUILD_SECONDS = 3600
WATCHDOG = 2_000_000_000  # cycles


@dataclass(frozen=True)
class Ddr:
    """How the memory behaves. The defaults are the ZC706's PL SODIMM at 200 MHz: 10 GB/s, 300 ns."""

    bytes_per_cycle: float = 50.0  # reads and writes together
    latency: int = 60  # cycles to the first beat of a read, and to a write's response
    stall: float = 0.0  # share of cycles in which a channel is held back at random
    read_errors: float = 0.0  # share of beats answered with an error
    write_errors: float = 0.0  # share of bursts
    seed: int = 1

    def __post_init__(self) -> None:
        shares = (self.stall, self.read_errors, self.write_errors)
        if self.bytes_per_cycle <= 0 or self.latency < 0 or not all(0 <= share < 1 for share in shares):
            raise ValueError(f"{self}: bandwidth must be positive, latency not negative, shares in 0..1")


class _Settings(ctypes.Structure):
    _fields_ = (
        ("bytes_per_cycle", ctypes.c_double),
        ("latency", ctypes.c_uint64),
        ("stall", ctypes.c_double),
        ("read_errors", ctypes.c_double),
        ("write_errors", ctypes.c_double),
        ("seed", ctypes.c_uint64),
    )


class _Report(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("cycles", "bytes_read", "bytes_written", "completed"))


class RtlKernel:
    """Executes command lists on the Verilated core; interchangeable with `sim.reference.Reference`.

    After `run`: `counters` of the list, `commands` with each command's own share, `bytes_read` and `bytes_written` on
    the bus, `simulated` cycles.
    """

    def __init__(self, config: Config, ddr: Ddr | None = None, watchdog: int = WATCHDOG) -> None:
        if CONFIGS.get(config.name) != config.parameters():
            raise ValueError(f"the RTL is built for {', '.join(CONFIGS)}, not for other parameters")
        self.config = config
        self.ddr = ddr or Ddr()
        self.watchdog = watchdog
        self.waves = os.environ.get("WAVES") == "1"
        self._library = load_library(config.name, self.waves)
        self._registers = np.zeros(max(Register) // 4 + 1, dtype=np.uint32)
        self.counters = NOTHING
        self.commands: list[Counters] = []
        self.bytes_read = self.bytes_written = self.simulated = 0

    def register(self, offset: int) -> int:
        """A register after the last list, by its byte offset."""
        return int(self._registers[offset // 4])

    def run(
        self,
        memory: Memory,
        list_offset: int,
        list_bytes: int,
        mem_base: int = 0,
        mem_bytes: int | None = None,
    ) -> Outcome:
        """Runs a list, as `sim.executor.Executor` says, from power-on; an endless list raises TimeoutError."""
        usable = memory.flags.c_contiguous and memory.flags.writeable and memory.dtype == np.uint8
        region = memory if usable else np.ascontiguousarray(memory, dtype=np.uint8).copy()
        arguments = np.array(
            [
                (Register.GIER, 1),
                (Register.IER, 1 << Irq.DONE),
                (Register.MEM_BASE, mem_base & 0xFFFFFFFF),
                (Register.MEM_BASE + 4, mem_base >> 32),
                (Register.MEM_BYTES, memory.size if mem_bytes is None else mem_bytes),
                (Register.LIST_OFFSET, list_offset),
                (Register.LIST_BYTES, list_bytes),
            ],
            dtype=np.uint32,
        )
        completions = np.zeros((list_bytes // COMMAND_BYTES, 4), dtype=np.uint64)
        report = _Report()
        failed = self._library.cpt_rtl_run(
            ctypes.byref(self._settings()),
            region.ctypes.data,
            region.size,
            mem_base,
            arguments.ctypes.data,
            len(arguments),
            self._registers.ctypes.data,
            len(self._registers),
            self.watchdog,
            str(build_folder(self.config.name, True) / "dump.vcd").encode() if self.waves else None,
            completions.ctypes.data,
            len(completions),
            ctypes.byref(report),
        )
        if failed:
            what = "a register does not answer" if failed == 1 else f"the list does not end in {self.watchdog} cycles"
            raise TimeoutError(f"RTL {self.config.name}: {what}; {report.completed} commands were completed")
        if region is not memory:
            memory[...] = region
        self.bytes_read, self.bytes_written, self.simulated = report.bytes_read, report.bytes_written, report.cycles
        self._keep_counters(completions[: report.completed])
        return Outcome(
            Error(self.register(Register.STATUS)),
            self.register(Register.ERROR_INDEX),
            self.register(Register.COMMANDS_DONE),
            self.counters.total,
        )

    def _settings(self) -> _Settings:
        ddr = self.ddr
        return _Settings(ddr.bytes_per_cycle, ddr.latency, ddr.stall, ddr.read_errors, ddr.write_errors, ddr.seed)

    def _keep_counters(self, completions: np.ndarray) -> None:
        offsets = (Register.CYCLES_TOTAL, Register.CYCLES_BUSY, Register.CYCLES_LOAD_STALL, Register.CYCLES_STORE_STALL)
        self.counters = Counters(*(self.register(offset) | self.register(offset + 4) << 32 for offset in offsets))
        ends = [NOTHING, *(Counters(*(int(count) for count in row)) for row in completions)]
        self.commands = [later - earlier for earlier, later in pairwise(ends)]


def build_folder(name: str, waves: bool) -> Path:
    return ROOT / "out" / "rtl" / (f"{name}-waves" if waves else name)


@lru_cache
def load_library(name: str, waves: bool) -> ctypes.CDLL:
    library = ctypes.CDLL(str(build_library(name, waves)))
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    library.cpt_rtl_run.argtypes = (
        *(pointer, pointer, number, number, pointer, number, pointer, number),
        *(number, ctypes.c_char_p, pointer, number, pointer),
    )
    library.cpt_rtl_run.restype = ctypes.c_int
    return library


def build_library(name: str, waves: bool = False) -> Path:
    """The shared library of a build, up to date; one process at a time builds in a folder."""
    for tool in ("g++", "make"):
        if shutil.which(tool) is None:
            raise OSError(f"the RTL is compiled on this machine, and {tool} is missing: apt-get install {tool}")
    folder = build_folder(name, waves)
    folder.mkdir(parents=True, exist_ok=True)
    library, stamp = folder / "libcpt_rtl.so", folder / "sources.sha256"
    commands = build_commands(name, folder, waves)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        digest = sources_digest(commands)
        if not library.exists() or not stamp.exists() or stamp.read_text() != digest:
            print(f"compiling the RTL core, {name} build, once (minutes)", file=sys.stderr, flush=True)
            stamp.unlink(missing_ok=True)
            for command in commands:
                run_tool(command, folder)
            stamp.write_text(digest)
    return library


def build_commands(name: str, folder: Path, waves: bool) -> list[list[str]]:
    """Verilate and compile the core, then link it with the harness."""
    include = Path(verilator_environment()["VERILATOR_ROOT"]) / "include"
    bus = CONFIGS[name]["bus_bytes"]
    flags = ["-fPIC", "-std=c++17"]
    trace = ["--trace-vcd"] if waves else []
    verilate = [
        *("verilator", "--cc", "--build", "-j", "1", "-O3", "--x-assign", "fast", "--x-initial", "fast", *SPLIT),
        *("--noassert", "-Wall", "-Wno-SYMRSVDWORD", f"-GBuild={BUILDS.index(name)}", *trace),
        *("--top-module", "cpt_kernel", "--prefix", "Vcpt_kernel", "-Mdir", str(folder / "verilated")),
        *("-CFLAGS", " ".join(flags), "-MAKEFLAGS", f"OPT_FAST='{OPTIMISE}' OPT_SLOW=-O0"),
        *map(str, rtl_sources()),
    ]
    link = [
        *(
            "g++",
            "-shared",
            "-pthread",
            *OPTIMISE.split(),
            *flags,
            f"-DBUS_BYTES={bus}u",
            f"-DVM_TRACE_VCD={int(waves)}",
        ),
        *("-DVM_TRACE=" + str(int(waves)), "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE_FST=0"),
        *(
            f"-I{folder / 'verilated'}",
            f"-I{HARNESS}",
            "-isystem",
            str(include),
            "-isystem",
            str(include / "vltstd"),
            str(HARNESS / "harness.cpp"),
        ),
        *("-Wl,--whole-archive", str(folder / "verilated" / "libVcpt_kernel.a")),
        *(str(folder / "verilated" / "libverilated.a"), "-Wl,--no-whole-archive"),
        *("-o", str(folder / "libcpt_rtl.so")),
    ]
    return [verilate, link]


def main() -> None:
    for name in CONFIGS:
        print(build_library(name).relative_to(ROOT))


def sources_digest(commands: list[list[str]]) -> str:
    digest = hashlib.sha256(repr(commands).encode())
    for path in [*rtl_sources(), *sorted(HARNESS.iterdir())]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def run_tool(command: list[str], folder: Path) -> None:
    try:
        made = subprocess.run(
            command, env=verilator_environment(), capture_output=True, text=True, check=False, timeout=BUILD_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"'{command[0]}' did not end in {BUILD_SECONDS} seconds and was stopped") from None
    (folder / f"{Path(command[0]).name}.log").write_text(made.stdout + made.stderr)
    if made.returncode:
        raise OSError(f"the RTL does not build ({command[0]}):\n{(made.stdout + made.stderr)[-4000:]}")


if __name__ == "__main__":
    main()
