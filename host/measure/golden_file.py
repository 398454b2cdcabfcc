"""What a file of golden data may hold, checked where there is pydantic 2: an image of a board has none."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from host.compiler.layer import Conv
from host.compiler.results import Results
from host.measure.golden import GoldenError
from sim.common.checked import Checked, Count, Listed, Name, Whole, within
from sim.contract import MAX_OPERAND_BITS

Pair = Annotated[tuple[int, int], Listed]
Width = Annotated[int, within((1, MAX_OPERAND_BITS))]


class Shape(Checked):
    """Of a layer; the compiler checks the numbers themselves."""

    batch: int
    in_channels: int
    out_channels: int
    height: int
    width: int
    kernel: Pair
    stride: Pair
    padding: Pair
    groups: int

    def layer(self) -> Conv:
        return Conv(**dict(self))


class GoldenFile(Checked):
    """As `Golden.save` writes it."""

    error: ClassVar[type[ValueError]] = GoldenError

    format: Literal[1]
    network: Name
    batch: Count
    results: Annotated[Results, BeforeValidator(Results)]
    layers: Annotated[dict[str, Annotated[Shape, AfterValidator(Shape.layer)]], Field(min_length=1)]
    steps: Annotated[list[Annotated[tuple[Whole, Width, Width], Listed]], Field(min_length=1)]
    digests: dict[str, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]
