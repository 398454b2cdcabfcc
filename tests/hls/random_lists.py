"""Random legal command lists that no compiler would write: odd addresses, strides, paddings and zero insertion."""

from __future__ import annotations

import numpy as np

from sim.contract import (
    COMMAND_BYTES,
    Build,
    Command,
    Error,
    Format,
    Memory,
    Opcode,
    Tensor,
    check_fields,
    encode_list,
    operand_a,
    operand_b,
    output,
    row_sums,
)

Generator = np.random.Generator
LEAST_REGION = 64


def random_axis(draw: Generator, wgrad: bool, most: int) -> dict[str, int]:
    """One axis of a geometry that leaves room for a window."""
    while True:
        axis = {
            "extent": int(draw.integers(1, most)),
            "kernel": int(draw.choice([1, 2, 3, 5, int(draw.integers(1, 16))])),
            "stride": int(draw.choice([1, 1, 2, int(draw.integers(1, 16))])),
            "up": 1 if wgrad else int(draw.choice([1, 1, 2, int(draw.integers(1, 16))])),
            "before": int(draw.choice([0, 1, int(draw.integers(0, 32))])),
            "after": int(draw.choice([0, 1, int(draw.integers(0, 32))])),
        }
        if draw.integers(2):  # columns that a WGRAD can deal into phases
            axis["extent"] = -(-axis["extent"] // axis["stride"]) * axis["stride"]
        room = (axis["extent"] - 1) * axis["up"] + 1 + axis["before"] + axis["after"] - axis["kernel"]
        if 0 <= room < 200 * axis["stride"]:
            return {**axis, "output": room // axis["stride"] + 1}


def random_command(draw: Generator, build: Build, most_work: float = 2e5) -> Command:
    """A command that passes every check but those of addresses, which it does not have yet."""
    while True:
        wgrad = bool(draw.integers(2))
        rows, columns = random_axis(draw, wgrad, 8), random_axis(draw, wgrad, int(draw.choice([6, 40, 150])))
        out_format = Format(int(draw.integers(4)))
        requantised = out_format in (Format.INT16, Format.PLANES)
        flags = int(draw.integers(32)) if requantised else int(draw.integers(32)) & 0b10011
        command = Command(
            opcode=Opcode.WGRAD if wgrad else Opcode.CONV,
            a_bits=int(draw.integers(1, 17 if draw.integers(3) == 0 else 6)),
            b_bits=int(draw.integers(1, 17 if draw.integers(3) == 0 else 6)),
            out_bits=int(draw.integers(1, 17)) if requantised else 0,
            flags=flags,
            out_format=out_format,
            shift=int(draw.choice([0, 3, 12, int(draw.integers(48))])) if requantised else 0,
            tag=int(draw.integers(2**32)),
            images=int(draw.choice([1, 2, build.lanes, build.lanes + 1, int(draw.integers(3, 2 * build.lanes))])),
            a_blocks=int(draw.integers(1, 4)),
            y_blocks=int(draw.integers(1, 3)),
            a_height=rows["extent"],
            a_width=columns["extent"],
            y_height=rows["output"],
            y_width=columns["output"],
            kernel_h=rows["kernel"],
            kernel_w=columns["kernel"],
            stride_y=rows["stride"],
            stride_x=columns["stride"],
            up_y=rows["up"],
            up_x=columns["up"],
            pad_top=rows["before"],
            pad_left=columns["before"],
            pad_bottom=rows["after"],
            pad_right=columns["after"],
            seed_lo=int(draw.integers(2**32)),
            seed_hi=int(draw.integers(2**32)),
        )
        taps = command.kernel_h * command.kernel_w * command.a_blocks * command.y_blocks
        work = command.images * command.y_height * command.y_width * taps
        if check_fields(command.encode(), build) is Error.OK and work < most_work:
            return command


def place(draw: Generator, command: Command, name: str, tensor: Tensor, start: int) -> int:
    """Gives a tensor an address behind `start` and strides, with gaps of any size between; returns its end."""

    def behind(position: int) -> int:
        return -(-position // tensor.grain) * tensor.grain + tensor.grain * int(draw.choice([0, 0, 1, 5]))

    block_stride = behind(tensor.tile_bytes)
    image_stride = behind((tensor.blocks - 1) * block_stride + tensor.tile_bytes)
    address = behind(start)
    setattr(command, f"{name}_addr", address)
    setattr(command, f"{name}_image_stride", image_stride)
    setattr(command, f"{name}_block_stride", block_stride)
    return address + (tensor.images - 1) * image_stride + (tensor.blocks - 1) * block_stride + tensor.tile_bytes


def random_list(seed: int, build: Build) -> tuple[Memory, int, int]:
    """A region full of noise with up to three commands in it, and the list's offset and size."""
    draw = np.random.default_rng(seed)
    commands, end = [], 0
    for _ in range(int(draw.integers(1, 4))):
        command = random_command(draw, build)
        for name, tensor in (("a", operand_a(command)), ("b", operand_b(command)), ("out", output(command))):
            end = place(draw, command, name, tensor, end)
        command.sums_addr = -(-end // 4) * 4
        sums = row_sums(command)
        end = end if sums is None else sums.end
        commands.append(command)
    offset = -(-end // 64) * 64
    size = offset + COMMAND_BYTES * len(commands)
    memory = draw.integers(0, 256, size=max(LEAST_REGION, -(-size // 64) * 64), dtype=np.uint8)
    memory[offset:size] = np.frombuffer(encode_list(commands), dtype=np.uint8)
    return memory, offset, size - offset
