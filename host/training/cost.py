"""Bits of every step, and what a run has cost so far: bit operations, and hours of the paper's board.

The formulas are those of `cpt_model.cost` (tested against it), on the network's description instead of a model.
"""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from host.compiler.bits import Bits
from host.compiler.step.network import Network
from host.compiler.step.networks import named
from host.training.precision import Settings, backward_schedule, forward_schedule

GIGA = 1e9
CALIBRATION = ("cifar100_resnet_74", Bits(8, 8), 64_000 * 128, 44.6)  # a run's samples and hours, CPT's Table 2


def macs(network: Network) -> int:
    """Multiply-accumulates of the convolutions, for one image."""
    return sum(prod(unit.makes) * prod(unit.layer.weight_shape[1:]) for unit in network.units)


def operations(network: Network) -> int:
    """M of the papers' costs: all products, and 2 for each output element of a batch normalisation.

    >>> operations(named("cifar10_resnet_20"))
    41214592
    """
    head = network.last_map[0] * network.head.classes
    return macs(network) + head + 2 * sum(prod(unit.makes) for unit in network.units)


class Meter:
    """Of a run of `steps` steps; known before the first."""

    def __init__(self, run: Settings, network: Network, steps: int, batch: int) -> None:
        updates = -(-steps // run.every)
        pair = [each.bits(np.arange(updates), updates) for each in (forward_schedule(run), backward_schedule(run))]
        self.widths = np.stack(pair, axis=1)[np.arange(steps) // run.every]
        name, bits, samples, hours = CALIBRATION
        rate = macs(named(name)) * samples * (2 * bits.forward + bits.backward) / hours

        def costs(widths: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
            forward, backward = widths.T
            gbitops = operations(network) * batch * (forward * forward + 2 * forward * backward) / GIGA
            return np.stack([gbitops, macs(network) * batch * (2 * forward + backward) / rate], axis=1)

        self._sums = np.vstack([np.zeros(2), np.cumsum(costs(self.widths), axis=0)])
        self._highest = costs(self.widths.max(axis=0, keepdims=True))[0] * steps

    def bits(self, step: int) -> Bits:
        return Bits(*self.widths[step].tolist())

    def highest(self) -> Bits:
        return Bits(*self.widths.max(axis=0).tolist())

    def after(self, steps: int) -> tuple[float, float]:
        """10⁹ bit operations and hours so far."""
        gbitops, hours = self._sums[steps].tolist()
        return gbitops, hours

    def savings(self) -> tuple[float, float]:
        """In per cent, against the same run at its highest bits throughout."""
        gbitops, hours = (100 * (1 - self._sums[-1] / self._highest)).tolist()
        return gbitops, hours
