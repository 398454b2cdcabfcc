"""Commands to judge: those of all vectors, and random changes of them near every bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from sim.contract import (
    COMMAND_BYTES,
    FIELDS,
    BlockPlace,
    Build,
    Command,
    Error,
    Opcode,
    Tensor,
    check_command,
    check_fields,
    has_vector_unit,
    operand_a,
    operand_b,
    output,
    row_sums,
    tally_of,
)
from sim.vectors import catalogue

GEOMETRY = ("kernel", "stride", "up", "pad", "height", "width", "images", "blocks")


@dataclass(frozen=True)
class Case:
    """An encoded command, the region's size and where the list lies."""

    data: bytes
    mem_bytes: int
    list_range: tuple[int, int]
    features: int = 0  # of the checker

    def expected(self, build: Build) -> Error:
        return check_command(self.data, build, self.mem_bytes, self.list_range, self.features)

    @property
    def is_matrix(self) -> bool:
        """Whether it is this checker's: commands from MAP on have their own."""
        return self.data[0] <= Opcode.WGRAD or self.data[0] not in list(Opcode) or not has_vector_unit(self.features)

    def tensors(self, build: Build) -> list[Tensor | BlockPlace | None]:
        """A, B, result, row sums and tally, of a command whose fields are good."""
        if check_fields(self.data, build, self.features):
            return []
        command = Command.decode(self.data)
        return [operand_a(command), operand_b(command), output(command), row_sums(command), tally_of(command)]


def vector_cases(build: Build, features: int) -> list[Case]:
    """Every CONV and WGRAD of every vector."""
    cases = []
    for vector in catalogue(build, features):
        end = vector.list_offset + vector.list_bytes
        for place in range(vector.list_offset, min(end, vector.before.size - COMMAND_BYTES + 1), COMMAND_BYTES):
            data = vector.before[place : place + COMMAND_BYTES].tobytes()
            cases.append(Case(data, vector.mem_bytes, (vector.list_offset, end), features))
    return [case for case in cases if case.is_matrix]


def mutated_cases(build: Build, bases: list[Case], count: int, random: Random) -> Iterator[Case]:
    """Random changes: most are near a bound, so that about as many commands pass a check as fail it."""
    good = [case for case in bases if case.expected(build) == Error.OK]
    for _ in range(count):
        case = random.choice(good)
        command = Command.decode(case.data)
        for _ in range(random.choice([0, 1, 1, 2, 3])):
            change_field(command, random)
        case = replace(case, data=command.encode())
        if random.random() < 0.02:
            case = replace(case, data=flip_bit(case.data, random))
        if random.random() < 0.5:
            case = move(case, build, random)
        if case.is_matrix:
            yield case


def change_field(command: Command, random: Random) -> None:
    """Sets a field to a value near its own, near a limit, or anywhere; a geometry may be made consistent again."""
    name, value = grown(random) if random.random() < 0.3 else changed(command, random)
    setattr(command, name, value)
    if random.random() < 0.8 and any(part in name for part in GEOMETRY):
        for axis, extent in (("y", "height"), ("x", "width")):
            pads = ("pad_top", "pad_bottom") if axis == "y" else ("pad_left", "pad_right")
            kernel = command.kernel_h if axis == "y" else command.kernel_w
            spread = (getattr(command, f"a_{extent}") - 1) * getattr(command, f"up_{axis}") + 1
            room = spread + sum(getattr(command, pad) for pad in pads) - kernel
            result = room // max(1, getattr(command, f"stride_{axis}")) + 1
            setattr(command, f"y_{extent}", result % 65536)


def grown(random: Random) -> tuple[str, int]:
    """A legal value that may be too much for the accumulator or for a memory."""
    name = random.choice(["a_bits", "b_bits", "images", "a_blocks", "a_width"])
    if name.endswith("bits"):
        return name, random.randint(1, 16)
    return name, random.randint(1, (1 << random.randint(1, 16 if name == "images" else 12)) - 1)


def changed(command: Command, random: Random) -> tuple[str, int]:
    name = random.choice(list(FIELDS))
    width = FIELDS[name][2]
    now = getattr(command, name)
    limit = random.choice([2, 15, 16, 17, 31, 32, 47, 48, 4095, 4096])
    anything = random.choice([1 << random.randrange(width), (1 << width) - 1, random.getrandbits(width)])
    value = random.choice([now - 1, now + 1, now * 2, 0, 1, limit, anything, anything])
    return name, value % (1 << width)


def flip_bit(data: bytes, random: Random) -> bytes:
    place = random.randrange(8 * len(data))
    flipped = bytearray(data)
    flipped[place // 8] ^= 1 << place % 8
    return bytes(flipped)


def move(case: Case, build: Build, random: Random) -> Case:
    """Puts a tensor, the region's end or the list right behind or into another tensor."""
    tensors = [tensor for tensor in case.tensors(build) if tensor is not None]
    if not tensors:
        return case
    command = Command.decode(case.data)
    target = random.choice(tensors)
    ends = [target.address, target.end, target.end - 2, target.end - 64, target.end + 64, target.end & ~63]
    place = max(0, random.choice(ends)) & 0xFFFFFFFF
    kind = random.choice(["mem", "list", "a_addr", "b_addr", "out_addr", "sums_addr", "tally_addr", "stride"])
    if kind == "mem":
        return replace(case, mem_bytes=max(tensor.end for tensor in tensors) + random.choice([-1, 0, 1]) & 0xFFFFFFFF)
    if kind == "list":
        return replace(case, list_range=(place, min(place + 256, 0xFFFFFFFF)))
    if kind == "stride":
        out = output(command)
        tile = out.tile_bytes
        command.out_block_stride = tile + random.choice([-2, -64, -32, 0, 64]) & 0xFFFFFFFF
        image = (out.blocks - 1) * command.out_block_stride + tile
        command.out_image_stride = image + random.choice([-2, -64, -32, 0, 64]) & 0xFFFFFFFF
    else:
        setattr(command, kind, place)
    return replace(case, data=command.encode())


def words_of(data: bytes) -> tuple[int, bool]:
    """The words that the core needs as one integer, and whether a bit is set in a word that holds no field."""
    words = np.frombuffer(data, dtype="<u4")
    used = FIELDS["tally_addr"][0] + 1
    return int.from_bytes(words[:used].tobytes(), "little"), bool(words[used:].any())
