"""Random lists whose commands have to do with each other: each may read, or write over, what others read and wrote.

The list lies at the region's begin. An operand or a result lies somewhere fresh, or at, across or just beside a tensor
of one of the two commands before; now and then a command takes the bit planes before it as its map, as a network does.
For a core with a vector unit most CONVs have HALF or STATS, some of them many blocks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from sim.contract import (
    COMMAND_BYTES,
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
    Tensor,
    check_fields,
    encode_list,
    flag_bits,
    has_vector_unit,
    operand_a,
    operand_b,
    output,
    row_sums,
    tally_of,
)
from sim.contract.checks import check_addresses
from tests.hls.random_lists import Generator, place, random_command

MOST_COMMANDS = 12
LIST_BYTES = MOST_COMMANDS * COMMAND_BYTES
NO_END = 1 << 31
TRIES = 40
Span = tuple[int, int]


@dataclass(frozen=True)
class Chain:
    """A region with the list at its begin."""

    memory: Memory
    commands: list[Command]

    @property
    def list_bytes(self) -> int:
        return COMMAND_BYTES * len(self.commands)

    def hazards(self) -> Counter[str]:
        """How often a command reads or writes over what the command one or two before reads or writes."""
        found: Counter[str] = Counter()
        for distance in (1, 2):
            for earlier, later in zip(self.commands, self.commands[distance:], strict=False):
                for name, first, second in (
                    ("read result", [span(output(earlier))], operands(later)),
                    ("read row sums", optional(row_sums(earlier)), operands(later)),
                    ("read tally", optional(tally_of(earlier)), operands(later)),
                    ("overwrite operand", operands(earlier), results(later)),
                    ("overwrite result", results(earlier), results(later)),
                ):
                    found[f"{name} at {distance}"] += any(meet(x, y) for x in first for y in second)
        return found


def span(place: Tensor | BlockPlace) -> Span:
    return place.address, place.end


def optional(place: Tensor | BlockPlace | None) -> list[Span]:
    return [] if place is None else [span(place)]


def meet(x: Span, y: Span) -> bool:
    return x[0] < y[1] and y[0] < x[1]


def operands(command: Command) -> list[Span]:
    return [span(operand_a(command)), span(operand_b(command))]


def results(command: Command) -> list[Span]:
    """The result, and row sums and tally if there are any."""
    return [span(output(command)), *optional(row_sums(command)), *optional(tally_of(command))]


def beside(draw: Generator, other: Span, size: int) -> int:
    """Where `size` bytes begin that lie at, across or just beside others."""
    begin, end = other
    corners = (begin, begin, end - 2, end, begin - size, begin - size + 2)
    return max(LIST_BYTES, int(draw.choice([*corners, int(draw.integers(begin - size, end + 1))])))


def place_all(draw: Generator, command: Command, near: list[Span], fresh: int, keep_a: bool) -> None:
    """Addresses for a command's tensors: fresh ones from `fresh` on, or near others."""

    def start(size: int) -> int:
        return beside(draw, near[int(draw.integers(len(near)))], size) if near and draw.random() < 0.6 else fresh

    for name, of in (("a", operand_a), ("b", operand_b), ("out", output)):
        if name == "a" and keep_a:
            continue
        end = place(draw, command, name, of(command), LIST_BYTES)  # to learn how long it is
        end = place(draw, command, name, of(command), start(end - LIST_BYTES))
        fresh = max(fresh, end)
    command.sums_addr = 0
    sums = row_sums(command)
    if sums is not None:
        command.sums_addr = -(-start(sums.tile_bytes) // 4) * 4
        fresh = max(fresh, command.sums_addr + sums.tile_bytes)
    command.tally_addr = 0
    tally = tally_of(command)
    if tally is not None:
        command.tally_addr = -(-start(tally.end) // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT


def follower(draw: Generator, before: Command, command: Command) -> Command:
    """The command with the result before it, which is bit planes, as its map."""
    kernel = int(draw.choice([1, 3]))
    flags = command.flags & ~(1 << Flag.A_SIGNED) | before.flag(Flag.OUT_SIGNED) << Flag.A_SIGNED
    return replace(
        command,
        opcode=Opcode.CONV,
        flags=flags,
        images=before.images,
        a_bits=before.out_bits,
        a_blocks=before.y_blocks,
        a_height=before.y_height,
        a_width=before.y_width,
        y_height=before.y_height,
        y_width=before.y_width,
        **dict.fromkeys(("kernel_h", "kernel_w"), kernel),
        **dict.fromkeys(("stride_y", "stride_x", "up_y", "up_x"), 1),
        **dict.fromkeys(("pad_top", "pad_left", "pad_bottom", "pad_right"), kernel // 2),
        a_addr=before.out_addr,
        a_image_stride=before.out_image_stride,
        a_block_stride=before.out_block_stride,
    )


def with_statistics(draw: Generator, build: Build, command: Command) -> Command:
    """The command, if it is a CONV, with flags that need a vector unit, and sometimes many blocks, if that is legal."""
    if command.opcode != Opcode.CONV or draw.random() < 0.2:
        return command
    flags = command.flags
    if draw.random() < 0.5:
        flags |= flag_bits(Flag.HALF, Flag.B_SIGNED)
    if command.out_format in REQUANTISED and draw.random() < 0.8:
        flags |= flag_bits(Flag.STATS)
    few = command.images * command.y_height * command.y_width < 40
    blocks = int(draw.choice([command.y_blocks, 3, 9, *([70, 130] if few else [])]))
    for changed in (replace(command, flags=flags, y_blocks=blocks), replace(command, flags=flags)):
        if check_fields(changed.encode(), build) is Error.OK:
            return changed
    return command


def next_command(draw: Generator, build: Build, before: list[Command], fresh: int, features: int) -> Command:
    """A legal command behind others; all of its memory is fresh if nothing else is found."""
    near = [each for command in before[-2:] for each in (*operands(command), *results(command))]
    while True:
        command = random_command(draw, build, most_work=int(draw.choice([100, 1000, 1000, 6000])))
        keep_a = bool(before) and before[-1].out_format == Format.PLANES and draw.random() < 0.7
        if keep_a:
            command = follower(draw, before[-1], command)
            if check_fields(command.encode(), build) is not Error.OK:
                continue
        if has_vector_unit(features):
            command = with_statistics(draw, build, command)
        for attempt in range(TRIES):
            place_all(draw, command, near if attempt + 1 < TRIES else [], fresh, keep_a)
            if check_addresses(command, NO_END, (0, LIST_BYTES)) is Error.OK:
                return command


def chained_list(seed: int, build: Build, features: int = 0) -> Chain:
    draw = np.random.default_rng(seed)
    commands: list[Command] = []
    end = LIST_BYTES
    for _ in range(int(draw.integers(2, MOST_COMMANDS + 1))):
        commands.append(next_command(draw, build, commands, end, features))
        end = max(end, *(behind for _, behind in (*operands(commands[-1]), *results(commands[-1]))))
    memory = draw.integers(0, 256, size=-(-end // 64) * 64, dtype=np.uint8)
    data = encode_list(commands)
    memory[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    return Chain(memory, commands)
