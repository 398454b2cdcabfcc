"""One step of several processes: each has run its share of the batch, all go on from the mean of their velocities.

With P processes that began with the same parameters w, v_p the velocity of process p behind its own update, and the
rounding of UPDATE (to the nearest, ties to even):

    v = round( (v_1 + ... + v_P) / P )              the sum exact, whatever its order
    w = saturate( w − round(v·RATE / 2^24) )        of w before the step

for weights, γ, β and the classifier alike. As v_p is a sum of what is common and of the gradient of p, v is that with
the mean gradient. Statistics and ranges stay each process's own; widths are those of the greatest results of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from host.compiler.step.fixed import Integers, divided, followed, saturated
from host.compiler.step.network import Network
from host.compiler.step.rates import Rates

State = Mapping[str, npt.NDArray]  # of an `IntegerStep`
Reduce = Callable[[Integers], Integers]  # the values of all processes to one, element by element


def averaged(
    network: Network, before: State, after: State, rates: Rates, processes: int, total: Reduce, greatest: Reduce
) -> dict[str, npt.NDArray]:
    """The state that a process goes on with.

    Args:
        network: what is trained.
        before: the state before the step.
        after: the state behind this process's own step.
        rates: those of the step.
        processes: how many there are.
        total: sums over all processes.
        greatest: maxima over all processes.
    """
    names = list(_parameters(network))
    flat = np.concatenate([after[velocity].ravel() for _, velocity, _ in names]).astype(np.int64)
    mean = saturated(divided(total(flat), processes))
    found, start = dict(after), 0
    for parameter, velocity, rate in names:
        shape, size = after[velocity].shape, after[velocity].size
        found[velocity] = mean[start : start + size].reshape(shape)
        found[parameter] = followed(before[parameter], found[velocity], getattr(rates, rate))
        start += size
    found["seen"] = np.concatenate([after["seen"][:, :-1], greatest(after["seen"][:, -1:])], axis=1)
    return found


def _parameters(network: Network) -> Iterator[tuple[str, str, str]]:
    """Names of a parameter, of its velocity, and of the rate it follows with."""
    for unit in network.units:
        yield f"{unit.name}.weight", f"{unit.name}.velocity", "weight_rate"
        for name in ("gamma", "beta"):
            yield f"{unit.norm}.{name}", f"{unit.norm}.{name}_velocity", "parameter_rate"
    head = network.head.name
    yield f"{head}.weight", f"{head}.velocity", "weight_rate"
    yield f"{head}.bias", f"{head}.bias_velocity", "weight_rate"
