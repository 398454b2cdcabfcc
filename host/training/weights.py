"""Weights as floats by PyTorch's names: out of a run's integers, and as an NPZ file that another run begins with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from host.compiler.step.fixed import VELOCITY_FRACTION, WEIGHT_FRACTION
from host.compiler.step.initial import at_rest
from host.compiler.step.network import Network
from host.training.checkpoint import State
from sim.common.files import write_atomically

Floats = dict[str, npt.NDArray[np.float64]]
HEAD = ("weight", "bias")


class WeightsError(ValueError):
    """Weights that cannot be read, or are another network's; the message names the file."""


def floats_of_state(network: Network, state: State) -> Floats:
    """Weights, γ, β, running statistics and the classifier's of an `IntegerStep`'s state, exactly."""

    def scaled(name: str, fraction: int) -> npt.NDArray[np.float64]:
        return np.ldexp(state[name].astype(np.float64), -fraction)

    values = {name: scaled(name, WEIGHT_FRACTION) for name in (f"{network.head.name}.{each}" for each in HEAD)}
    for unit in network.units:
        values[f"{unit.name}.weight"] = scaled(f"{unit.name}.weight", WEIGHT_FRACTION)
        for ours, theirs in (("gamma", "weight"), ("beta", "bias")):
            values[f"{unit.norm}.{theirs}"] = scaled(f"{unit.norm}.{ours}", VELOCITY_FRACTION)
        for ours, theirs in (("mean", "running_mean"), ("variance", "running_var")):
            pairs = state[f"{unit.norm}.{ours}"]
            values[f"{unit.norm}.{theirs}"] = np.ldexp(pairs[:, 0].astype(np.float64), pairs[:, 1])
    return values


def write_weights(file: Path, floats: dict[str, Any]) -> None:
    write_atomically(file, lambda stream: np.savez(stream, **floats))


def read_weights(file: Path, network: Network) -> Floats:
    """For this network; running statistics that are missing are those at rest."""
    try:
        with file.open("rb") as stream, np.load(stream) as found:  # np.load leaves a damaged file open
            given = {name: np.asarray(found[name]) for name in found.files}
    except OSError as problem:
        raise WeightsError(f"{file} cannot be read: {problem.strerror or problem}") from None
    except Exception as problem:  # a damaged archive raises almost anything
        raise WeightsError(f"{file} holds no weights, or is damaged: {problem}") from None
    floats = at_rest(network)
    for name, shape in shapes(network).items():
        if name not in given and name in floats:
            continue
        if name not in given or given[name].shape != shape or not np.isfinite(given[name].astype(np.float64)).all():
            there = f"{given[name].shape}" if name in given else "nothing"
            raise WeightsError(f"{file}: '{name}' must be finite numbers of shape {shape}, there is {there}")
        floats[name] = given[name].astype(np.float64)
    return floats


def shapes(network: Network) -> dict[str, tuple[int, ...]]:
    """Of all that a network begins with."""
    found: dict[str, tuple[int, ...]] = {name: value.shape for name, value in at_rest(network).items()}
    found |= {f"{unit.name}.weight": unit.layer.weight_shape for unit in network.units}
    classes, name = network.head.classes, network.head.name
    return found | {f"{name}.weight": (classes, network.last_map[0]), f"{name}.bias": (classes,)}
