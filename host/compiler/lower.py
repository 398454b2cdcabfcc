"""The compiler: a layer's matrix pass at given precisions to commands, in a planned region.

>>> layer = Conv(batch=2, in_channels=16, out_channels=16, height=8, width=8, kernel=(3, 3), padding=(1, 1))
>>> plan = Plan()
>>> program = lower(layer, Pass.FORWARD, Precision(4, 4, b_signed=True), Build.named("zc706"), plan=plan)
>>> len(program.commands), plan.bytes
(1, 11264)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from host.compiler.geometry import addressed, geometry
from host.compiler.groups import Bundle, bundles
from host.compiler.layer import Conv, Pass
from host.compiler.phases import Phase, phases
from host.compiler.plan import Plan
from host.compiler.precision import EXACT, Output, Precision
from host.compiler.program import Part, Program
from host.compiler.refuse import refuse_what_cannot_run
from host.compiler.slots import Shape, Slot
from sim.contract import (
    CHANNEL_BLOCK,
    MAX_OUT_BITS,
    REQUANTISED,
    Build,
    Command,
    Flag,
    Format,
    flag_bits,
    row_sums,
)
from sim.contract.checks import cannot_overflow

Placer = Callable[[Slot], Slot]
PLANE_PIXELS = 32  # a bit plane of them is 64 bytes


def lower(
    layer: Conv,
    which: Pass,
    precision: Precision,
    build: Build,
    output: Output = EXACT,
    *,
    plan: Plan,
    name: str = "",
    zero_insertion: bool = False,
) -> Program:
    """Commands for one pass, its tensors placed in the plan. Passes that share a plan each need a name.

    The input error of a strided layer is one command per phase (`phases`); on request, and where a phase cannot be
    expressed, one command on a zero-inserted map.
    """
    for given, kind in ((layer, Conv), (which, Pass), (precision, Precision), (build, Build), (output, Output)):
        if not isinstance(given, kind):
            raise TypeError(f"{given!r} is not of type {kind.__name__}")
    prefix = f"{name}." if name else ""

    def place(slot: Slot) -> Slot:
        return replace(slot, offset=plan.add(prefix + slot.name, slot.bytes))

    parts_of_layer = bundles(layer)
    if which is Pass.INPUT_ERROR:
        parts_of_layer = [bundle.transposed() for bundle in parts_of_layer]
    command = _template(geometry(layer, which), parts_of_layer[0], precision, output)
    if output.compact and _quicker_in_planes(command, build):
        command.out_format = Format.PLANES
    by_phase: dict[Phase | None, Command] = {None: command}
    if which is Pass.INPUT_ERROR and not zero_insertion:
        by_phase = {phase: phase.command(command) for phase in phases(layer)} or by_phase
    for each in by_phase.values():
        refuse_what_cannot_run(each, parts_of_layer[0], build)
    with plan.all_or_nothing():
        if which is Pass.WEIGHT_GRADIENT:
            parts = _wgrad_parts(layer, command, parts_of_layer, place)
        else:
            parts = _conv_parts(layer, which, by_phase, parts_of_layer, place)
        for index, part in enumerate(parts):
            sums = row_sums(part.command)
            if sums is not None:
                part.command.sums_addr = plan.add(f"{prefix}sums{index}", sums.tile_bytes)
            if output.seed is not None:
                part.command.seed_lo = output.seed + index & 0xFFFFFFFF
                part.command.seed_hi = output.seed + index >> 32 & 0xFFFFFFFF
    return Program(layer, which, tuple(parts))


def _quicker_in_planes(command: Command, build: Build) -> bool:
    """Whether fewer bits take fewer beats, as in rows of whole beats, and a row of planes fits the build."""
    whole_beats = command.y_width % PLANE_PIXELS == 0 and command.out_bits < MAX_OUT_BITS
    return whole_beats and command.y_width * command.out_bits <= build.row_words


def _template(command: Command, largest: Bundle, precision: Precision, output: Output) -> Command:
    """Geometry, precision and output put together, for the largest bundle."""
    wanted = {
        Flag.A_SIGNED: precision.a_signed,
        Flag.B_SIGNED: precision.b_signed,
        Flag.OUT_SIGNED: output.signed and output.out_format in REQUANTISED,
        Flag.STOCHASTIC: output.seed is not None,
        Flag.ROW_SUMS: output.row_sums,
    }
    command = replace(
        command,
        a_bits=precision.a_bits,
        b_bits=precision.b_bits,
        out_bits=output.bits,
        shift=output.shift,
        flags=flag_bits(*(flag for flag, on in wanted.items() if on)),
        out_format=Format.INT32 if output.out_format is None else output.out_format,
        a_blocks=largest.in_blocks,
        y_blocks=largest.out_blocks,
    )
    if output.out_format is None and not cannot_overflow(command):
        command.out_format = Format.INT64
    return command


def _conv_parts(
    layer: Conv, which: Pass, by_phase: dict[Phase | None, Command], parts_of_layer: list[Bundle], place: Placer
) -> list[Part]:
    """One CONV per phase and bundle: all read one map; those of a phase write one map, each its own channel blocks."""
    a_shape, out_shape = layer.input_shape, layer.output_shape
    if which is Pass.INPUT_ERROR:
        a_shape, out_shape = out_shape, a_shape
    any_command = next(iter(by_phase.values()))
    a = place(Slot("a", a_shape, any_command.flag(Flag.A_SIGNED), any_command.a_bits))
    parts: list[Part] = []
    for number, (phase, command) in enumerate(by_phase.items()):
        shape = (*out_shape[:2], command.y_height, command.y_width)
        out = place(_result_slot(f"out{number}" if phase else "out", shape, command))
        for bundle in parts_of_layer:
            index, kernel = len(parts), (command.kernel_h, command.kernel_w)
            b_shape = (CHANNEL_BLOCK * bundle.out_blocks, bundle.in_channels, *kernel)
            b = place(Slot(f"b{index}", b_shape, command.flag(Flag.B_SIGNED), command.b_bits))
            addresses = (a.at(bundle.in_start), b.offset, out.at(bundle.out_start))
            parts.append(Part(_placed(command, index, bundle, a, b, out, addresses), bundle, a, b, out, phase))
    return parts


def _wgrad_parts(layer: Conv, command: Command, parts_of_layer: list[Bundle], place: Placer) -> list[Part]:
    """One WGRAD per bundle: all read one map and one error, each writes its own gradient."""
    a = place(Slot("a", layer.input_shape, command.flag(Flag.A_SIGNED), command.a_bits))
    b = place(Slot("b", layer.output_shape, command.flag(Flag.B_SIGNED), command.b_bits))
    parts = []
    for index, bundle in enumerate(parts_of_layer):
        shape = (CHANNEL_BLOCK * bundle.in_blocks, bundle.out_channels, *layer.kernel)
        out = place(_result_slot(f"out{index}", shape, command))
        addresses = (a.at(bundle.in_start), b.at(bundle.out_start), out.offset)
        parts.append(Part(_placed(command, index, bundle, a, b, out, addresses), bundle, a, b, out))
    return parts


def _result_slot(name: str, shape: Shape, command: Command) -> Slot:
    signed = command.flag(Flag.OUT_SIGNED) or command.out_format not in REQUANTISED
    return Slot(name, shape, signed, command.out_bits, Format(command.out_format))


def _placed(
    command: Command, index: int, bundle: Bundle, a: Slot, b: Slot, out: Slot, starts: tuple[int, int, int]
) -> Command:
    command = replace(command, tag=index, a_blocks=bundle.in_blocks, y_blocks=bundle.out_blocks)
    return addressed(command, a, b, out, starts)
