"""The reference executor: runs a command list on a memory region exactly as the contract says.

>>> import numpy as np
>>> reference = Reference(Build.named("tiny"))
>>> reference.run(np.zeros(64, np.uint8), list_offset=0, list_bytes=0).error.name
'OK'
"""

from __future__ import annotations

from collections.abc import Callable

from sim.contract import (
    ALL_FEATURES,
    CLASSES,
    COMMAND_BYTES,
    NO_COMMAND,
    REQUANTISED,
    TENSOR_ALIGNMENT,
    BlockPlace,
    Build,
    Command,
    Error,
    Flag,
    Format,
    Memory,
    Opcode,
    Outcome,
    array_cycles,
    check_blocks,
    check_command,
    check_list,
    operand_a,
    operand_b,
    operands,
    output,
    pack_planes,
    pack_words,
    row_sums,
    tally_of,
)
from sim.reference.backward import run_error, run_join
from sim.reference.epilogue import requantise
from sim.reference.masters import run_update, run_weights
from sim.reference.normalise import run_norm, run_scale
from sim.reference.products import Accumulators, Planes, plain_integer
from sim.reference.tallies import tally
from sim.reference.vector import run_map
from sim.reference.windows import result_maps

Product = Callable[[Command, Planes, Planes], tuple[Accumulators, Accumulators]]
RUN: dict[Opcode, Callable] = {
    Opcode.MAP: run_map,
    Opcode.NORM: run_norm,
    Opcode.SCALE: run_scale,
    Opcode.JOIN: run_join,
    Opcode.ERROR: run_error,
    Opcode.UPDATE: run_update,
    Opcode.WEIGHTS: run_weights,
}


class Reference:
    """Executes command lists; `product` chooses the formulation of the integer products.

    With less than all `features` it refuses what an executor without them refuses.
    """

    def __init__(self, build: Build, product: Product = plain_integer, features: int = ALL_FEATURES) -> None:
        self.build = build
        self.product = product
        self.features = features

    def run(
        self,
        memory: Memory,
        list_offset: int,
        list_bytes: int,
        mem_base: int = 0,
        mem_bytes: int | None = None,
    ) -> Outcome:
        """Runs a list, as `sim.contract.Executor` says."""
        mem_bytes = memory.size if mem_bytes is None else mem_bytes
        error = check_list(mem_base, mem_bytes, list_offset, list_bytes)
        if error:
            return Outcome(error, NO_COMMAND, 0, 0)
        list_end = list_offset + list_bytes
        cycles = 0
        for index, start in enumerate(range(list_offset, list_end, COMMAND_BYTES)):
            data = memory[start : start + COMMAND_BYTES].tobytes()
            error = self.step(data, memory, mem_bytes, (list_offset, list_end))
            if error:
                return Outcome(error, index, index, cycles)
            if CLASSES[data[0]] is Command:
                cycles += array_cycles(Command.decode(data), self.build)
        return Outcome(Error.OK, NO_COMMAND, list_bytes // COMMAND_BYTES, cycles)

    def step(self, data: bytes, memory: Memory, mem_bytes: int, list_range: tuple[int, int]) -> Error:
        """Checks one fetched command, then executes it; an error means that it wrote nothing."""
        if len(data) < COMMAND_BYTES:
            return Error.READ_BUS
        error = check_command(data, self.build, mem_bytes, list_range, self.features)
        if error:
            return error
        command = CLASSES[data[0]].decode(data)
        places = operands(command)
        read = places.sources.values()
        headers = (place.address + TENSOR_ALIGNMENT for place in read if isinstance(place, BlockPlace))
        if any(end > memory.size for end in headers):
            return Error.READ_BUS
        error = check_blocks(command, memory)
        if error:
            return error
        if any(place.end > memory.size for place in read):
            return Error.READ_BUS
        if any(place.end > memory.size for place in places.writes.values()):
            return Error.WRITE_BUS
        if isinstance(command, Command):
            self.multiply(command, memory)
        else:
            RUN[Opcode(command.opcode)](command, memory)
        return Error.OK

    def multiply(self, command: Command, memory: Memory) -> None:
        """A checked CONV or WGRAD: read both operands, multiply, finish, write."""
        a, b = operand_a(command).read(memory), operand_b(command).read(memory)
        accumulators, sums = self.product(command, a, b)
        if command.flag(Flag.HALF):
            accumulators = 2 * accumulators + sums
        maps = result_maps(accumulators, command)
        out_format = Format(command.out_format)
        if out_format in REQUANTISED:
            maps = requantise(maps, command)
        if out_format == Format.PLANES:
            words = pack_planes(maps, command.out_bits, command.flag(Flag.OUT_SIGNED))
        else:
            words = pack_words(maps, out_format)
        output(command).write(memory, words)
        statistics = tally_of(command)
        if statistics is not None:
            tally(maps, maps, statistics, memory)
        sums_tensor = row_sums(command)
        if sums_tensor is not None:
            sums_tensor.write(memory, sums.reshape(1, 1, *sums_tensor.tile))
