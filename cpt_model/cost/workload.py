"""The distinct products of a training iteration, so that many builds can be timed quickly.

A ResNet has few shapes of layers; `AcceleratorBoard` gives the same hours, layer by layer.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpt_model.cost.accelerator import Profile, layer_passes, product_time
from cpt_model.tracing.counts import ModelCount
from host.compiler.bits import Bits
from host.compiler.layer import Conv, Pass

Share = dict[str, float]  # cycles of an iteration that the array, the loads or the stores rule


@dataclass(frozen=True)
class Workload:
    """Products of one iteration and how often each is computed, and a layer that has it."""

    products: dict[tuple[Conv, Pass], int]
    layers: dict[tuple[Conv, Pass], str]

    @classmethod
    def of(cls, count: ModelCount, batch: int) -> Workload:
        products: dict[tuple[Conv, Pass], int] = {}
        layers: dict[tuple[Conv, Pass], str] = {}
        for layer, which in layer_passes(count):
            for product in layer.products:
                asked = product.of_batch(batch)
                key = asked.shape, which
                products[key] = products.get(key, 0) + asked.times
                layers.setdefault(key, layer.name)
        return cls(products, layers)

    def cycles(self, bits: Bits, profile: Profile) -> Share:
        """Of an iteration, by what rules them; a pass that does not fit the build is refused, with its layer."""
        ruled = dict.fromkeys(("compute", "load", "store"), 0.0)
        for (shape, which), times in self.products.items():
            time = product_time(shape, which, bits, profile, self.layers[shape, which])
            ruled[time.bottleneck] += times * time.cycles
        return ruled
