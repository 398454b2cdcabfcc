"""Widths that follow what was seen."""

from __future__ import annotations

from host.compiler.bits import Bits
from host.compiler.layer import Pass
from host.compiler.step.widths import Seen


def test_a_result_that_outgrew_its_width_has_a_bit_more_the_next_time():
    seen, bits = Seen(), Bits(3, 8)
    seen.add("conv1", Pass.FORWARD, bits, 100)
    narrow = seen.bits("conv1", Pass.FORWARD, bits, start=14)
    seen.add("conv1", Pass.FORWARD, bits, (1 << narrow - 1) - 1)  # saturated
    assert seen.bits("conv1", Pass.FORWARD, bits, start=14) == narrow + 1
