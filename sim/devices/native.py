"""What both executors in C++ need: compilers, the contract's builds, a list's registers, memory to write into."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from sim.contract import BUILDS, Build, Error, Memory, Outcome, Register


def check_build(build: Build, what: str, builds: Collection[str] = tuple(BUILDS)) -> None:
    """Refuses parameters that are not those of one of the builds."""
    if build.name not in builds or BUILDS[build.name] != build.parameters():
        raise ValueError(f"{what} is built for {', '.join(builds)}, not for other parameters")


def compile_with(
    command: Sequence[str], seconds: float, what: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a compiler, or make; one that does not end is stopped."""
    for tool in ("g++", "make"):
        if shutil.which(tool) is None:
            raise OSError(f"{what} is compiled on this machine, and {tool} is missing: apt-get install {tool}")
    try:
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise OSError(f"'{' '.join(command[:4])} ...' did not end in {seconds} seconds and was stopped") from None


@contextmanager
def writable(memory: Memory) -> Iterator[Memory]:
    """Bytes that C++ can write to: the memory's own where possible, else a copy that is written back."""
    usable = memory.flags.c_contiguous and memory.flags.writeable and memory.dtype == np.uint8
    region = memory if usable else np.ascontiguousarray(memory, dtype=np.uint8).copy()
    yield region
    if region is not memory:
        memory[...] = region


def arguments(list_offset: int, list_bytes: int, mem_base: int, mem_bytes: int) -> dict[int, int]:
    """A list's registers and their values."""
    return {
        Register.MEM_BASE: mem_base & 0xFFFFFFFF,
        Register.MEM_BASE + 4: mem_base >> 32,
        Register.MEM_BYTES: mem_bytes,
        Register.LIST_OFFSET: list_offset,
        Register.LIST_BYTES: list_bytes,
    }


def outcome(register: Callable[[int], int], cycles: int) -> Outcome:
    """What the registers say of the last list."""
    index, done = register(Register.ERROR_INDEX), register(Register.COMMANDS_DONE)
    return Outcome(Error(register(Register.STATUS)), index, done, cycles)
