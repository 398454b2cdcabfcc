"""The latency model: cycles of a command on the RTL core, from its structure, in milliseconds instead of minutes.

What is modelled: how rows are distributed to lanes and operands repeated (as the planner does it), windows that need
more reads than bits, results drained and stored slot by slot, requests that queue before the load writers, one memory
that loads and stores share, and the next command's operands, loaded meanwhile. A handful of constants (`core.py`) were
read off the RTL or fitted on `vivado/cycles.json`; `cpt latency` prints the errors, also on randomly chosen layers.
"""

from dataclasses import replace
from functools import lru_cache

from sim.contract import Build, Command, Opcode
from sim.latency.conv import conv_time
from sim.latency.time import CommandTime, Memory
from sim.latency.wgrad import wgrad_time

__all__ = ["CommandTime", "Memory", "command_time"]


def command_time(command: Command, build: Build, memory: Memory) -> CommandTime:
    """One command between others of its kind in a list; builds whose K-slice is not made of threes are refused."""
    if build.slice_groups % 3:
        raise ValueError(
            f"slice_groups = {build.slice_groups} of build '{build.name}': the model needs a multiple of 3"
        )
    anywhere = replace(command, tag=0, a_addr=0, b_addr=0, out_addr=0, sums_addr=0, seed_lo=0, seed_hi=0)
    return _time(anywhere.encode(), build, memory)


@lru_cache(maxsize=1 << 14)  # a network has few kinds of commands
def _time(encoded: bytes, build: Build, memory: Memory) -> CommandTime:
    command = Command.decode(encoded)
    model = conv_time if command.opcode == Opcode.CONV else wgrad_time
    return model(command, build, memory)
