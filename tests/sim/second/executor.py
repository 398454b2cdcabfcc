"""A second executor, written from CONTRACT.md alone in Python's own integers and fractions: slow and plain.

Of CONV and WGRAD it leaves out the checks, which version 1's vectors cover.
"""

from __future__ import annotations

from sim.contract import NO_COMMAND, Error, Memory, Outcome
from tests.sim.second.checks import blocks_fit, judge
from tests.sim.second.maps import run_map
from tests.sim.second.masters import run_update, run_weights
from tests.sim.second.matrix import run_matrix
from tests.sim.second.operands import Fields, used_by
from tests.sim.second.region import BlockSpan, Region, Span
from tests.sim.second.scalar_commands import run_error, run_join, run_norm, run_scale

RUN = {3: run_map, 4: run_norm, 5: run_scale, 6: run_join, 7: run_error, 8: run_update, 9: run_weights}


def run_list(memory: Memory, offset: int, size: int, mem_bytes: int) -> Outcome:
    """Runs a list in place, up to its end or its first error."""
    region = Region(bytearray(memory.tobytes()))
    commands = Span(offset, size)
    error, done = "OK", 0
    while done < size // 128 and error == "OK":
        start = offset + 128 * done
        error = run_command(Fields(bytes(region.memory[start : start + 128])), region, mem_bytes, commands)
        done += error == "OK"
    memory[:] = memoryview(bytes(region.memory))
    return Outcome(Error[error], NO_COMMAND if error == "OK" else done, done, 0)


def run_command(c: Fields, region: Region, mem_bytes: int, commands: Span) -> str:
    if c.opcode in (1, 2):
        run_matrix(c, region)
        return "OK"
    error = judge(c, mem_bytes, commands)
    if error != "OK":
        return error
    used, behind = used_by(c), len(region.memory)
    read = [place for group in (used.reads, used.optional, used.changes) for place in group.values()]
    if any(place.address + 64 > behind for place in read if isinstance(place, BlockSpan)):
        return "READ_BUS"
    if not blocks_fit(c, region):
        return "COEFFICIENTS"
    if any(place.end > behind for place in read):
        return "READ_BUS"
    if any(place.end > behind for place in used.writes.values()):
        return "WRITE_BUS"
    RUN[c.opcode](c, region)
    return "OK"
