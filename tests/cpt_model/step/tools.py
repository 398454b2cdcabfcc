"""The same commands on the reference and on unpacked tensors: regions must end up equal, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from unittest.mock import patch

import numpy as np
import torch

from cpt_model.step.machine import TensorMachine
from cpt_model.step.memory import to_blocks, to_channels
from host.compiler.command_list import CommandList
from sim.contract import (
    CHANNEL_BLOCK,
    BlockPlace,
    Build,
    Command,
    Encoded,
    Flag,
    MapCommand,
    MapFlag,
    Place,
    Tensor,
    encode_list,
    operands,
    pack_planes,
    unpack_planes,
)
from sim.contract.tensors import PLANE_WORD, planes_at, weights_at
from sim.reference import Reference

HUGE = Build(
    "huge", lanes=48, columns=16, slice_groups=9, lane_words=1 << 20, column_words=65536, row_words=65536, bus_bytes=64
)


@contextmanager
def native(on: bool) -> Iterator[None]:
    """With or without the C++ kernels."""
    if on:
        yield
        return
    with patch("cpt_model.step.native.load", return_value=None):
        yield


class Region:
    """Bytes that tensors and blocks are laid out in, one behind the other; the list comes first."""

    def __init__(self, size: int = 1 << 22, seed: int = 0) -> None:
        self.bytes = np.zeros(size, np.uint8)
        self.random = np.random.default_rng(seed)
        self._top = 1 << 16

    def take(self, size: int) -> int:
        start = self._top
        self._top += -(-size // 64) * 64
        assert self._top <= self.bytes.size
        return start

    def block(self, kind, channels: int = 0) -> BlockPlace:
        return BlockPlace(kind, self.take(BlockPlace(kind, 0, channels).bytes), channels)

    def planes(self, *shape: int) -> Tensor:
        """Images, blocks, height, width and bits."""
        images, blocks, height, width, bits = shape
        size = planes_at(0, images, blocks, height, width, bits).end
        return planes_at(self.take(size), images, blocks, height, width, bits)

    def words(self, ins: int, outs: int, kernel: tuple[int, int], dtype: str = "<i4") -> Tensor:
        size = weights_at(0, ins, outs, kernel, np.dtype(dtype)).end
        return weights_at(self.take(size), ins, outs, kernel, np.dtype(dtype))

    def fill(self, place: Tensor, signed: bool, channels: int | None = None) -> np.ndarray:
        """Random codes over the whole range, with ends; channels beyond those given are 0."""
        n, blocks, (h, bits, w) = place.images, place.blocks, place.tile
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        codes = self.random.integers(low, high + 1, (n, CHANNEL_BLOCK * blocks, h, w))
        ends = self.random.random(codes.shape)
        codes = np.where(ends < 0.05, low, np.where(ends > 0.95, high, codes))
        codes[:, channels:] = 0 if channels is not None else codes[:, channels:]
        place.write(self.bytes, pack_planes(codes, bits, signed))
        return codes


OUT_SIGNED = MapFlag.OUT_SIGNED
SIGNS: dict[type[Encoded], dict[str, IntEnum]] = {
    Command: {"a": Flag.A_SIGNED, "b": Flag.B_SIGNED, "out": Flag.OUT_SIGNED},
    MapCommand: {"x0": MapFlag.X0_SIGNED, "x1": MapFlag.X1_SIGNED, "out0": OUT_SIGNED, "out1": OUT_SIGNED},
}
Planes = list[tuple[Tensor, bool | None]]


def planes_read(command: Encoded) -> Planes:
    """Tensors of bit planes and their signs; None for a mask."""
    return _planes(command, operands(command).reads)


def planes_written(command: Encoded) -> Planes:
    return _planes(command, operands(command).writes)


def _planes(command: Encoded, places: dict[str, Place]) -> Planes:
    signs: dict[str, bool | None] = {"x2": True, "codes": True, "codes_in": True, "mask": None}
    signs |= {name: command.flag(flag) for name, flag in SIGNS.get(type(command), {}).items()}
    found = ((name, place) for name, place in places.items() if isinstance(place, Tensor))
    return [(place, signs[name]) for name, place in found if place.dtype == PLANE_WORD]


def unpack(machine: TensorMachine, region: np.ndarray, place: Tensor, signed: bool | None) -> None:
    """A tensor of the region into the machine's memory."""
    planes = place.read(region)
    if signed is None:
        machine.mask(place).copy_(torch.from_numpy(planes[:, :, :, 0].astype(np.int16)))
    else:
        codes = torch.from_numpy(unpack_planes(planes, CHANNEL_BLOCK * place.blocks, signed))
        machine.codes(place, signed).copy_(to_blocks(codes))


def pack(machine: TensorMachine, region: np.ndarray, place: Tensor, signed: bool | None) -> None:
    """A tensor of the machine's memory into a region."""
    if signed is None:
        planes: np.ndarray = machine.mask(place).numpy().view(np.uint16)[:, :, :, None]
    else:
        planes = pack_planes(to_channels(machine.codes(place, signed)).long().numpy(), place.tile[1], signed)
    place.write(region, planes)


def on_reference(region: Region, commands: Sequence[Encoded]) -> np.ndarray:
    memory = region.bytes.copy()
    data = encode_list(commands)
    memory[: len(data)] = np.frombuffer(data, np.uint8)
    outcome = Reference(HUGE).run(memory, 0, len(data))
    assert not outcome.error, (outcome.error.name, outcome)
    memory[: len(data)] = 0
    return memory


def on_tensors(region: np.ndarray, commands: Sequence[Encoded]) -> np.ndarray:
    machine = TensorMachine(HUGE, region.size)
    machine.memory[:] = region
    written: set[int] = set()
    for command in commands:
        for place, signed in planes_read(command):
            if place.address not in written:
                unpack(machine, region, place, signed)
        written |= {place.address for place, _ in planes_written(command)}
    machine.run(CommandList(tuple(commands), 0))
    for command in commands:
        for place, signed in planes_written(command):
            pack(machine, machine.memory, place, signed)
    return machine.memory


def check(region: Region, commands: Sequence[Encoded], threads: Sequence[int] = (2,)) -> np.ndarray:
    """With and without C++, the region ends as on the reference; what that is."""
    wanted = on_reference(region, commands)
    before = torch.get_num_threads()
    try:
        for on in (True, False):
            for count in threads:
                torch.set_num_threads(count)
                with native(on):
                    found = on_tensors(region.bytes, commands)
                differing = np.flatnonzero(found != wanted)
                assert not differing.size, f"native {on}: {differing.size} bytes differ, first at {differing[0]:#x}"
    finally:
        torch.set_num_threads(before)
    return wanted
