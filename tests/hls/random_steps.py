"""Random legal lists of vector and scalar commands: shapes, groups and numbers that no compiler would write."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from sim.contract import (
    COMMAND_BYTES,
    Block,
    BlockPlace,
    Build,
    Error,
    Format,
    MapCommand,
    Memory,
    Opcode,
    ScalarCommand,
    Tensor,
    WeightCommand,
    check_command,
    encode_list,
    operands,
)
from sim.contract.command import AnyCommand

Generator = np.random.Generator
MOST_BYTES = 1 << 19  # of one operand
LIMITS = {"k": (0, 30), "j": (-47, 47), "scale_shift": (0, 47)}  # of a COEFFICIENTS block's header
GROUPS = ((0, 0), (1, 1), (3, 5), (8, 16), (16, 8), (4, 32), (24, 24))


def choose(draw: Generator, *values: int) -> int:
    return int(draw.choice(values))


def random_map(draw: Generator) -> MapCommand:
    width = choose(draw, 1, 4, 7, 16, 33, 64, int(draw.integers(60, 70)), int(draw.integers(250, 600)))
    return MapCommand(
        x0_bits=int(draw.integers(1, 17)),
        x1_bits=choose(draw, 0, 0, int(draw.integers(1, 17))),
        x2_bits=choose(draw, 0, 0, int(draw.integers(1, 17))),
        flags=int(draw.integers(1 << 9)),
        out0_bits=choose(draw, 0, *draw.integers(1, 17, 3)),
        out1_bits=choose(draw, 0, int(draw.integers(1, 17))),
        images=int(draw.integers(1, 4)),
        blocks=int(draw.integers(1, 4)),
        height=choose(draw, 1, 3, 17, 40) if width < 64 else int(draw.integers(1, 4)),
        width=width,
        seed_lo=int(draw.integers(1 << 32)),
        seed_hi=int(draw.integers(1 << 32)),
    )


def random_scalar(draw: Generator, opcode: Opcode) -> ScalarCommand:
    return ScalarCommand(
        opcode=opcode,
        bits=choose(draw, 0, int(draw.integers(1, 17))),
        wide_bits=choose(draw, 0, int(draw.integers(2, 17))),
        shift=int(draw.integers(48)),
        flags=int(draw.integers(1 << 6)),
        shift1=int(draw.integers(48)),
        images=int(draw.integers(1, 40)),
        channels=choose(draw, 1, 15, 16, 17, 40),
        height=int(draw.integers(1, 40)),
        width=int(draw.integers(1, 40)),
    )


def random_weights(draw: Generator) -> WeightCommand:
    opcode = choose(draw, Opcode.UPDATE, Opcode.WEIGHTS)
    group_in, group_out = GROUPS[draw.integers(len(GROUPS))]
    groups = int(draw.integers(1, 8))
    quantises = opcode == Opcode.WEIGHTS
    return WeightCommand(
        opcode=opcode,
        bits=int(draw.integers(1, 17)) if quantises else 0,
        acc_format=0 if quantises else choose(draw, Format.INT32, Format.INT64),
        flags=int(draw.integers(4)) if quantises else 0,
        in_channels=groups * group_in or choose(draw, 1, 16, 17, 33),
        out_channels=groups * group_out or choose(draw, 1, 16, 17, 33),
        group_in=group_in,
        group_out=group_out,
        kernel_h=choose(draw, 1, 2, 3, 5, 15),
        kernel_w=choose(draw, 1, 2, 3, 5, 15),
    )


SCALARS = (Opcode.NORM, Opcode.SCALE, Opcode.JOIN, Opcode.ERROR)
KINDS: tuple[Callable[[Generator], AnyCommand], ...] = (
    random_map,
    random_map,
    random_weights,
    random_weights,
    *(partial(random_scalar, opcode=opcode) for opcode in SCALARS),
)


def random_legal(draw: Generator, build: Build, start: int) -> tuple[AnyCommand, int]:
    """A command with places behind `start`, and where they end."""
    kind = KINDS[draw.integers(len(KINDS))]
    while True:
        command = kind(draw)
        if check_command(command.encode(), build, 1 << 32) not in (Error.OK, Error.OVERLAP):
            continue  # all places at 0: nothing but that may be wrong
        end = start
        for name, place in operands(command).all.items():
            setattr(command, f"{name}_addr", end)
            end += -(-(place.end - place.address) // 64) * 64
        if end - start < MOST_BYTES:
            return command, end


def fill(draw: Generator, values: np.ndarray) -> None:
    """Numbers of any size, and scalars that can be calculated with, most of them."""
    for name in values.dtype.names or ():
        part = values[name]
        if name == "e":
            part[...] = draw.integers(-70, 10, part.shape)
        elif part.dtype.names:
            fill(draw, part)
        else:
            part[...] = draw.integers(0, 256, (*part.shape, part.dtype.itemsize), np.uint8).view(part.dtype)[..., 0]
            if name in LIMITS:
                part[...] = draw.integers(*LIMITS[name], part.shape)


def load(draw: Generator, memory: Memory, command: AnyCommand) -> None:
    """Writes the blocks that the command reads; tensors hold the noise that is there, weights small numbers."""
    places = operands(command)
    for place in places.sources.values():
        if isinstance(place, BlockPlace):
            header, records = place.begin(memory)
            fill(draw, header)
            header["kind"], header["channels"] = place.kind, place.channels
            if place.kind == Block.TALLY and isinstance(command, ScalarCommand):
                header["count"] = command.count
            fill(draw, records)
            if place.kind == Block.MAXIMA:
                records[...] = draw.integers(0, 1 << int(draw.integers(1, 32)), records.shape)
        elif isinstance(place, Tensor) and place.dtype.itemsize > 2 and draw.integers(2):
            words = place.read(memory)
            place.write(memory, words >> int(draw.integers(8 * place.dtype.itemsize - 8)))


def random_step(seed: int, build: Build) -> tuple[Memory, int, int]:
    """A region full of noise with up to three commands in it, and the list's offset and size."""
    draw = np.random.default_rng(seed)
    commands: list[AnyCommand] = []
    end = 0
    for _ in range(int(draw.integers(1, 4))):
        command, end = random_legal(draw, build, end)
        commands.append(command)
    size = COMMAND_BYTES * len(commands)
    memory = draw.integers(0, 256, size=end + size, dtype=np.uint8)
    for command in commands:
        load(draw, memory, command)
    memory[end:] = np.frombuffer(encode_list(commands), dtype=np.uint8)
    return memory, end, size
