"""The contract's vectors of whole steps on unpacked tensors: what is legal there, with and without C++."""

from __future__ import annotations

import numpy as np
import pytest

from cpt_model.step.memory import bits_of
from sim.contract import CLASSES, COMMAND_BYTES, MAX_OUT_BITS, Build, Command, Encoded, Error, Flag
from sim.vectors import Vector
from sim.vectors.catalogue import VECTOR_UNIT_FAMILIES
from tests.cpt_model.step.tools import native, on_tensors, planes_read, planes_written

TINY = Build.named("tiny")


def commands_of(vector: Vector) -> list[Encoded]:
    data = vector.before[vector.list_offset : vector.list_offset + vector.list_bytes].tobytes()
    pieces = (data[start : start + COMMAND_BYTES] for start in range(0, len(data), COMMAND_BYTES))
    return [CLASSES[piece[0]].decode(piece) for piece in pieces]


def held(commands: list[Encoded]) -> bool:
    """Row sums are not made, nor unsigned codes of 16 bits held: no list of a whole step has them."""
    planes = [each for command in commands for each in (*planes_read(command), *planes_written(command))]
    wide = any(signed is False and bits_of(place) == MAX_OUT_BITS for place, signed in planes)
    return not wide and not any(isinstance(each, Command) and each.flag(Flag.ROW_SUMS) for each in commands)


def test_few_vectors_are_left_out():
    legal = [vector for family in VECTOR_UNIT_FAMILIES for vector in family(TINY) if vector.error is Error.OK]
    assert len(legal) - sum(held(commands_of(vector)) for vector in legal) <= 15


@pytest.mark.parametrize("kernels", [True, False], ids=["native", "torch"])
@pytest.mark.parametrize("family", VECTOR_UNIT_FAMILIES, ids=lambda family: family.__name__)
def test_legal_vectors(family, kernels):
    for vector in family(TINY):
        if vector.error is not Error.OK or not held(commands_of(vector)):
            continue
        with native(kernels):
            found = on_tensors(vector.before, commands_of(vector))
        differing = np.flatnonzero(found != vector.after)
        assert not differing.size, f"{vector.name}: {differing.size} bytes differ, first at {differing[0]:#x}"
