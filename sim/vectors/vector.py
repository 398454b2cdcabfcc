"""One vector and its file: 64 bytes of header, the memory image before, the memory image expected after.

Header, little-endian: 8 bytes "CPTVEC01", then 32-bit words: mem_bytes, image_bytes, list_offset, list_bytes,
status, error_index, commands_done, slow, mem_base, features; the rest is 0. `mem_base` and `mem_bytes` go to their
registers; `mem_bytes` exceeds `image_bytes` only where a bus error is wanted. An executor whose register FEATURES lacks
a bit of `features` leaves the vector out. A vector's name is its file's.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.common.files import write_atomically
from sim.contract import Error, Executor, Memory, Outcome

MAGIC = b"CPTVEC01"
HEADER = struct.Struct("<8s10I16x")
SUFFIX = ".vec"


@dataclass(frozen=True)
class Vector:
    """A case for any executor; `slow` marks those that take an RTL simulation minutes."""

    name: str
    before: Memory
    after: Memory
    mem_bytes: int
    list_offset: int
    list_bytes: int
    error: Error
    error_index: int
    commands_done: int
    slow: bool = False
    mem_base: int = 0
    features: int = 0  # what the executor must have

    def agrees(self, memory: Memory, outcome: Outcome) -> bool:
        """True when an executor left the expected memory and registers."""
        seen = (outcome.error, outcome.error_index, outcome.commands_done)
        return seen == (self.error, self.error_index, self.commands_done) and np.array_equal(memory, self.after)

    def run_on(self, executor: Executor, memory: Memory) -> Outcome:
        """Runs the vector's list on `memory`, which starts out as `before`."""
        return executor.run(memory, self.list_offset, self.list_bytes, self.mem_base, self.mem_bytes)

    def to_bytes(self) -> bytes:
        places = (self.mem_bytes, self.before.size, self.list_offset, self.list_bytes)
        ends = (self.error, self.error_index, self.commands_done)
        header = HEADER.pack(MAGIC, *places, *ends, self.slow, self.mem_base, self.features)
        return header + self.before.tobytes() + self.after.tobytes()

    def save(self, folder: Path) -> Path:
        """Writes the vector's file, whole or not at all."""
        path = folder / f"{self.name}{SUFFIX}"
        write_atomically(path, self.to_bytes())
        return path

    @classmethod
    def load(cls, path: Path) -> Vector:
        data = path.read_bytes()
        if len(data) < HEADER.size or not data.startswith(MAGIC):
            raise ValueError(f"{path}: not a vector file (it must start with {MAGIC.decode()})")
        _, mem_bytes, image_bytes, offset, size, error, index, done, slow, base, features = HEADER.unpack_from(data)
        if error not in tuple(Error):
            raise ValueError(f"{path}: expects status {error}, which is no error of the contract")
        if len(data) != HEADER.size + 2 * image_bytes:
            expected = HEADER.size + 2 * image_bytes
            raise ValueError(f"{path}: has {len(data)} bytes, its header says {expected}")
        images = np.frombuffer(data, dtype=np.uint8, offset=HEADER.size)
        before, after = images[:image_bytes].copy(), images[image_bytes:].copy()
        ends = (Error(error), index, done)
        return cls(path.stem, before, after, mem_bytes, offset, size, *ends, bool(slow), base, features)
