"""Parameters to begin with, where no PyTorch model gives them."""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt

from host.compiler.step.network import Network


def random_parameters(network: Network, seed: int) -> dict[str, npt.NDArray[np.float64]]:
    """Normal weights of variance 2 / inputs, γ = 1, β = 0; the classifier's uniform within 1 / √inputs."""
    rng = np.random.default_rng(seed)
    found: dict[str, npt.NDArray[np.float64]] = {}
    for unit in network.units:
        shape, channels = unit.layer.weight_shape, unit.layer.out_channels
        found[f"{unit.name}.weight"] = rng.normal(0, sqrt(2 / np.prod(shape[1:])), shape)
        found |= {f"{unit.norm}.weight": np.ones(channels), f"{unit.norm}.bias": np.zeros(channels)}
        found |= {f"{unit.norm}.running_mean": np.zeros(channels), f"{unit.norm}.running_var": np.ones(channels)}
    features, name = network.last_map[0], network.head.name
    most = 1 / sqrt(features)
    found[f"{name}.weight"] = rng.uniform(-most, most, (network.head.classes, features))
    found[f"{name}.bias"] = rng.uniform(-most, most, network.head.classes)
    return found
