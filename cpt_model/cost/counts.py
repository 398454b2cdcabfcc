"""What a network computes for one sample: multiply-accumulates of products, elements of batch normalisations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LayerCount:
    """One layer, for one sample and one pass.

    Args:
        name: as `named_modules` has it; a product outside any layer has the name of the module that computes it.
        kind: class of the layer ("Conv2d", "Linear", "LSTM", "MultiheadAttention", "BatchNorm2d"), or "product".
        macs: multiply-accumulates of the forward pass; each of the two backward products has as many.
        norm_elements: output elements of a batch normalisation.
        quantised: whether `prepare_` makes its products integer ones.
    """

    name: str
    kind: str
    macs: int = 0
    norm_elements: int = 0
    quantised: bool = False


@dataclass(frozen=True)
class ModelCount:
    """All layers of a network.

    >>> convolution = LayerCount("conv", "Conv2d", macs=1000, quantised=True)
    >>> count = ModelCount((convolution, LayerCount("bn", "BatchNorm2d", norm_elements=50)))
    >>> count.macs, count.norm_elements, count.operations, count.quantised_macs
    (1000, 50, 1100, 1000)
    """

    layers: tuple[LayerCount, ...]

    @property
    def macs(self) -> int:
        """Of all products, quantised or not."""
        return sum(layer.macs for layer in self.layers)

    @property
    def quantised_macs(self) -> int:
        return sum(layer.macs for layer in self.layers if layer.quantised)

    @property
    def norm_elements(self) -> int:
        return sum(layer.norm_elements for layer in self.layers)

    @property
    def operations(self) -> int:
        """M of the papers' costs: multiply-accumulates, and 2 for each output element of a batch normalisation."""
        return self.macs + 2 * self.norm_elements
