"""The forward list: every layer's codes, then block by block convolution, normalisation and codes; the map's sums last.

Evaluation normalises by running statistics, writes no masks and keeps records of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from host.compiler.step.masters import weights
from host.compiler.step.matrix import forward_pass, pooling
from host.compiler.step.network import Block, Unit
from host.compiler.step.places import Places
from host.compiler.step.vector import Named, map_over, of_layer, scalar_on, tally_of_map
from sim.contract import Block as Kind
from sim.contract import BlockPlace, Build, Encoded, MapFlag, Opcode, ScalarFlag


def forward_list(places: Places, build: Build, evaluate: bool = False) -> list[Encoded]:
    return [command for _, command in named_forward(places, build, evaluate)]


def statistics(places: Places, unit: Unit) -> BlockPlace:
    """The tally of y."""
    return places.of_unit(Kind.TALLY, unit)


def named_forward(places: Places, build: Build, evaluate: bool = False) -> Iterator[Named]:
    """Each command with its layer's name; what ends a block counts as its last layer's."""
    for unit in places.network.units:
        yield unit.name, weights(places, unit, both=not evaluate and not places.reads_images(unit))
    before: Block | None = None
    for block in places.network.blocks:
        for unit in block.inner:
            yield from of_layer(unit.name, _normalised(places, unit, build, evaluate))
            yield from of_layer(unit.name, _codes(places, unit, evaluate))
        if block.branch:
            yield from of_layer(block.branch.name, _normalised(places, block.branch, build, evaluate))
        yield from of_layer(block.last.name, _normalised(places, block.last, build, evaluate))
        yield from of_layer(block.last.name, _node(places, block, before, evaluate))
        before = block
    yield from of_layer(places.network.head.name, pooling(places, build))


def _normalised(places: Places, unit: Unit, build: Build, evaluate: bool) -> Iterator[Encoded]:
    """Convolution and the coefficients of its normalisation."""
    tally = statistics(places, unit)
    yield from forward_pass(places, unit, tally, build)
    if unit.grouped:
        yield tally_of_map(places, unit.makes, places.y(unit), places.y_bits(unit), tally)
    blocks = {
        "tally": tally,
        "norm": places.of_unit(Kind.NORM, unit),
        "parameters": places.of_unit(Kind.PARAMETERS, unit, kept=True),
        "units": places.of_unit(Kind.UNITS, unit),
        "in": places.source(unit).step,
    }
    if not evaluate:
        blocks["step"] = places.step()
    flags = [ScalarFlag.EVALUATE] if evaluate else []
    yield scalar_on(places, Opcode.NORM, unit.makes, flags, blocks, shift=places.y_stored(unit).shift)


def _codes(places: Places, unit: Unit, evaluate: bool) -> Iterator[Encoded]:
    """Inside a block: y to codes at once, and the mask of the ReLU."""
    coefficients = places.of_unit(Kind.COEFFICIENTS, unit)
    bits = places.bits.forward
    blocks = {
        "norm": places.of_unit(Kind.NORM, unit),
        "out": places.block(Kind.TENSOR, unit.name),
        "coefficients": coefficients,
    }
    yield scalar_on(places, Opcode.SCALE, unit.makes, [ScalarFlag.RELU], blocks, bits=bits)
    flags = [MapFlag.X0_SIGNED]
    fields = {"out0_bits": bits, "out0_addr": places.codes(unit).address}
    if not evaluate:
        flags.append(MapFlag.MASK_WRITE)
        fields["mask_addr"] = places.mask(unit).address
    fields["coefficients_addr"] = coefficients.address
    yield map_over(places, unit.makes, flags, places.y(unit), places.y_bits(unit), **fields)


def _node(places: Places, block: Block, before: Block | None, evaluate: bool) -> Iterator[Encoded]:
    """A block's end: y and what joins it to z; the codes of z, unless only the head reads it; the mask of the ReLU."""
    last, coefficients = block.last, places.of_node(Kind.COEFFICIENTS, block)
    blocks = {
        "norm": places.of_unit(Kind.NORM, last),
        "tally": places.node_tally(block),
        "out": places.node_step(block),
        "coefficients": coefficients,
    }
    signs, flags = [MapFlag.X0_SIGNED, MapFlag.TALLY], [ScalarFlag.NODE]
    fields = {"coefficients_addr": coefficients.address, "tally_addr": places.node_tally(block).address}
    if block.stream:
        assert before is not None
        flags.append(ScalarFlag.STREAM)
        blocks |= {"tally1": places.node_tally(before), "in1": places.node_step(before)}
        signs += [] if before.relu else [MapFlag.X1_SIGNED]
        fields |= {"x1_bits": places.node_bits, "x1_addr": places.z(before).address}
    if block.branch:
        flags.append(ScalarFlag.BRANCH)
        blocks["norm1"] = places.of_unit(Kind.NORM, block.branch)
        signs.append(MapFlag.X1_SIGNED)
        fields |= {"x1_bits": places.y_bits(block.branch), "x1_addr": places.y(block.branch).address}
    if not block.relu:
        signs.append(MapFlag.OUT_SIGNED)
    else:
        flags.append(ScalarFlag.RELU)
        if not evaluate:
            signs.append(MapFlag.MASK_WRITE)
            fields["mask_addr"] = places.node_mask(block).address
    if block is not places.network.blocks[-1]:
        fields |= {"out1_bits": places.bits.forward, "out1_addr": places.node_codes(block).address}
    fields |= {"out0_bits": places.node_bits, "out0_addr": places.z(block).address}
    widths = {"bits": places.bits.forward, "wide_bits": places.node_bits}
    yield scalar_on(places, Opcode.SCALE, block.makes, flags, blocks, **widths)
    yield map_over(places, block.makes, signs, places.y(last), places.y_bits(last), **fields)
