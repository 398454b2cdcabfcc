"""What a network computes for one sample: multiply-accumulates of products, elements of batch normalisations."""

from __future__ import annotations

from dataclasses import dataclass, replace

from host.compiler.bits import Bits
from host.compiler.layer import Conv


@dataclass(frozen=True)
class Product:
    """A product in the accelerator's terms: matrix products are 1 × 1 convolutions whose rows are a map's pixels.

    Args:
        shape: for one sample.
        times: how often it is computed.
        batched: whether the samples of a batch go through it together; they do where they share the weights.

    >>> rows = Product(Conv(batch=1, in_channels=64, out_channels=10, height=35, width=1), times=2)
    >>> rows.of_batch(8).shape.batch, rows.of_batch(8).times
    (8, 2)
    """

    shape: Conv
    times: int = 1
    batched: bool = True

    def of_batch(self, batch: int) -> Product:
        """What a batch of this number of samples needs."""
        if self.batched:
            return replace(self, shape=replace(self.shape, batch=batch * self.shape.batch))
        return replace(self, times=batch * self.times)


@dataclass(frozen=True)
class LayerCount:
    """One layer, for one sample and one pass.

    Args:
        name: as `named_modules` has it; a product outside any layer has the name of the module that computes it.
        kind: class of the layer ("Conv2d", "Linear", "LSTM", "MultiheadAttention", "BatchNorm2d"), or "product".
        macs: multiply-accumulates of the forward pass; each of the two backward products has as many.
        norm_elements: output elements of a batch normalisation.
        quantised: whether `prepare_` makes its products integer ones.
        bits: its own, if it does not follow the schedule.
        products: its forward products, where the accelerator has a command for them.
        foreign: those it has none for, in words.
    """

    name: str
    kind: str
    macs: int = 0
    norm_elements: int = 0
    quantised: bool = False
    bits: Bits | None = None
    products: tuple[Product, ...] = ()
    foreign: tuple[str, ...] = ()


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

    def macs_at(self, scheduled: Bits) -> dict[Bits, int]:
        """Of quantised layers, by the bits they have in a step for which the schedule has these."""
        found: dict[Bits, int] = {}
        for layer in self.layers:
            if layer.quantised:
                bits = layer.bits or scheduled
                found[bits] = found.get(bits, 0) + layer.macs
        return found

    @property
    def norm_elements(self) -> int:
        return sum(layer.norm_elements for layer in self.layers)

    @property
    def operations(self) -> int:
        """M of the papers' costs: multiply-accumulates, and 2 for each output element of a batch normalisation."""
        return self.macs + 2 * self.norm_elements
