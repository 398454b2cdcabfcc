"""What a list should take, to compare with measurements: the latency model's cycles, and a bound.

    cycles ≥ Σ over commands of max(array cycles, bytes moved / bandwidth)

The bound comes from two formulas and holds for every core of the build; the model (`sim.latency`) is of the RTL core.
"""

from __future__ import annotations

from collections.abc import Iterable

from sim.contract import BOARD_BYTES_PER_CYCLE, Build, Command, array_cycles, operand_a, operand_b, output, row_sums
from sim.latency import Memory, command_time
from sim.latency.core import LIST_BEGINS


def moved_bytes(command: Command) -> int:
    """Every operand once, every result once, without the gaps between tiles; of A only what a window touches."""
    rows = _touched(command.a_height, command.y_height, command.kernel_h, command.stride_y, command.up_y)
    columns = _touched(command.a_width, command.y_width, command.kernel_w, command.stride_x, command.up_x)
    whole = command.a_height * command.a_width
    tensors = (operand_b(command), output(command), row_sums(command))
    others = sum(tensor.images * tensor.blocks * tensor.tile_bytes for tensor in tensors if tensor is not None)
    a = operand_a(command)
    return others + a.images * a.blocks * a.tile_bytes * rows * columns // whole


def _touched(extent: int, windows: int, kernel: int, stride: int, up: int) -> int:
    """Rows, or columns, of a map that lie in some window; all of a zero-inserted map.

    >>> _touched(8, windows=3, kernel=3, stride=2, up=1), _touched(8, windows=4, kernel=1, stride=2, up=1)
    (7, 4)
    """
    return extent if up > 1 else min(extent, (windows - 1) * min(stride, kernel) + kernel)


def bound_cycles(commands: Iterable[Command], build: Build, bytes_per_cycle: float = BOARD_BYTES_PER_CYCLE) -> float:
    """No executor of this build is faster: its bus reads and writes one beat a cycle each, if memory keeps up."""
    bytes_per_cycle = min(bytes_per_cycle, 2 * build.bus_bytes)
    return sum(max(array_cycles(command, build), moved_bytes(command) / bytes_per_cycle) for command in commands)


def model_cycles(commands: Iterable[Command], build: Build, bytes_per_cycle: float = BOARD_BYTES_PER_CYCLE) -> float:
    """By the latency model, from the list's start to its end."""
    memory = Memory(bytes_per_cycle)
    return LIST_BEGINS + sum(command_time(command, build, memory).cycles for command in commands)
