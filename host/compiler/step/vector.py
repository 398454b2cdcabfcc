"""Fields that vector and scalar commands on one map share; and a command with the layer that it is for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from host.compiler.step.network import Map
from host.compiler.step.places import Places
from sim.contract import (
    BlockPlace,
    Encoded,
    MapCommand,
    MapFlag,
    Opcode,
    ScalarCommand,
    ScalarFlag,
    Tensor,
    blocks_of,
    flag_bits,
)

Named = tuple[str, Encoded]


def of_layer(name: str, commands: Iterable[Encoded]) -> Iterator[Named]:
    return ((name, command) for command in commands)


def map_over(places: Places, shape: Map, flags: list[MapFlag], x0: Tensor, x0_bits: int, **fields: Any) -> MapCommand:
    """A MAP over the batch's maps of this shape."""
    channels, height, width = shape
    return MapCommand(
        x0_bits=x0_bits,
        x0_addr=x0.address,
        flags=flag_bits(*flags),
        images=places.batch,
        blocks=blocks_of(channels),
        height=height,
        width=width,
        **fields,
    )


def scalar_on(
    places: Places, opcode: Opcode, shape: Map, flags: list[ScalarFlag], blocks: dict[str, BlockPlace], **fields: Any
) -> ScalarCommand:
    """A scalar command on the channels of such a map; blocks by the names of their address fields."""
    channels, height, width = shape
    return ScalarCommand(
        opcode,
        flags=flag_bits(*flags),
        images=places.batch,
        channels=channels,
        height=height,
        width=width,
        **{f"{name}_addr": block.address for name, block in blocks.items()},
        **fields,
    )


def tally_of_map(places: Places, shape: Map, values: Tensor, bits: int, tally: BlockPlace) -> MapCommand:
    """Sums, squares, least and greatest of a tensor that no single command made."""
    flags = [MapFlag.X0_SIGNED, MapFlag.TALLY]
    other = {"x2_bits": bits, "x2_addr": values.address}
    return map_over(places, shape, flags, values, bits, **other, tally_addr=tally.address)
