"""A network as the compiler sees it: units, the blocks they form, and the classifier behind them.

A block:  x → unit → ReLU → unit → ReLU → ... → last unit → + (stream: x itself; or branch: a unit of x) → [ReLU]
What comes out is its node: the next block's x.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

from host.compiler.layer import Conv, LayerError

Map = tuple[int, int, int]  # channels, height, width


@dataclass(frozen=True)
class Unit:
    """A convolution without bias and the batch normalisation behind it; names are those of PyTorch's modules."""

    name: str
    norm: str
    layer: Conv = field(repr=False)  # of one image

    @cache  # noqa: B019 (a unit is a value; lists are made again and again)
    def of(self, batch: int) -> Conv:
        """The convolution of a batch."""
        return replace(self.layer, batch=batch)

    @property
    def reads(self) -> Map:
        return self.layer.input_shape[1:]

    @property
    def makes(self) -> Map:
        return self.layer.output_shape[1:]

    @property
    def grouped(self) -> bool:
        return self.layer.groups > 1


@dataclass(frozen=True)
class Block:
    """Units one behind the other, with a ReLU between two; the last one's result, and what joins it, is the node."""

    name: str
    chain: tuple[Unit, ...]
    stream: bool = False  # the block's input is added
    branch: Unit | None = None  # or this unit's result
    relu: bool = True  # behind the node

    def __post_init__(self) -> None:
        if not self.chain:
            raise LayerError(f"block '{self.name}' has no units")
        for before, after in zip(self.chain, self.chain[1:], strict=False):
            _same(before.makes, after.reads, f"'{before.name}' makes", f"'{after.name}' reads")
        if self.stream and self.branch:
            raise LayerError(f"block '{self.name}': either its input joins the result or a branch, not both")
        if self.stream:
            _same(self.reads, self.makes, f"block '{self.name}' reads", "and its input is added to")
        if self.branch:
            _same(self.branch.reads, self.reads, f"'{self.branch.name}' reads", f"'{self.chain[0].name}' reads")
            _same(self.branch.makes, self.makes, f"'{self.branch.name}' makes", f"'{self.last.name}' makes")

    @property
    def inner(self) -> tuple[Unit, ...]:
        """The units with a ReLU and nothing else behind them."""
        return self.chain[:-1]

    @property
    def last(self) -> Unit:
        return self.chain[-1]

    @property
    def units(self) -> tuple[Unit, ...]:
        """In the order of the forward pass: the branch before the last unit, so that a node's two are neighbours."""
        branch = () if self.branch is None else (self.branch,)
        return (*self.inner, *branch, self.last)

    @property
    def reads(self) -> Map:
        return self.chain[0].reads

    @property
    def makes(self) -> Map:
        return self.last.makes


@dataclass(frozen=True)
class Head:
    """Mean of the last map, a fully connected layer with bias, softmax and cross entropy; `name` is PyTorch's."""

    name: str
    classes: int


@dataclass(frozen=True)
class Network:
    """Blocks one behind the other; the first reads the images, the last one's node is what the head reads.

    >>> from host.compiler.step.networks import named
    >>> [block.name for block in named("digits_resnet_8").blocks]
    ['conv1', 'layer1.0', 'layer2.0', 'layer3.0']
    """

    name: str
    blocks: tuple[Block, ...]
    head: Head

    def __post_init__(self) -> None:
        if not self.blocks:
            raise LayerError(f"network '{self.name}' has no blocks")
        first = self.blocks[0]
        if first.stream or first.branch:
            raise LayerError(f"block '{first.name}' reads the images: nothing else of them can join its result")
        for before, after in zip(self.blocks, self.blocks[1:], strict=False):
            _same(before.makes, after.reads, f"block '{before.name}' makes", f"block '{after.name}' reads")
        names = [unit.name for unit in self.units]
        if len(set(names)) < len(names):
            raise LayerError(f"network '{self.name}': two units have one name")

    @property
    def image(self) -> Map:
        return self.blocks[0].reads

    @property
    def last_map(self) -> Map:
        return self.blocks[-1].makes

    @property
    def units(self) -> tuple[Unit, ...]:
        return tuple(unit for block in self.blocks for unit in block.units)


def _same(made: Map, read: Map, what: str, other: str) -> None:
    if made != read:
        shapes = ["×".join(map(str, each)) for each in (made, read)]
        raise LayerError(f"{what} {shapes[0]}, {other} {shapes[1]}")
