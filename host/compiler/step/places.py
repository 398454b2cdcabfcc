"""Where a unit's and a node's tensors and blocks are, and how wide: the vocabulary of forward and backward lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from host.compiler.bits import Bits
from host.compiler.groups import bundles
from host.compiler.layer import Pass
from host.compiler.step.network import Block, Map, Network, Unit
from host.compiler.step.space import Space
from host.compiler.step.widths import (
    IMAGE_BITS,
    USUAL,
    Stored,
    Widths,
    error_result,
    forward_result,
)
from sim.contract import WORD_TYPES, BlockPlace, Format, Tensor, blocks_of
from sim.contract import Block as Kind
from sim.contract.tensors import planes_at, weights_at

MASTER = np.dtype("<i4")
Width = Callable[[str, Pass, int], int]  # unit, pass, width to start with -> width


@dataclass(frozen=True)
class Source:
    """What a unit reads: codes, their width, and the block with their unit."""

    codes: Tensor
    bits: int
    signed: bool
    step: BlockPlace


class Places:
    """Of one network, batch and bits. `own` sets apart what evaluation must not share with training."""

    def __init__(
        self,
        space: Space,
        network: Network,
        batch: int,
        bits: Bits,
        width: Width,
        own: str = "",
        widths: Widths = USUAL,
    ) -> None:
        self.space, self.network, self.batch, self.bits, self._width = space, network, batch, bits, width
        self.own, self.widths = own, widths
        self._reads: dict[str, Unit | Block | None] = {}
        self.numbers = {unit.name: number for number, unit in enumerate(network.units)}
        before: Block | None = None
        for block in network.blocks:
            for unit, source in zip(block.chain, (before, *block.inner), strict=True):
                self._reads[unit.name] = source
            if block.branch:
                self._reads[block.branch.name] = before
            before = block

    # Tensors.

    def planes(self, name: str, shape: Map, bits: int) -> Tensor:
        """Bit planes of the batch's maps."""
        channels, height, width = shape
        extents = (self.batch, blocks_of(channels), height, width, bits)
        return self._placed(name, lambda address: planes_at(address, *extents))

    def _placed(self, name: str, make: Callable[[int], Tensor], kept: bool = False) -> Tensor:
        return make(self.space.address(name, make(0).end, kept))

    def images(self, bank: int = 0) -> Tensor:
        """Two banks of them, of which one is filled while lists read the other; evaluation has its own, and one."""
        channels, height, width = self.network.image
        extents = (self.batch, blocks_of(channels), height, width, IMAGE_BITS)
        name = f"{self.own}images{bank or ''}"
        return self._placed(name, lambda address: planes_at(address, *extents), kept=not self.own)

    def source(self, unit: Unit) -> Source:
        before = self._reads[unit.name]
        if before is None:
            return Source(self.images(), IMAGE_BITS, True, self.block(Kind.TENSOR, "images", kept=True))
        forward = self.bits.forward
        if isinstance(before, Unit):
            return Source(self.codes(before), forward, False, self.block(Kind.TENSOR, before.name))
        return Source(self.node_codes(before), forward, not before.relu, self.node_step(before))

    def reads_images(self, unit: Unit) -> bool:
        return self._reads[unit.name] is None

    def reads_unit(self, unit: Unit) -> Unit | None:
        """The unit before it inside its block."""
        before = self._reads[unit.name]
        return before if isinstance(before, Unit) else None

    def y_stored(self, unit: Unit) -> Stored:
        before = self._reads[unit.name]
        signed = before is None or (isinstance(before, Block) and not before.relu)
        x_bits = IMAGE_BITS if before is None else self.bits.forward
        return forward_result(unit.of(self.batch), x_bits, signed, self.bits.forward, self.widths)

    def y_bits(self, unit: Unit) -> int:
        return self._width(unit.name, Pass.FORWARD, self.y_stored(unit).bits)

    def y(self, unit: Unit) -> Tensor:
        return self.planes(f"{unit.name} y", unit.makes, self.y_bits(unit))

    def codes(self, unit: Unit) -> Tensor:
        return self.planes(f"{unit.name} codes", unit.makes, self.bits.forward)

    def mask(self, unit: Unit) -> Tensor:
        return self.planes(f"{unit.name} mask", unit.makes, 1)

    def e_stored(self, unit: Unit) -> Stored:
        return error_result(unit.of(self.batch), self.bits, self.widths)

    def e_bits(self, unit: Unit) -> int:
        return self._width(unit.name, Pass.INPUT_ERROR, self.e_stored(unit).bits)

    def e(self, unit: Unit) -> Tensor:
        """The error of what the unit reads."""
        return self.planes(f"{unit.name} e", unit.reads, self.e_bits(unit))

    def error(self, unit: Unit) -> Tensor:
        """The codes of y's error."""
        return self.planes(f"{unit.name} error", unit.makes, self.bits.backward)

    @property
    def node_bits(self) -> int:
        return self.bits.forward + self.widths.node_more

    @property
    def error_sum_bits(self) -> int:
        return self.widths.error_sum

    def half(self, unit: Unit) -> bool:
        """Whether weights stand for odd multiples of half a step."""
        return self.widths.half and not unit.grouped

    def z(self, block: Block) -> Tensor:
        return self.planes(f"node {block.name} z", block.makes, self.node_bits)

    def node_codes(self, block: Block) -> Tensor:
        return self.planes(f"node {block.name} codes", block.makes, self.bits.forward)

    def node_mask(self, block: Block) -> Tensor:
        return self.planes(f"node {block.name} mask", block.makes, 1)

    def dz(self, block: Block) -> Tensor:
        return self.planes(f"node {block.name} error", block.makes, self.error_sum_bits)

    def head_error(self, bits: int) -> Tensor:
        """What the head sends back: one value for a whole map."""
        return self.planes("head error", (self.network.last_map[0], 1, 1), bits)

    def pooled(self) -> Tensor:
        """Sums of the last map, as words."""
        blocks, dtype = blocks_of(self.network.last_map[0]), WORD_TYPES[Format.INT32]
        stride = 16 * dtype.itemsize
        return self._placed(
            "head sums",
            lambda at: Tensor(at, self.batch, blocks, blocks * stride, stride, (1, 1, 16), dtype, stride),
        )

    def ones(self) -> Tensor:
        """Weights that sum a map: each of 16 channels to itself."""
        return self._placed("ones", lambda at: planes_at(at, 16, 1, *self.network.last_map[1:], 1), kept=True)

    # Weights.

    def words(self, unit: Unit, name: str, dtype: np.dtype = MASTER, kept: bool = True) -> Tensor:
        layer, bundle = unit.layer, bundles(unit.layer)[0]
        return self._placed(
            f"{unit.name} {name}",
            lambda at: weights_at(at, layer.in_channels, bundle.out_channels, layer.kernel, dtype),
            kept,
        )

    def weight_codes(self, unit: Unit) -> Tensor:
        """By output channel, for the forward pass."""
        layer, bundle = unit.layer, bundles(unit.layer)[0]
        extents = (16 * blocks_of(layer.out_channels), bundle.in_blocks, *layer.kernel, self.bits.forward)
        return self._placed(f"{unit.name} weights", lambda at: planes_at(at, *extents))

    def weight_codes_in(self, unit: Unit) -> Tensor:
        """By input channel and flipped, for the input-error pass."""
        layer, bundle = unit.layer, bundles(unit.layer)[0]
        extents = (16 * blocks_of(layer.in_channels), bundle.out_blocks, *layer.kernel, self.bits.forward)
        return self._placed(f"{unit.name} weights back", lambda at: planes_at(at, *extents))

    # Blocks.

    def block(self, kind: Kind, name: str, channels: int = 0, kept: bool = False) -> BlockPlace:
        made = BlockPlace(kind, 0, 16 * blocks_of(channels))
        return BlockPlace(kind, self.space.address(f"{name} {kind.name.lower()}", made.bytes, kept), made.channels)

    def of_unit(self, kind: Kind, unit: Unit, name: str = "", kept: bool = False) -> BlockPlace:
        """By output channel; `name` tells those of one kind apart."""
        channels = 0 if kind is Kind.TENSOR else unit.layer.out_channels
        return self.block(kind, f"{unit.name} {name}".strip(), channels, kept)

    def of_input(self, kind: Kind, unit: Unit, kept: bool = False) -> BlockPlace:
        """By input channel."""
        return self.block(kind, f"{unit.name} back", unit.layer.in_channels, kept)

    def of_node(self, kind: Kind, block: Block, name: str = "") -> BlockPlace:
        channels = 0 if kind is Kind.TENSOR else block.makes[0]
        return self.block(kind, f"node {block.name} {name}".strip(), channels)

    def node_step(self, block: Block) -> BlockPlace:
        """What a node's integers stand for; the next iteration takes its ratio from it."""
        return self.block(Kind.TENSOR, f"{self.own}node {block.name}", kept=not self.own)

    def node_tally(self, block: Block) -> BlockPlace:
        return self.block(Kind.TALLY, f"{self.own}node {block.name}", block.makes[0], kept=not self.own)

    def step(self) -> BlockPlace:
        return self.block(Kind.STEP, "rates", kept=True)
