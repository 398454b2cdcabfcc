"""Bytes that an iteration moves between its matrix passes, counted from its vector commands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from host.compiler.step.network import Network
from host.compiler.step.program import TrainingLists
from sim.contract import Encoded, MapCommand, Tensor, WeightCommand, operands


@dataclass(frozen=True)
class Traffic:
    """Of maps, forward and backward, and of weights; an element is one result of a convolution."""

    forward: int
    backward: int
    weights: int
    elements: int

    @property
    def per_element(self) -> float:
        """Bytes of maps."""
        return (self.forward + self.backward) / self.elements

    def row(self) -> str:
        """Bytes of maps an element: forward, backward, and both."""
        parts = (self.forward / self.elements, self.backward / self.elements, self.per_element)
        return "".join(f"{part:9.2f}" for part in parts)


def traffic(lists: TrainingLists) -> Traffic:
    both = (*lists.forward.commands, *lists.backward.commands)
    return Traffic(
        _moved(lists.forward.commands, MapCommand),
        _moved(lists.backward.commands, MapCommand),
        _moved(both, WeightCommand),
        elements(lists.places.network, lists.places.batch),
    )


def elements(network: Network, batch: int) -> int:
    """Results of all convolutions of a forward pass.

    >>> from host.compiler.step.networks import named
    >>> elements(named("cifar10_resnet_74"), batch=128)
    91750400
    """
    total = 0
    for unit in network.units:
        channels, height, width = unit.makes
        total += batch * channels * height * width
    return total


def _moved(commands: Iterable[Encoded], kind: type[Encoded]) -> int:
    """Tensors read, once however often they are named, and written."""
    total = 0
    for command in commands:
        if isinstance(command, kind):
            found = operands(command)
            for group in (set(found.sources.values()), found.results.values()):
                total += sum(each.images * each.blocks * each.tile_bytes for each in group if isinstance(each, Tensor))
    return total
