"""The backward list: from the head's error back through the blocks, each unit's gradient and update on the way.

At a node the errors of its readers join to one, dz, with a power of two as its unit. Between two units the error e of
the second's input is that of the first's output, with a unit by channel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from host.compiler.step.head import ERROR_BITS
from host.compiler.step.masters import update
from host.compiler.step.matrix import gradient_pass, input_error_pass
from host.compiler.step.network import Block, Unit
from host.compiler.step.places import Places
from host.compiler.step.vector import map_over, scalar_on, tally_of_map
from sim.contract import Block as Kind
from sim.contract import BlockPlace, Build, Encoded, MapFlag, Opcode, ScalarFlag, Tensor


@dataclass(frozen=True)
class Error:
    """An error as a vector command reads it: where, how wide, its sums, and what says what 1 stands for."""

    values: Tensor
    bits: int
    tally: BlockPlace
    step: BlockPlace
    units: BlockPlace | None = None  # by channel; without: a power of two
    shift: int = 0
    mask: dict[str, int] = field(default_factory=dict)

    @property
    def of_power(self) -> list[ScalarFlag]:
        return [ScalarFlag.POWER] if self.units is None else []

    @property
    def blocks(self) -> dict[str, BlockPlace]:
        units = {} if self.units is None else {"units": self.units}
        return {"tally": self.tally, "in": self.step, **units}


def backward_list(places: Places, build: Build) -> list[Encoded]:
    return list(_backward(places, build))


def head_blocks(places: Places) -> tuple[BlockPlace, BlockPlace]:
    """What the host says of the head's error: its unit, and its greatest magnitude by channel."""
    return places.block(Kind.TENSOR, "head"), places.block(Kind.TALLY, "head", places.network.last_map[0])


def error_tally(places: Places, unit: Unit) -> BlockPlace:
    """The tally of e; of a grouped layer that of e behind the mask."""
    before = places.reads_unit(unit)
    if unit.grouped and before is not None:
        return places.of_unit(Kind.TALLY, before, "sums")
    return places.of_input(Kind.TALLY, unit)


def _backward(places: Places, build: Build) -> Iterator[Encoded]:
    blocks = places.network.blocks
    step, tally = head_blocks(places)
    yield from _head_error(places, Error(places.head_error(ERROR_BITS), ERROR_BITS, tally, step))
    for block, before in zip(reversed(blocks), [*reversed(blocks[:-1]), None], strict=True):
        error = _dz(places, block)
        for unit, source in zip(reversed(block.chain), [*reversed(block.inner), None], strict=True):
            yield from _unit(places, unit, error, build)
            if source is not None:
                error = _e(places, unit)
                yield from _sums(places, source, error)
                error = _masked(places, source, error)
        if block.branch:
            error = _dz(places, block)
            sums = places.of_unit(Kind.TALLY, block.branch, "sums")
            yield from _sums(places, block.branch, error)
            error = Error(error.values, error.bits, sums, error.step)
            yield from _unit(places, block.branch, error, build)
        if before is not None:
            yield from _join(places, block, before)


def _dz(places: Places, block: Block) -> Error:
    step, tally = places.of_node(Kind.TENSOR, block, "error"), places.of_node(Kind.TALLY, block, "error")
    return Error(places.dz(block), places.error_sum_bits, tally, step)


def _e(places: Places, unit: Unit) -> Error:
    return Error(
        places.e(unit),
        places.e_bits(unit),
        error_tally(places, unit),
        places.of_unit(Kind.TENSOR, unit, "error"),
        places.of_input(Kind.UNITS, unit),
        places.e_stored(unit).shift,
    )


def _masked(places: Places, unit: Unit, error: Error) -> Error:
    """The error behind the unit's ReLU."""
    sums, mask = places.of_unit(Kind.TALLY, unit, "sums"), {"mask_addr": places.mask(unit).address}
    return Error(error.values, error.bits, sums, error.step, error.units, error.shift, mask)


def _sums(places: Places, unit: Unit, error: Error) -> Iterator[Encoded]:
    """Of the error of a unit's output, alone and times y; inside a block behind the mask of its ReLU."""
    inside = error.units is not None
    flags = [MapFlag.X0_SIGNED, MapFlag.TALLY, *([MapFlag.MASK_X0] if inside else [])]
    fields: dict[str, Any] = {"x2_bits": places.y_bits(unit), "x2_addr": places.y(unit).address}
    if inside:
        fields["mask_addr"] = places.mask(unit).address
    fields["tally_addr"] = places.of_unit(Kind.TALLY, unit, "sums").address
    yield map_over(places, unit.makes, flags, error.values, error.bits, **fields)


def _unit(places: Places, unit: Unit, error: Error, build: Build) -> Iterator[Encoded]:
    """Back through normalisation and convolution: error codes, gradient, update, and the error of what it reads."""
    coefficients = places.of_unit(Kind.COEFFICIENTS, unit, "error")
    blocks = {
        **error.blocks,
        "tally1": places.of_unit(Kind.TALLY, unit),
        "norm": places.of_unit(Kind.NORM, unit),
        "parameters": places.of_unit(Kind.PARAMETERS, unit, kept=True),
        "out": places.of_unit(Kind.TENSOR, unit, "error"),
        "coefficients": coefficients,
        "step": places.step(),
    }
    bits = places.bits.backward
    yield scalar_on(places, Opcode.ERROR, unit.makes, error.of_power, blocks, bits=bits, shift=error.shift)
    flags = [MapFlag.X0_SIGNED, MapFlag.X1_SIGNED, MapFlag.OUT_SIGNED, MapFlag.STOCHASTIC]
    flags += [MapFlag.MASK_X0] if error.mask else []
    yield map_over(
        places,
        unit.makes,
        flags,
        error.values,
        error.bits,
        x1_bits=places.y_bits(unit),
        x1_addr=places.y(unit).address,
        out0_bits=bits,
        out0_addr=places.error(unit).address,
        coefficients_addr=coefficients.address,
        step_addr=places.step().address,
        seed_lo=places.number(unit),
        **error.mask,
    )
    gradients = gradient_pass(places, unit, build)
    yield from gradients
    yield update(places, unit, gradients[0].out_format, gradients[0].out_addr)
    if not places.reads_images(unit):
        tally = error_tally(places, unit)
        yield from input_error_pass(places, unit, tally, build)
        if unit.grouped and places.reads_unit(unit) is None:
            yield tally_of_map(places, unit.reads, places.e(unit), places.e_bits(unit), tally)


def _head_error(places: Places, error: Error) -> Iterator[Encoded]:
    """The head's error, one value a map, to the last node's."""
    yield from _joined(places, places.network.blocks[-1], error, [], {}, {}, [MapFlag.BROADCAST])


def _join(places: Places, block: Block, before: Block) -> Iterator[Encoded]:
    """The errors of what a block read, added up at the node before it."""
    blocks: dict[str, BlockPlace] = {}
    widths: dict[str, int] = {}
    second: list[ScalarFlag] = []
    other: Error | None = None
    if block.stream:
        second, other = [ScalarFlag.STREAM], _dz(places, block)
    elif block.branch:
        second, other = [ScalarFlag.BRANCH], _e(places, block.branch)
        assert other.units is not None
        blocks["units1"], widths["shift1"] = other.units, other.shift
    fields: dict[str, Any] = {}
    if other is not None:
        blocks |= {"tally1": other.tally, "in1": other.step}
        fields = {"x1_bits": other.bits, "x1_addr": other.values.address}
    signs = [MapFlag.X1_SIGNED] if other is not None else []
    yield from _joined(places, before, _e(places, block.chain[0]), second, {**blocks}, {**fields}, signs, **widths)


def _joined(
    places: Places,
    node: Block,
    first: Error,
    second: list[ScalarFlag],
    blocks: dict[str, BlockPlace],
    fields: dict[str, Any],
    signs: list[MapFlag],
    **widths: int,
) -> Iterator[Encoded]:
    """To a node's dz, cut where its ReLU cut, with its sums."""
    last, coefficients = node.last, places.of_node(Kind.COEFFICIENTS, node, "error")
    step, tally = places.of_node(Kind.TENSOR, node, "error"), places.of_node(Kind.TALLY, node, "error")
    blocks |= {**first.blocks, "out": step, "coefficients": coefficients}
    scalars = {"wide_bits": places.error_sum_bits, "shift": first.shift, **widths}
    yield scalar_on(places, Opcode.JOIN, node.makes, [*first.of_power, *second], blocks, **scalars)
    flags = [MapFlag.X0_SIGNED, MapFlag.OUT_SIGNED, MapFlag.TALLY, *signs]
    if node.relu:
        flags.append(MapFlag.MASK_OUT)
        fields["mask_addr"] = places.node_mask(node).address
    yield map_over(
        places,
        node.makes,
        flags,
        first.values,
        first.bits,
        x2_bits=places.y_bits(last),
        x2_addr=places.y(last).address,
        out0_bits=places.error_sum_bits,
        out0_addr=places.dz(node).address,
        coefficients_addr=coefficients.address,
        tally_addr=tally.address,
        **fields,
    )
