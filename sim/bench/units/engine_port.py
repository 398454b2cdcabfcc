"""The memory port of an engine of the vector unit, on a region in Python: stalls and latencies at random."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

from cocotb.triggers import FallingEdge, ReadOnly

from sim.contract import Memory

BYTES_BITS, ADDRESS_BITS = 18, 32


def request(signal: Any) -> tuple[int, int]:
    """Address and bytes of a request_t; none is 0 bytes long."""
    value = int(signal.value)
    if not value >> BYTES_BITS + ADDRESS_BITS:
        return 0, 0
    return value >> BYTES_BITS & (1 << ADDRESS_BITS) - 1, value & (1 << BYTES_BITS) - 1


class EnginePort:
    """Serves an engine's requests, in their order. `stall` is the share of cycles in which a channel does not move."""

    def __init__(self, dut: Any, memory: Memory, bus_bytes: int, random: Random, stall: float, latency: int) -> None:
        self.dut, self.memory, self.bus_bytes = dut, memory, bus_bytes
        self.random, self.stall, self.latency = random, stall, latency
        self.reads: deque[tuple[int, int, bool, int]] = deque()  # address, bytes, last, cycle from which it is there
        self.writes: deque[tuple[int, int]] = deque()
        self.quiet = 0  # cycle from which all writes are complete
        self.cycle = 0

    def moves(self) -> bool:
        return self.random.random() >= self.stall

    async def step(self) -> None:
        """One cycle, from one falling edge to the next: what is ready and valid now is taken at the rising edge."""
        dut = self.dut
        dut.rd_req_ready_i.value, dut.wr_req_ready_i.value = int(self.moves()), int(self.moves())
        dut.wr_ready_i.value = int(bool(self.writes) and self.moves())
        shown = bool(self.reads) and self.reads[0][3] <= self.cycle and self.moves()
        dut.rd_valid_i.value = int(shown)
        if shown:
            address, size, last, _ = self.reads[0]
            data = self.memory[address : address + size].tobytes().ljust(self.bus_bytes, b"\xa5")
            dut.rd_data_i.value, dut.rd_last_i.value = int.from_bytes(data, "little"), int(last)
        dut.wr_idle_i.value = int(not self.writes and self.cycle >= self.quiet)
        await ReadOnly()  # what depends on this cycle's inputs follows them
        self._take(shown)
        self.cycle += 1
        await FallingEdge(dut.clk_i)

    def _take(self, shown: bool) -> None:
        dut = self.dut
        if int(dut.wr_valid_o.value) and int(dut.wr_ready_i.value):
            address, size = self.writes.popleft()
            data = int(dut.wr_data_o.value).to_bytes(self.bus_bytes, "little")[:size]
            self.memory[address : address + len(data)] = list(data)
            if size > self.bus_bytes:
                self.writes.appendleft((address + self.bus_bytes, size - self.bus_bytes))
            self.quiet = self.cycle + self.latency
        address, size = request(dut.wr_req_o)
        if size and int(dut.wr_req_ready_i.value):
            self.writes.append((address, size))
            self.quiet = self.cycle + self.latency
        if shown and int(dut.rd_ready_o.value):
            self.reads.popleft()
        address, size = request(dut.rd_req_o)
        if size and int(dut.rd_req_ready_i.value):
            ready = self.cycle + self.latency
            for start in range(0, size, self.bus_bytes):
                left = size - start
                self.reads.append((address + start, min(left, self.bus_bytes), left <= self.bus_bytes, ready))
