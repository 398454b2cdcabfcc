"""Building blocks of vectors: repeatable codes, and a scenario that lowers passes and records what must happen."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from host.compiler.command_list import CommandList
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import EXACT, Output, Precision
from host.compiler.program import Program
from sim.contract import LIST_ALIGNMENT, NO_COMMAND, Build, Error, Memory, code_range, encode_list
from sim.contract.noise import noise, random_codes
from sim.reference import Reference
from sim.vectors.vector import Vector

Codes = npt.NDArray[np.int64]
Fill = Callable[[tuple[int, ...], int, bool, int], Codes]


def least_codes(shape: tuple[int, ...], bits: int, signed: bool, seed: int) -> Codes:
    return np.full(shape, code_range(bits, signed)[0], dtype=np.int64)


def greatest_codes(shape: tuple[int, ...], bits: int, signed: bool, seed: int) -> Codes:
    return np.full(shape, code_range(bits, signed)[1], dtype=np.int64)


def extreme_codes(shape: tuple[int, ...], bits: int, signed: bool, seed: int) -> Codes:
    """Each code is the least or the greatest."""
    return np.where(random_codes(shape, 1, False, seed) == 1, *code_range(bits, signed)).astype(np.int64)


@dataclass
class Scenario:
    """Collects passes in one region; `vector` fills memory, runs the reference and keeps both images.

    The region starts out as noise, so that a byte written to the wrong place shows.
    """

    name: str
    build: Build
    plan: Plan = field(default_factory=Plan)
    loads: list[tuple[Program, Codes, Codes]] = field(default_factory=list)

    @property
    def seed(self) -> int:
        return zlib.crc32(self.name.encode())

    def add(
        self,
        layer: Conv,
        which: Pass,
        precision: Precision,
        output: Output = EXACT,
        fill_a: Fill = random_codes,
        fill_b: Fill = random_codes,
    ) -> Program:
        """Lowers a pass and draws its operands."""
        number = len(self.loads)
        # Zero insertion is a feature of the command, whether the compiler makes use of it or not.
        program = lower(
            layer, which, precision, self.build, output, plan=self.plan, name=f"{number}", zero_insertion=True
        )
        a_shape, b_shape = layer.operand_shapes(which)
        a = fill_a(a_shape, precision.a_bits, precision.a_signed, self.seed + 2 * number)
        b = fill_b(b_shape, precision.b_bits, precision.b_signed, self.seed + 2 * number + 1)
        self.loads.append((program, a, b))
        return program

    def fresh_memory(self, size: int) -> Memory:
        return noise(self.seed, np.arange(size)).astype(np.uint8)

    def vector(
        self,
        expect: tuple[Error, int] = (Error.OK, NO_COMMAND),
        spoil: Callable[[bytearray], None] | None = None,
        slow: bool = False,
        registers: dict[str, int] | None = None,
    ) -> Vector:
        """The finished vector. `spoil` may damage the encoded list; `registers` override what starts it.

        A vector that does not end as `expect` says is a mistake in the catalogue, not a case.
        """
        programs = [program for program, _, _ in self.loads]
        commands = CommandList.place(programs, self.plan)
        before = self.fresh_memory(max(self.plan.bytes, LIST_ALIGNMENT))
        for program, a, b in self.loads:
            program.load(before, a, b)
        encoded = bytearray(encode_list(commands.commands))
        if spoil is not None:
            spoil(encoded)
        before[commands.offset : commands.offset + commands.bytes] = np.frombuffer(encoded, dtype=np.uint8)
        start = {"list_offset": commands.offset, "list_bytes": commands.bytes, "mem_bytes": before.size}
        start |= registers or {}
        after = before.copy()
        outcome = Reference(self.build).run(after, **start)
        if (outcome.error, outcome.error_index) != expect:
            raise AssertionError(f"{self.name}: {outcome.error.name} at {outcome.error_index}, wanted {expect}")
        places = (start["mem_bytes"], start["list_offset"], start["list_bytes"])
        ends = (outcome.error, outcome.error_index, outcome.commands_done)
        return Vector(self.name, before, after, *places, *ends, slow, start.get("mem_base", 0))
