"""Bit operations of a training run, in whole numbers.

    bit operations = M · batch · Σ_t (fw_t² + 2 · fw_t · bw_t)

The forward product multiplies fw by fw bits, each of the two backward products (input error, weight gradient) fw by
bw. M is `ModelCount.operations`. As the papers count, the first layer has an input error too.
"""

from __future__ import annotations

from collections.abc import Callable

from cpt_model.cost.run import Run
from cpt_model.tracing.counts import ModelCount
from host.compiler.bits import Bits

FLOAT_BITS = 32
AS_PAPERS = "scheduled"
# What layers that stay float (by the policy), and batch normalisations, count as.
FLOAT_LAYERS = {
    "scheduled": "at the schedule's widths, like all others: the papers' way",
    "float32": f"at {FLOAT_BITS} bits in all three passes",
    "nothing": "not at all: the integer array's work alone",
}


def bit_products(run: Run) -> int:
    """Σ_t (fw_t² + 2 · fw_t · bw_t): bit operations of one multiply-accumulate, over the run.

    >>> from cpt_model.schedules import Static
    >>> bit_products(Run(Static(8), 8, iterations=10))
    1920
    """
    return sum(_of_a_mac(bits) * iterations for bits, iterations in run.widths().items())


def step_cost(count: ModelCount, batch: int, float_layers: str = "float32") -> Callable[[Bits], int]:
    """Bit operations of one step at given bits, as callbacks and loops log them.

    >>> from cpt_model.tracing.counts import LayerCount
    >>> step_cost(ModelCount((LayerCount("conv", "Conv2d", 1000, quantised=True),)), batch=2)(Bits(3, 8))
    114000
    """
    return lambda bits: _of_steps(count, batch, {bits: 1}, float_layers)


def _of_a_mac(bits: Bits) -> int:
    """Of one multiply-accumulate in all three passes of a step."""
    forward, backward = (width or FLOAT_BITS for width in bits)
    return forward * forward + 2 * forward * backward


def bit_operations(count: ModelCount, run: Run, float_layers: str = "float32") -> int:
    """Of the whole run, exactly. `float_layers` is one of `FLOAT_LAYERS`; layers with bits of their own count at those.

    >>> from cpt_model.tracing.counts import LayerCount
    >>> layers = LayerCount("conv", "Conv2d", 1000, quantised=True), LayerCount("fc", "Linear", 10)
    >>> count, run = ModelCount(layers), Run.named("8/8", iterations=1, batch=1)
    >>> {what: bit_operations(count, run, what) for what in FLOAT_LAYERS}
    {'scheduled': 193920, 'float32': 222720, 'nothing': 192000}
    """
    return _of_steps(count, run.batch, run.widths(), float_layers)


def _of_steps(count: ModelCount, batch: int, widths: dict[Bits, int], float_layers: str) -> int:
    """Of as many steps at each pair of widths."""
    if float_layers not in FLOAT_LAYERS:
        raise ValueError(f"float layers cannot count as '{float_layers}'; there are: {', '.join(FLOAT_LAYERS)}")
    rest = count.operations - count.quantised_macs
    total = 0
    for scheduled, steps in widths.items():
        one = sum(macs * _of_a_mac(bits) for bits, macs in count.macs_at(scheduled).items())
        if float_layers != "nothing":
            one += rest * (_of_a_mac(scheduled) if float_layers == "scheduled" else 3 * FLOAT_BITS**2)
        total += one * steps
    return batch * total


def gbitops(count: ModelCount, run: Run, float_layers: str = "float32") -> float:
    """The papers' unit: 10⁹ bit operations."""
    return bit_operations(count, run, float_layers) / 1e9


def saving_pct(count: ModelCount, run: Run, baseline: Run, float_layers: str = "float32") -> float:
    """Bit operations of a network saved against a baseline, in per cent. What stays float saves nothing.

    >>> from cpt_model.tracing.counts import LayerCount
    >>> half = ModelCount((LayerCount("conv", "Conv2d", 1000, quantised=True), LayerCount("fc", "Linear", 1000)))
    >>> cyclic, static = Run.named("3-8/8"), Run.named("8/8")
    >>> [round(saving_pct(half, cyclic, static, what), 2) for what in FLOAT_LAYERS]
    [36.67, 2.16, 36.67]
    """
    return 100 * (1 - bit_operations(count, run, float_layers) / bit_operations(count, baseline, float_layers))


def schedule_saving_pct(run: Run, baseline: Run) -> float:
    """Of a network whose every operation follows the schedule, which is how the papers count.

    >>> round(schedule_saving_pct(Run.named("3-8/8"), Run.named("8/8")), 2)
    36.67
    """
    return 100 * (1 - bit_products(run) * run.batch / (bit_products(baseline) * baseline.batch))
