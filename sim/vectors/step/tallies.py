"""Tallies for vectors of scalar commands: of drawn codes, or made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.contract import Block, BlockPlace
from sim.contract.noise import random_codes
from sim.vectors.step.region import Fill, Region, Shape

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Statistics:
    """A tally's place, and of how many pixels it is."""

    place: BlockPlace
    shape: Shape

    @property
    def fields(self) -> dict[str, int]:
        """What a scalar command says of its map."""
        n, c, h, w = self.shape
        return {"images": n, "channels": c, "height": h, "width": w}


def tally_of_codes(region: Region, values: Codes, others: Codes | None = None) -> Statistics:
    """The tally of values (n, c, h, w), with themselves or with others."""
    axes = (0, 2, 3)
    second = (values * (values if others is None else others)).sum(axes)
    records = {"sum": values.sum(axes), "second": second, "least": values.min(axes), "most": values.max(axes)}
    n, c, h, w = values.shape
    place = region.block(Block.TALLY, c, {name: list(row) for name, row in records.items()}, count=n * h * w)
    return Statistics(place, (n, c, h, w))


def drawn_tally(
    region: Region, shape: Shape = (2, 16, 4, 4), bits: int = 12, signed: bool = True, fill: Fill = random_codes
) -> Statistics:
    return tally_of_codes(region, fill(shape, bits, signed, region.seed))


def made_tally(region: Region, shape: Shape, sums: list[int], seconds: list[int], ends: tuple[int, int]) -> Statistics:
    """A tally as the host may write it, without a tensor behind it: the cheap way to a great count."""
    n, c, h, w = shape
    records = {"sum": sums, "second": seconds, "least": ends[0], "most": ends[1]}
    return Statistics(region.block(Block.TALLY, c, records, count=n * h * w), shape)
