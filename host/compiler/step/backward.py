"""The backward list: from the head's error back through the blocks, each unit's gradient and update on the way.

At a node the errors of its readers join to one, dz, with a power of two as its unit. Between two units the error e of
the second's input is that of the first's output, with a unit by channel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from host.compiler.step.head import ERROR_BITS
from host.compiler.step.masters import update
from host.compiler.step.matrix import gradient_pass, input_error_pass
from host.compiler.step.network import Block, Unit
from host.compiler.step.places import Places
from host.compiler.step.vector import Named, map_over, of_layer, scalar_on, tally_of_map
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
    def masks(self) -> list[MapFlag]:
        return [MapFlag.MASK_X0] if self.mask else []

    @property
    def of_power(self) -> list[ScalarFlag]:
        return [ScalarFlag.POWER] if self.units is None else []

    @property
    def blocks(self) -> dict[str, BlockPlace]:
        units = {} if self.units is None else {"units": self.units}
        return {"tally": self.tally, "in": self.step, **units}


def backward_list(places: Places, build: Build) -> list[Encoded]:
    return [command for _, command in named_backward(places, build)]


def head_blocks(places: Places) -> tuple[BlockPlace, BlockPlace]:
    """What the host says of the head's error: its unit, and its greatest magnitude by channel."""
    return places.block(Kind.TENSOR, "head"), places.block(Kind.TALLY, "head", places.network.last_map[0])


def error_tally(places: Places, unit: Unit) -> BlockPlace:
    """The tally of e; of a grouped layer that of e behind the mask."""
    before = places.reads_unit(unit)
    if unit.grouped and before is not None:
        return places.of_unit(Kind.TALLY, before, "sums")
    return places.of_input(Kind.TALLY, unit)


def named_backward(places: Places, build: Build) -> Iterator[Named]:
    """Each command with its layer's name; errors that join at a node count as the layer's that wrote the node."""
    blocks = places.network.blocks
    step, tally = head_blocks(places)
    error = Error(places.head_error(ERROR_BITS), ERROR_BITS, tally, step)  # one value a map
    yield from of_layer(places.network.head.name, _joined(places, blocks[-1], error, None, [MapFlag.BROADCAST]))
    for block, before in zip(reversed(blocks), [*reversed(blocks[:-1]), None], strict=True):
        error = _dz(places, block)
        for unit, source in zip(reversed(block.chain), [*reversed(block.inner), None], strict=True):
            yield from of_layer(unit.name, _unit(places, unit, error, build))
            if source is not None:
                sums = places.of_unit(Kind.TALLY, source, "sums")
                error = replace(_e(places, unit), tally=sums, mask={"mask_addr": places.mask(source).address})
                yield source.name, _sums(places, source, error)
        if block.branch:
            error = replace(_dz(places, block), tally=places.of_unit(Kind.TALLY, block.branch, "sums"))
            yield block.branch.name, _sums(places, block.branch, error)
            yield from of_layer(block.branch.name, _unit(places, block.branch, error, build))
        if before is not None:
            yield from of_layer(before.last.name, _join(places, block, before))


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


def _sums(places: Places, unit: Unit, error: Error) -> Encoded:
    """The tally of the error of a unit's output: alone and times y, behind its mask if it has one."""
    flags = [MapFlag.X0_SIGNED, MapFlag.TALLY, *error.masks]
    y = {"x2_bits": places.y_bits(unit), "x2_addr": places.y(unit).address}
    fields = {**y, **error.mask, "tally_addr": error.tally.address}
    return map_over(places, unit.makes, flags, error.values, error.bits, **fields)


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
    flags = [MapFlag.X0_SIGNED, MapFlag.X1_SIGNED, MapFlag.OUT_SIGNED, MapFlag.STOCHASTIC, *error.masks]
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
        seed_lo=places.numbers[unit.name],
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


def _join(places: Places, block: Block, before: Block) -> Iterator[Encoded]:
    """The errors of what a block read, added up at the node before it."""
    second = _dz(places, block) if block.stream else _e(places, block.branch) if block.branch else None
    yield from _joined(places, before, _e(places, block.chain[0]), second, [])


def _joined(places: Places, node: Block, first: Error, second: Error | None, flags: list[MapFlag]) -> Iterator[Encoded]:
    """One or two errors to a node's dz, cut where its ReLU cut, with its sums."""
    last, coefficients = node.last, places.of_node(Kind.COEFFICIENTS, node, "error")
    dz = _dz(places, node)
    blocks = {**first.blocks, "out": dz.step, "coefficients": coefficients}
    kinds, shifts, fields = first.of_power, {"shift": first.shift}, {}
    flags = [MapFlag.X0_SIGNED, MapFlag.OUT_SIGNED, MapFlag.TALLY, *flags]
    if second is not None:
        blocks |= {f"{name}1": block for name, block in second.blocks.items()}
        kinds = [*kinds, ScalarFlag.BRANCH if second.units else ScalarFlag.STREAM]
        shifts["shift1"] = second.shift
        flags.append(MapFlag.X1_SIGNED)
        fields = {"x1_bits": second.bits, "x1_addr": second.values.address}
    yield scalar_on(places, Opcode.JOIN, node.makes, kinds, blocks, wide_bits=dz.bits, **shifts)
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
        out0_bits=dz.bits,
        out0_addr=dz.values.address,
        coefficients_addr=coefficients.address,
        tally_addr=dz.tally.address,
        **fields,
    )
