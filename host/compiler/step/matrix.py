"""The matrix passes of a unit, one command a bundle of groups; the sums of the last map, one a block of channels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from host.compiler.geometry import addressed, geometry
from host.compiler.groups import Bundle, bundles
from host.compiler.layer import LayerError, Pass
from host.compiler.plan import PlanError
from host.compiler.refuse import refuse_what_cannot_run
from host.compiler.step.network import Unit
from host.compiler.step.places import Places
from host.compiler.step.widths import Stored
from sim.contract import (
    CHANNEL_BLOCK,
    MAX_KERNEL,
    WORD_TYPES,
    BlockPlace,
    Build,
    Command,
    Flag,
    Format,
    Opcode,
    Tensor,
    flag_bits,
)
from sim.contract.checks import cannot_overflow


def forward_pass(places: Places, unit: Unit, tally: BlockPlace, build: Build) -> list[Command]:
    """y, and its tally where one command makes it all."""
    source, stored = places.source(unit), places.y_stored(unit)
    command = geometry(unit.of(places.batch), Pass.FORWARD)
    command = _requantised(places, command, unit, stored, places.y_bits(unit), tally)
    command = replace(command, a_bits=source.bits, b_bits=places.bits.forward)
    command.flags |= flag_bits(Flag.A_SIGNED) if source.signed else 0
    operands = (source.codes, places.weight_codes(unit), places.y(unit))
    return _bundled(command, unit, Pass.FORWARD, operands, build)


def input_error_pass(places: Places, unit: Unit, tally: BlockPlace, build: Build) -> list[Command]:
    """e from the codes of y's error; a stride becomes zero insertion, so that the whole map is one tensor."""
    command = geometry(unit.of(places.batch), Pass.INPUT_ERROR)
    command = _requantised(places, command, unit, places.e_stored(unit), places.e_bits(unit), tally)
    command = replace(command, a_bits=places.bits.backward, b_bits=places.bits.forward)
    command.flags |= flag_bits(Flag.A_SIGNED)
    operands = (places.error(unit), places.weight_codes_in(unit), places.e(unit))
    return _bundled(command, unit, Pass.INPUT_ERROR, operands, build)


def gradient_pass(places: Places, unit: Unit, build: Build) -> list[Command]:
    """Exact sums, in 32 bits where they suffice."""
    source = places.source(unit)
    command = replace(
        geometry(unit.of(places.batch), Pass.WEIGHT_GRADIENT),
        a_bits=source.bits,
        b_bits=places.bits.backward,
        flags=flag_bits(Flag.B_SIGNED, *([Flag.A_SIGNED] if source.signed else [])),
    )
    command.out_format = Format.INT32 if cannot_overflow(command) else Format.INT64
    gradient = places.words(unit, "gradient", WORD_TYPES[Format(command.out_format)], kept=False)
    operands = (source.codes, places.error(unit), gradient)
    return _bundled(command, unit, Pass.WEIGHT_GRADIENT, operands, build)


def pooling(places: Places, build: Build) -> list[Command]:
    """Each channel's sum over the last map: a convolution as large as the map."""
    last = places.network.blocks[-1]
    channels, height, width = last.makes
    if max(height, width) > MAX_KERNEL:
        raise LayerError(
            f"network '{places.network.name}': the last map is {height} × {width}, summed are at most {MAX_KERNEL} ×"
            f" {MAX_KERNEL}"
        )
    z, ones, sums = places.z(last), places.ones(), places.pooled()
    command = Command(
        Opcode.CONV,
        a_bits=places.node_bits,
        b_bits=1,
        flags=0 if last.relu else flag_bits(Flag.A_SIGNED),
        out_format=Format.INT32,
        images=places.batch,
        a_height=height,
        a_width=width,
        kernel_h=height,
        kernel_w=width,
    )
    _refuse(command, Bundle(0, 1, CHANNEL_BLOCK, CHANNEL_BLOCK), build, "the sums of the last map")
    starts = range(0, channels, CHANNEL_BLOCK)
    return [addressed(command, z, ones, sums, (_block(z, at), ones.address, _block(sums, at))) for at in starts]


def _requantised(places: Places, command: Command, unit: Unit, stored: Stored, bits: int, tally: BlockPlace) -> Command:
    """Results as signed planes; layers without groups usually have codes of half steps, and tally as they store."""
    flags = [Flag.B_SIGNED, Flag.OUT_SIGNED, *([] if unit.grouped else [Flag.STATS])]
    flags += [Flag.HALF] if places.half(unit) else []
    tally_addr = 0 if unit.grouped else tally.address
    return replace(
        command,
        out_format=Format.PLANES,
        out_bits=bits,
        shift=stored.shift,
        flags=flag_bits(*flags),
        tally_addr=tally_addr,
    )


def _bundled(
    command: Command, unit: Unit, which: Pass, operands: tuple[Tensor, Tensor, Tensor], build: Build
) -> list[Command]:
    found = []
    a, b, out = operands
    for bundle in _turned(unit, which):
        part = replace(command, a_blocks=bundle.in_blocks, y_blocks=bundle.out_blocks)
        _refuse(part, bundle, build, f"{which.value} pass of '{unit.name}'")
        if which is Pass.WEIGHT_GRADIENT:
            starts = (
                _block(a, bundle.in_start),
                _block(b, bundle.out_start),
                out.address + bundle.in_start * out.image_stride,
            )
        else:
            starts = (
                _block(a, bundle.in_start),
                b.address + bundle.out_start * b.image_stride,
                _block(out, bundle.out_start),
            )
        found.append(addressed(part, a, b, out, starts))
    return found


def _turned(unit: Unit, which: Pass) -> Iterator[Bundle]:
    """The bundles as the pass sees them, from what it reads to what it makes."""
    for bundle in bundles(unit.layer):
        yield bundle.transposed() if which is Pass.INPUT_ERROR else bundle


def _block(tensor: Tensor, channel: int) -> int:
    return tensor.address + channel // CHANNEL_BLOCK * tensor.block_stride


def _refuse(command: Command, bundle: Bundle, build: Build, what: str) -> None:
    try:
        refuse_what_cannot_run(command, bundle, build)
    except (LayerError, PlanError) as problem:
        raise type(problem)(f"{what}: {problem}") from problem
