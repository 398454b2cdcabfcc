"""Array cycles by contract: how many operand pairs the array takes when work arrives without gaps.

A lower bound for an executor's busy cycles, and what the reference's counters show.
"""

from __future__ import annotations

from sim.contract.build import Build
from sim.contract.command import Command
from sim.contract.constants import CHANNEL_BLOCK, Opcode


def array_cycles(command: Command, build: Build) -> int:
    """a_bits · b_bits · (slices of K) · (rounds of columns) · (rounds of lanes)."""
    taps = command.kernel_h * command.kernel_w
    pixels = command.images * command.y_height * command.y_width
    if command.opcode == Opcode.CONV:
        groups, rows = taps * command.a_blocks, pixels
    else:
        groups, rows = _ceil(pixels, CHANNEL_BLOCK), taps * command.a_blocks * CHANNEL_BLOCK
    slices = _ceil(groups, build.slice_groups)
    column_rounds = command.y_blocks * CHANNEL_BLOCK // build.columns
    return command.a_bits * command.b_bits * slices * column_rounds * _ceil(rows, build.lanes)


def _ceil(count: int, size: int) -> int:
    return -(-count // size)
