"""One conv layer over forward bits 8 to 3, in cycles of the zc706 core by the latency model, and what it waits for."""

from __future__ import annotations

from dataclasses import dataclass

from cpt_model.cost.accelerator import PROFILES, product_time
from cpt_model.drawing.chart import Series, chart
from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, Pass

LAYER = Conv(batch=128, in_channels=16, out_channels=16, height=32, width=32, kernel=(3, 3), padding=(1, 1))
NAME = "3×3 convolution, 16 to 16 channels, 32×32 pixels, batch 128"
WIDTHS = tuple(Bits(forward, 8) for forward in (8, 7, 6, 5, 4, 3))
WAITS = {"compute": "the array", "load": "memory (loads)", "store": "memory (stores)"}


@dataclass(frozen=True)
class Row:
    """The forward pass and all three passes at one precision."""

    bits: Bits
    forward: float
    all: float
    bound: str

    @property
    def waits_for_memory(self) -> bool:
        return self.bound != "compute"


def rows() -> list[Row]:
    profile = PROFILES["zc706"]
    found = []
    for bits in WIDTHS:
        times = {which: product_time(LAYER, which, pass_precision(which, bits), profile, "the layer") for which in Pass}
        forward = times[Pass.FORWARD]
        found.append(Row(bits, forward.cycles, sum(time.cycles for time in times.values()), forward.bottleneck))
    return found


def cells(found: list[Row]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table; by bits alone, a forward pass would shrink with the product of both widths."""
    head = ["bits", "forward pass, cycles", "of 8/8", "by bits alone", "it waits for", "all three passes", "of 8/8"]
    first = found[0]
    return head, [
        [
            *(str(row.bits), f"{row.forward:,.0f}", f"{100 * row.forward / first.forward:.0f} %"),
            f"{100 * (row.bits.forward / first.bits.forward) ** 2:.0f} %",
            *(WAITS[row.bound], f"{row.all:,.0f}", f"{100 * row.all / first.all:.0f} %"),
        ]
        for row in found
    ]


def turn(found: list[Row]) -> str:
    """From which bits on the memory takes over, in a sentence."""
    first = next((row for row in found if row.waits_for_memory), None)
    if first is None:
        return "The array decides at all of these bits."
    return f"From {first.bits} down the forward pass waits for memory, and fewer bits save less than they could."


def picture(found: list[Row]) -> str:
    """Cycles, what bits alone would make of them, and a ring where the layer waits for memory."""
    most = found[0].forward
    cycles, ideal, memory = [], [], []
    for row in found:
        text = f"{row.bits} bits: {row.forward:,.0f} cycles; it waits for {WAITS[row.bound]}"
        cycles.append((row.bits.forward, row.forward, text))
        alone = most * (row.bits.forward / 8) ** 2
        ideal.append((row.bits.forward, alone, f"{row.bits} bits: {alone:,.0f} cycles, if bits alone counted"))
        if row.waits_for_memory:
            memory.append((row.bits.forward, row.forward, text))
    series = [
        Series("cycles of the forward pass", "p1", cycles),
        Series("by bits alone", "p7", ideal, dash=True),
        Series("waits for memory", "p2", memory, marks=True),
    ]
    title = "One layer's forward pass over forward bits"
    return chart(title, "lines", "forward bits", "cycles", [each for each in series if each.points], least=0)
