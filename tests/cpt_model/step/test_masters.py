"""UPDATE and WEIGHTS on a memory against the reference."""

from __future__ import annotations

import numpy as np
import pytest

from sim.contract import Block, Format, Opcode, WeightCommand, WeightFlag, blocks_of, flag_bits
from sim.contract.operands import bundle_channels
from sim.reference.masters import _live
from sim.reference.scalar import scalar
from tests.cpt_model.step.tools import Region, check

# input channels, output channels, groups, kernel
LAYERS = [(3, 16, 1, (3, 3)), (24, 40, 1, (1, 1)), (16, 32, 1, (2, 3)), (24, 24, 24, (3, 3)), (60, 60, 20, (1, 2))]


def layer(region: Region, opcode: Opcode, shape, most: int) -> tuple[WeightCommand, np.ndarray]:
    ins, outs, groups, (kh, kw) = shape
    group = (ins // groups, outs // groups) if groups > 1 else (0, 0)
    command = WeightCommand(
        opcode, in_channels=ins, out_channels=outs, group_in=group[0], group_out=group[1], kernel_h=kh, kernel_w=kw
    )
    place = region.words(ins, bundle_channels(command)[1], (kh, kw))
    words = region.random.integers(-most, most, (place.images, place.blocks, *place.tile))
    words = np.where(_live(command, words.shape), words, 0)
    place.write(region.bytes, words)
    command.w_addr = place.address
    command.max_out_addr = region.block(Block.MAXIMA, 16 * blocks_of(outs)).address
    command.max_in_addr = region.block(Block.MAXIMA, 16 * blocks_of(ins)).address
    return command, words


@pytest.mark.parametrize("shape", LAYERS)
@pytest.mark.parametrize("acc_format", [Format.INT32, Format.INT64])
@pytest.mark.parametrize(
    ("most", "rates", "steps"),
    [
        (1 << 27, (15099494, 210, 13421773), (-12, -25)),
        ((1 << 31) - 1, ((1 << 32) - 1, (1 << 32) - 1, (1 << 32) - 1), (-20, -10)),
        (1 << 20, (1 << 24, 0, 1 << 24), (5, 20)),
        (1 << 27, (15099494, 210, 13421773), (-60, -90)),
    ],
)
def test_update(shape, acc_format, most, rates, steps):
    region = Region()
    command, words = layer(region, Opcode.UPDATE, shape, most)
    command.acc_format = acc_format
    dtype, high = ("<i4", 1 << 31) if acc_format == Format.INT32 else ("<i8", 1 << 46)
    for name, kind, size in (("v", "<i4", 1 << 31), ("acc", dtype, high)):
        place = region.words(shape[0], bundle_channels(command)[1], shape[3], kind)
        place.write(region.bytes, region.random.integers(-size, size, words.shape))
        setattr(command, f"{name}_addr", place.address)
    for name, power in zip("xe", steps, strict=True):
        record = region.block(Block.TENSOR)
        record.begin(region.bytes)[0]["step"] = scalar(int(region.random.integers(1, 1 << 40)), power - 40)
        setattr(command, f"{name}_addr", record.address)
    rated = region.block(Block.STEP)
    header, _ = rated.begin(region.bytes)
    header["momentum"], header["weight_decay"], header["weight_rate"] = rates
    command.step_addr = rated.address
    check(region, [command], threads=(1, 2))


@pytest.mark.parametrize("shape", LAYERS)
@pytest.mark.parametrize("bits", [2, 3, 8, 12])
@pytest.mark.parametrize("flags", [(), (WeightFlag.HALF,), (WeightFlag.HALF, WeightFlag.BOTH), (WeightFlag.BOTH,)])
def test_weights(shape, bits, flags):
    region = Region()
    command, _ = layer(region, Opcode.WEIGHTS, shape, 1 << 28)
    command.bits, command.flags, command.acc_format = bits, flag_bits(*flags), 0
    outs, ins = 16 * blocks_of(shape[1]), 16 * blocks_of(shape[0])
    bundle_in, bundle_out = bundle_channels(command)
    for name, channels in (("max_out", outs), ("max_in", ins)):
        place = type(region.block(Block.UNITS))(Block.MAXIMA, getattr(command, f"{name}_addr"), channels)
        sizes = region.random.integers(1 << 20, 1 << 28, channels)  # some below the weights': codes saturate
        sizes[::5] = 0
        place.begin(region.bytes)[1][:] = sizes
    command.codes_addr = region.planes(outs, blocks_of(bundle_in), *shape[3], bits).address
    command.codes_in_addr = region.planes(ins, blocks_of(bundle_out), *shape[3], bits).address
    command.units_addr = region.block(Block.UNITS, outs).address
    command.units_in_addr = region.block(Block.UNITS, ins).address
    check(region, [command], threads=(1, 2))
