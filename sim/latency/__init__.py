"""The latency model: cycles of a command on the RTL core, from its structure, in milliseconds instead of minutes.

What is modelled: how rows are dealt to lanes and operands passed over (as the planner does it), windows that need more
reads than bits, results drained and stored slot by slot, requests that queue before the load writers, and one memory
that loads and stores share. A handful of constants (`core.py`) were read off the RTL or fitted on `vivado/cycles.json`;
`cpt latency` prints the errors, also on layers that were not looked at while it was written.
"""

from sim.command import Command
from sim.config import Config
from sim.contract import Opcode
from sim.latency.conv import conv_time
from sim.latency.time import CommandTime, Memory
from sim.latency.wgrad import wgrad_time

__all__ = ["CommandTime", "Memory", "command_time"]


def command_time(command: Command, config: Config, memory: Memory) -> CommandTime:
    """One command that follows another in a list."""
    model = conv_time if command.opcode == Opcode.CONV else wgrad_time
    return model(command, config, memory)
