"""A board whose time is linear in the operands' widths, and the CPT paper's ZC706 as one.

    hours = MACs · batch · Σ_t [ (fw_t + fw_t) / 2 + 2 · (fw_t + bw_t) / 2 ] / rate

The bracket is 2 · fw_t + bw_t. A product's time is proportional to the mean width of its two operands: half the bits
take half the time, where a bit-serial array takes a quarter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from cpt_model.cost.run import MATRIX_PASSES, Run
from cpt_model.cost.trace import count_network
from cpt_model.tracing.counts import ModelCount
from host.compiler.bits import Bits

# Table 2's first row: the one measurement the profile is made from.
CALIBRATION = ("cifar100_resnet_74", "8/8", 44.6)


@dataclass(frozen=True)
class LinearBoard:
    """Its rate: multiply-accumulates times bits in an hour.

    >>> from cpt_model.tracing.counts import LayerCount
    >>> network, static = ModelCount((LayerCount("conv", "Conv2d", 1000, quantised=True),)), Run.named("8/8")
    >>> board = LinearBoard.calibrated(network, static, hours=10)
    >>> round(board.hours(network, static), 6), round(board.hours(network, Run.named("4/4")), 6)
    (10.0, 5.0)
    """

    rate: float
    of = MATRIX_PASSES

    @classmethod
    def calibrated(cls, count: ModelCount, run: Run, hours: float) -> LinearBoard:
        """The board that takes so long for this run."""
        if not hours > 0:
            raise ValueError(f"hours = {hours}: a measured time is above 0")
        return cls(_work(count, run) / hours)

    def hours(self, count: ModelCount, run: Run) -> float:
        """Of the whole run's matrix passes; layers that stay float and batch normalisation cost no time here."""
        return _work(count, run) / self.rate


def width_sum(run: Run) -> int:
    """Σ_t (2 · fw_t + bw_t).

    >>> width_sum(Run.named("8/8", iterations=10))
    240
    """
    return sum(_width(bits) * iterations for bits, iterations in run.widths().items())


def _width(bits: Bits) -> int:
    return 2 * bits.forward + bits.backward


def _work(count: ModelCount, run: Run) -> int:
    """Σ over steps and quantised layers of multiply-accumulates · (2 · fw + bw)."""
    return run.batch * sum(
        macs * _width(bits) * iterations
        for scheduled, iterations in run.widths().items()
        for bits, macs in count.macs_at(scheduled).items()
    )


@cache
def paper_board() -> LinearBoard:
    """The CPT paper's accelerator on the ZC706, calibrated on ResNet-74 at 8/8 bits alone.

    >>> round(paper_board().hours(count_network("cifar100_resnet_74"), Run.named("3-8/8")), 1)
    35.3
    """
    network, precision, hours = CALIBRATION
    return LinearBoard.calibrated(count_network(network), Run.named(precision), hours)
