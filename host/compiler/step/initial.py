"""Parameters to begin with, where no PyTorch model gives them.

`drawn_parameters` are those that PyTorch's `reset_parameters` draws, each rounded once: it takes k of 24 random bits
and −b + k·2^−24·2b in float32, rounded once or twice as the processor has it. Here it is b·(k − 2^23)·2^−23.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt

from host.compiler.step.network import Network
from sim.common.twister import Twister

Floats = npt.NDArray[np.float64]
DRAWN = 24  # bits of a draw
GAIN = sqrt(2 / (1 + sqrt(5) * sqrt(5)))  # of PyTorch's usual weights: uniform with a variance of 1 / (3·inputs)


def drawn_parameters(network: Network, seed: int) -> dict[str, Floats]:
    """Weights in the order of PyTorch's modules (a block's branch is its last), γ = 1, β = 0."""
    words, found = Twister(seed), at_rest(network)
    for block in network.blocks:
        for unit in (*block.chain, *(() if block.branch is None else (block.branch,))):
            found[f"{unit.name}.weight"] = drawn_weights(words, unit.layer.weight_shape)
    shape, name = (network.head.classes, network.last_map[0]), network.head.name
    found[f"{name}.weight"] = drawn_weights(words, shape)
    found[f"{name}.bias"] = drawn_uniform(words, shape[:1], 1 / sqrt(shape[1]))
    return found


def drawn_weights(words: Twister, shape: tuple[int, ...]) -> Floats:
    return drawn_uniform(words, shape, sqrt(3) * (GAIN / sqrt(np.prod(shape[1:]))))


def drawn_uniform(words: Twister, shape: tuple[int, ...], bound: float) -> Floats:
    """Within ±bound; the product of two numbers of 24 bits is exact in float64."""
    whole, half = words.words(int(np.prod(shape))).astype(np.int64) % (1 << DRAWN), 1 << DRAWN - 1
    exact = (whole - half) * np.float64(np.float32(bound)) / half
    return exact.astype(np.float32).astype(np.float64).reshape(shape)


def at_rest(network: Network) -> dict[str, Floats]:
    """Of batch normalisation: γ = 1, β = 0, and no statistics yet."""
    found: dict[str, Floats] = {}
    for unit in network.units:
        channels = unit.layer.out_channels
        found |= {f"{unit.norm}.weight": np.ones(channels), f"{unit.norm}.bias": np.zeros(channels)}
        found |= {f"{unit.norm}.running_mean": np.zeros(channels), f"{unit.norm}.running_var": np.ones(channels)}
    return found


def random_parameters(network: Network, seed: int) -> dict[str, Floats]:
    """Normal weights of variance 2 / inputs, γ = 1, β = 0; the classifier's uniform within 1 / √inputs."""
    rng = np.random.default_rng(seed)
    found = at_rest(network)
    for unit in network.units:
        shape = unit.layer.weight_shape
        found[f"{unit.name}.weight"] = rng.normal(0, sqrt(2 / np.prod(shape[1:])), shape)
    features, name = network.last_map[0], network.head.name
    most = 1 / sqrt(features)
    found[f"{name}.weight"] = rng.uniform(-most, most, (network.head.classes, features))
    found[f"{name}.bias"] = rng.uniform(-most, most, network.head.classes)
    return found
