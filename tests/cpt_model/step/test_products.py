"""CONV and WGRAD on unpacked tensors against the reference."""

from __future__ import annotations

import pytest

from sim.contract import Block, Command, Flag, Format, Opcode, Tensor, flag_bits
from tests.cpt_model.step.tools import Region, check

# images, blocks of A, blocks of results, height, width, kernel, stride, up, padding before and behind
GEOMETRIES = {
    "3 x 3": (3, 1, 1, 6, 9, (3, 3), 1, 1, (1, 1)),
    "two blocks, odd": (2, 2, 3, 5, 7, (3, 3), 1, 1, (1, 1)),
    "stride 2": (2, 1, 2, 8, 8, (3, 3), 2, 1, (1, 0)),
    "stride 2, 1 x 1": (2, 2, 1, 7, 7, (1, 1), 2, 1, (0, 0)),
    "stride 3": (1, 1, 1, 11, 8, (3, 2), 3, 1, (1, 2)),
    "wide rows": (1, 1, 4, 2, 40, (3, 3), 1, 1, (1, 1)),
    "5 x 1 on one pixel": (5, 1, 1, 1, 1, (5, 1), 1, 1, (4, 4)),
    "no padding": (1, 3, 2, 4, 4, (4, 4), 1, 1, (0, 0)),
}
INSERTED = {
    "up 2": (2, 2, 1, 4, 5, (3, 3), 1, 2, (1, 2)),
    "up 2, 1 x 1": (2, 1, 2, 4, 4, (1, 1), 1, 2, (0, 1)),
    "up 3, stride 2": (1, 1, 1, 5, 4, (3, 3), 2, 3, (2, 1)),
    "up 2, stride 4": (1, 1, 1, 9, 9, (3, 2), 4, 2, (1, 1)),
}
EVERYWHERE = GEOMETRIES | INSERTED


def geometry(shape) -> Command:
    n, a_blocks, y_blocks, h, w, (kh, kw), stride, up, (before, behind) = shape
    extents = [((size - 1) * up + 1 + before + behind - k) // stride + 1 for size, k in ((h, kh), (w, kw))]
    return Command(
        images=n, a_blocks=a_blocks, y_blocks=y_blocks, a_height=h, a_width=w, y_height=extents[0], y_width=extents[1],
        kernel_h=kh, kernel_w=kw, stride_y=stride, stride_x=stride, up_y=up, up_x=up,
        pad_top=before, pad_left=before, pad_bottom=behind, pad_right=behind,
    )  # fmt: skip


def place(command: Command, name: str, tensor: Tensor) -> None:
    setattr(command, f"{name}_addr", tensor.address)
    setattr(command, f"{name}_image_stride", tensor.image_stride)
    setattr(command, f"{name}_block_stride", tensor.block_stride)


def conv(region: Region, shape, a_bits, b_bits, out_bits, shift, flags, channels=None) -> Command:
    command = geometry(shape)
    command.opcode, command.a_bits, command.b_bits = Opcode.CONV, a_bits, b_bits
    command.out_bits, command.shift, command.out_format, command.flags = (
        out_bits,
        shift,
        Format.PLANES,
        flag_bits(*flags),
    )
    a = region.planes(command.images, command.a_blocks, command.a_height, command.a_width, a_bits)
    b = region.planes(16 * command.y_blocks, command.a_blocks, command.kernel_h, command.kernel_w, b_bits)
    out = region.planes(command.images, command.y_blocks, command.y_height, command.y_width, out_bits)
    region.fill(a, Flag.A_SIGNED in flags, channels)
    region.fill(b, Flag.B_SIGNED in flags, channels)
    for name, tensor in (("a", a), ("b", b), ("out", out)):
        place(command, name, tensor)
    if Flag.STATS in flags:
        command.tally_addr = region.block(Block.TALLY, 16 * command.y_blocks).address
    return command


B, OUT, HALF, STATS, A = Flag.B_SIGNED, Flag.OUT_SIGNED, Flag.HALF, Flag.STATS, Flag.A_SIGNED


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize(
    ("bits", "out_bits", "shift", "flags"),
    [
        ((8, 8), 16, 5, (B, OUT, HALF, STATS)),
        ((8, 8), 10, 3, (A, B, OUT, HALF, STATS)),
        ((3, 3), 8, 2, (B, OUT, HALF, STATS)),
        ((5, 1), 7, 0, (A, B, OUT, HALF, STATS)),
        ((8, 6), 12, 4, (A, B, OUT)),
        ((4, 7), 15, 1, (STATS,)),
    ],
)
def test_conv(name, bits, out_bits, shift, flags):
    region = Region(seed=len(name) + out_bits)
    check(region, [conv(region, EVERYWHERE[name], bits[0], bits[1], out_bits, shift, flags)], threads=(1, 2))


@pytest.mark.parametrize(
    ("bits", "flags"),
    [
        ((14, 1), (OUT, STATS)),
        ((8, 9), (B, OUT, HALF)),
        ((9, 8), (A, B, OUT, STATS)),
        ((8, 8), (OUT,)),
        ((8, 8), (A, B)),
    ],
)
def test_conv_of_wide_codes(bits, flags):
    region = Region()
    check(region, [conv(region, EVERYWHERE["stride 2"], bits[0], bits[1], 12, 7, flags)])


def test_images_of_three_channels():
    region = Region()
    check(region, [conv(region, EVERYWHERE["3 x 3"], 8, 8, 16, 6, (A, B, OUT, HALF, STATS), channels=3)])


def test_stochastic_conv():
    region = Region()
    command = conv(region, EVERYWHERE["3 x 3"], 8, 8, 12, 6, (A, B, OUT, HALF, STATS, Flag.STOCHASTIC))
    command.seed_lo, command.seed_hi = 5, 9
    check(region, [command])


@pytest.mark.parametrize("out_format", [Format.INT16, Format.INT32, Format.INT64])
def test_conv_to_words(out_format):
    region = Region()
    command = conv(region, EVERYWHERE["no padding"], 14, 1, 12, 0, ())
    command.out_format, command.out_bits = out_format, 12 if out_format == Format.INT16 else 0
    size = {Format.INT16: 2, Format.INT32: 4, Format.INT64: 8}[out_format] * 16
    command.out_block_stride = command.y_height * command.y_width * size
    command.out_image_stride = command.y_blocks * command.out_block_stride
    command.out_addr = region.take(command.images * command.out_image_stride)
    check(region, [command])


@pytest.mark.parametrize("name", GEOMETRIES)
@pytest.mark.parametrize(("bits", "flags"), [((8, 8), (B,)), ((8, 8), (A, B)), ((3, 6), (B,)), ((8, 12), (A, B))])
@pytest.mark.parametrize("out_format", [Format.INT32, Format.INT64])
def test_wgrad(name, bits, flags, out_format):
    region = Region(seed=len(name))
    command = geometry(GEOMETRIES[name])
    command.opcode, command.flags, command.out_format = Opcode.WGRAD, flag_bits(*flags), out_format
    command.a_bits, command.b_bits = bits
    a = region.planes(command.images, command.a_blocks, command.a_height, command.a_width, bits[0])
    b = region.planes(command.images, command.y_blocks, command.y_height, command.y_width, bits[1])
    region.fill(a, Flag.A_SIGNED in flags)
    region.fill(b, signed=True)
    kernel = (command.kernel_h, command.kernel_w)
    out = region.words(16 * command.a_blocks, 16 * command.y_blocks, kernel, "<i4" if out_format == 1 else "<i8")
    for which, tensor in (("a", a), ("b", b), ("out", out)):
        place(command, which, tensor)
    check(region, [command], threads=(1, 2))


def test_many_images_pass_32_bits():
    region = Region(1 << 23)
    command = geometry((257, 1, 1, 16, 16, (1, 1), 1, 1, (0, 0)))
    command.opcode, command.flags, command.out_format = Opcode.WGRAD, flag_bits(B), Format.INT64
    command.a_bits = command.b_bits = 8
    a, b = (region.planes(257, 1, 16, 16, 8) for _ in range(2))
    region.bytes[a.address : a.end] = 0xFF
    region.fill(b, signed=True)
    for which, tensor in (("a", a), ("b", b), ("out", region.words(16, 16, (1, 1), "<i8"))):
        place(command, which, tensor)
    check(region, [command])


def test_parts_of_a_tensor():
    """Blocks of a grouped layer: one command each, reading and writing its blocks of every image."""
    region = Region()
    whole = (3, 2, 2, 5, 5, (3, 3), 1, 1, (1, 1))
    before, first, behind = (
        conv(region, whole, 4, 4, 4, 6, (B,)),
        conv(region, whole, 4, 4, 9, 1, (B, OUT)),
        conv(region, whole, 9, 4, 9, 1, (A, B, OUT)),
    )
    for one, other in ((before, first), (first, behind)):
        for name in ("addr", "image_stride", "block_stride"):
            setattr(other, f"a_{name}", getattr(one, f"out_{name}"))
    parts = []
    for block in range(2):
        part = Command(**vars(first))
        part.a_blocks = part.y_blocks = 1
        part.a_addr += block * part.a_block_stride
        part.out_addr += block * part.out_block_stride
        part.b_addr += 16 * block * part.b_image_stride
        parts.append(part)
    check(region, [before, *parts, behind])
