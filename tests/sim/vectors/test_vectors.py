"""The vectors: their file, what they cover, that both formulations agree on them, that no byte of them drifts.

`python tests/sim/vectors/test_vectors.py --write` renews both files of digests after a change that is meant:
vectors.sha256, and vector_unit.sha256 for what only an executor with a vector unit runs.
"""

import hashlib
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim.contract import ALL_FEATURES, BUILDS, COMMAND_BYTES, NO_COMMAND, Build, Error, Opcode, Outcome
from sim.contract.noise import random_codes
from sim.reference import Reference
from sim.reference.products import bit_serial
from sim.vectors import Vector, catalogue
from sim.vectors.catalogue import FAMILIES

DIGESTS = {0: Path(__file__).with_name("vectors.sha256")}
DIGESTS[ALL_FEATURES] = Path(__file__).with_name("vector_unit.sha256")
# The last build's vectors come from the same code: digests of them would be a thousand lines that show nothing more.
PINNED = [name for name in BUILDS if name != "zc706_train"]
EVERY = [*PINNED, pytest.param("zc706_train", marks=pytest.mark.exhaustive)]
BAD_INPUT = {Error.WIDTH, Error.OVERLAP, Error.OVERFLOW, Error.COEFFICIENTS}
CANNOT_HAPPEN = {Opcode.NORM: {Error.WIDTH}, Opcode.WEIGHTS: {Error.OVERFLOW}}  # no width, no count of pixels
CANNOT_HAPPEN[Opcode.UPDATE] = {Error.WIDTH, Error.OVERFLOW}
RENEW = "if the change is meant, run: python tests/sim/vectors/test_vectors.py --write"


@pytest.fixture
def vector() -> Vector:
    before, after = np.arange(128, dtype=np.uint8), np.arange(128, dtype=np.uint8)[::-1].copy()
    return Vector("a-name", before, after, 256, 64, 128, Error.SHAPE, 3, 2, slow=True, mem_base=64, features=1)


def digest_lines(build: str, features: int) -> list[str]:
    return [
        f"{hashlib.sha256(vector.to_bytes()).hexdigest()}  {build}/{vector.name}"
        for vector in catalogue(Build.named(build))
        if vector.features == features
    ]


@pytest.mark.parametrize("features", DIGESTS)
@pytest.mark.parametrize("build", PINNED)
def test_no_byte_of_a_vector_has_changed(build: str, features: int) -> None:
    digests = DIGESTS[features]
    golden = [line for line in digests.read_text().splitlines() if line.split("  ")[1].startswith(f"{build}/")]
    changed = sorted({line.split("/")[1] for line in set(golden) ^ set(digest_lines(build, features))})
    assert not changed, f"{len(changed)} vectors of {build} differ from {digests.name}: {changed[:5]} ...; {RENEW}"


def test_an_executor_without_a_vector_unit_is_given_only_what_it_can_run() -> None:
    named = {vector.name for vector in catalogue(Build.named("tiny"), features=0)}
    assert named == {vector.name for vector in catalogue(Build.named("tiny")) if not vector.features}
    plain = Reference(Build.named("tiny"), features=0)
    for vector in catalogue(plain.build):
        memory = vector.before.copy()
        outcome = vector.run_on(plain, memory)
        assert vector.agrees(memory, outcome) or vector.features, vector.name


@pytest.mark.parametrize("build", EVERY)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_both_formulations_agree(family: Callable[[Build], Iterator[Vector]], build: str) -> None:
    """Vectors are made by plain integers; here they run bit-serially."""
    reference = Reference(Build.named(build), bit_serial)
    for vector in family(reference.build):
        memory = vector.before.copy()
        outcome = vector.run_on(reference, memory)
        assert vector.agrees(memory, outcome), vector.name


def test_both_builds_have_the_same_names_and_each_once() -> None:
    names = {build: [vector.name for vector in catalogue(Build.named(build))] for build in BUILDS}
    assert names["tiny"] == names["zc706"] == names["zc706_train"]
    assert [name for name, count in Counter(names["tiny"]).items() if count > 1] == []


@pytest.mark.parametrize("build", EVERY)
def test_every_error_is_shown_by_a_vector(build: str) -> None:
    assert {vector.error for vector in catalogue(Build.named(build))} == set(Error)


def test_bad_input_of_every_command_has_a_vector_and_writes_nothing() -> None:
    """Wrong widths, overlapping places, more pixels than are allowed, blocks never written."""
    reference = Reference(Build.named("tiny"))
    shown: dict[Opcode, set[Error]] = {opcode: set() for opcode in Opcode if opcode >= Opcode.MAP}
    for vector in catalogue(reference.build):
        bad = vector.list_offset + COMMAND_BYTES * vector.error_index
        if vector.error not in BAD_INPUT or vector.before[bad] not in shown:
            continue
        shown[Opcode(vector.before[bad])].add(vector.error)
        memory = vector.before.copy()
        done = replace(vector, list_bytes=COMMAND_BYTES * vector.error_index).run_on(reference, memory)
        assert done.error == Error.OK, vector.name
        assert np.array_equal(memory, vector.after), vector.name
    for opcode, errors in shown.items():
        assert errors == BAD_INPUT - CANNOT_HAPPEN.get(opcode, set()), opcode.name


@pytest.mark.parametrize("build", EVERY)
def test_bytes_behind_the_image_are_claimed_only_where_a_bus_error_or_a_refusal_is_wanted(build: str) -> None:
    for vector in catalogue(Build.named(build)):
        assert vector.mem_bytes <= vector.before.size or vector.error != Error.OK, vector.name


def test_a_vector_survives_its_file(vector: Vector, tmp_path: Path) -> None:
    loaded = Vector.load(vector.save(tmp_path))
    for field in vars(vector):
        assert np.array_equal(getattr(loaded, field), getattr(vector, field)), field


def test_the_file_is_laid_out_as_documented(vector: Vector, tmp_path: Path) -> None:
    path = vector.save(tmp_path)
    data = path.read_bytes()
    assert path.name == "a-name.vec"
    assert data[:8] == b"CPTVEC01"
    assert struct.unpack("<14I", data[8:64]) == (256, 128, 64, 128, Error.SHAPE, 3, 2, 1, 64, 1, 0, 0, 0, 0)
    assert data[64:192] == vector.before.tobytes()
    assert data[192:] == vector.after.tobytes()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "shortened": lambda data: data[:-1],
    "lengthened": lambda data: data + b"\0",
    "without images": lambda data: data[:64],
    "cut in the header": lambda data: data[:20],
    "emptied": lambda data: b"",
    "of another kind": lambda data: b"CPTVEC02" + data[8:],
    "with an unknown status": lambda data: data[:24] + b"\x63" + data[25:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_by_name(vector: Vector, tmp_path: Path, damage: str) -> None:
    path = vector.save(tmp_path)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(ValueError, match=r"a-name\.vec"):
        Vector.load(path)


def test_a_vector_agrees_only_with_all_of_what_it_expects(vector: Vector) -> None:
    expected = Outcome(Error.SHAPE, 3, 2, cycles=77)
    assert vector.agrees(vector.after, expected)
    assert not vector.agrees(vector.before, expected)
    assert not vector.agrees(vector.after, replace(expected, error=Error.OK))
    assert not vector.agrees(vector.after, replace(expected, error_index=NO_COMMAND))
    assert not vector.agrees(vector.after, replace(expected, commands_done=3))


def test_operands_of_a_vector_are_drawn_apart() -> None:
    a, b = (random_codes((64,), 16, False, seed) for seed in (1000, 1001))
    assert set(a.tolist()) != set(b.tolist())


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(RENEW)
    for wanted, path in DIGESTS.items():
        path.write_text("".join(f"{line}\n" for each in PINNED for line in digest_lines(each, wanted)))
