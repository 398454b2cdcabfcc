"""Bad input of the vector unit's commands: the documented error, and not a byte written. Every place, every pair."""

from __future__ import annotations

import numpy as np
import pytest

from sim.contract import BlockPlace, Error, Tensor, operands
from sim.reference import Reference
from sim.vectors.step.refusals import GOOD
from sim.vectors.step.region import Region
from tests.tools import TINY

SLACK = 1 << 14  # bytes behind the region's contents, so that a place moved there ends inside


class Bench:
    """A good command in a region, which may be changed before it runs."""

    def __init__(self, kind: str) -> None:
        self.region = Region(f"check-{kind}", TINY)
        GOOD[kind](self.region)
        self.command = self.region.commands[-1]
        self.fresh = self.region.place(SLACK)
        vector = self.region.vector()
        self.offset, self.memory = vector.list_offset, vector.before

    @property
    def places(self) -> dict[str, Tensor | BlockPlace]:
        return operands(self.command).all

    @property
    def written(self) -> list[str]:
        return list(operands(self.command).results)

    def error(self, spoiled: int | None = None, **fields: int) -> Error:
        """What the command ends with when fields are changed, or a byte of memory."""
        command = type(self.command)(**{**vars(self.command), **fields})
        return self.run(command.encode(), spoiled)

    def run(self, data: bytes, spoiled: int | None = None) -> Error:
        """Runs a command; an error leaves every byte as it was."""
        memory = self.memory.copy()
        memory[self.offset : self.offset + 128] = np.frombuffer(data, dtype=np.uint8)
        if spoiled is not None:
            memory[spoiled] ^= 1
        before = memory.copy()
        error = Reference(TINY).run(memory, self.offset, 128).error
        assert bool((memory == before).all()) == (error != Error.OK), "a refused command wrote, or a good one did not"
        return error


@pytest.fixture(params=GOOD)
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


def test_the_command_is_good(bench: Bench) -> None:
    assert bench.error() == Error.OK


def test_every_address_must_be_aligned(bench: Bench) -> None:
    for name, place in bench.places.items():
        for off in (1, 2, 32):
            assert bench.error(**{f"{name}_addr": place.address + off}) == Error.ALIGNMENT, name


def test_every_place_must_end_inside_the_region(bench: Bench) -> None:
    size = bench.memory.size
    for name, place in bench.places.items():
        length = -(-(place.end - place.address) // 64) * 64
        assert bench.error(**{f"{name}_addr": size - length + 64}) == Error.RANGE, name
        assert bench.error(**{f"{name}_addr": 0xFFFF_FFC0}) == Error.RANGE, name


def test_what_is_written_overlaps_nothing(bench: Bench) -> None:
    """Its first and its last byte on any other place, and on the list."""
    for name in bench.written:
        length = -(-(bench.places[name].end - bench.places[name].address) // 64) * 64
        for other, place in bench.places.items():
            last = (place.end - 1) // 64 * 64
            if other != name:
                assert bench.error(**{f"{name}_addr": place.address}) == Error.OVERLAP, f"{name} on {other}"
                assert bench.error(**{f"{name}_addr": last}) == Error.OVERLAP, f"{name} on the end of {other}"
        assert bench.error(**{f"{name}_addr": bench.offset - length + 64}) == Error.OVERLAP, name


def test_what_is_only_read_may_be_shared(bench: Bench) -> None:
    reads = [name for name, place in operands(bench.command).reads.items() if isinstance(place, Tensor)]
    for name in reads[1:]:
        assert bench.error(**{f"{name}_addr": bench.places[reads[0]].address}) == Error.OK, name


def test_every_block_that_is_read_must_have_been_written(bench: Bench) -> None:
    found = operands(bench.command)
    blocks = {name: place for name, place in {**found.reads, **found.changes}.items() if isinstance(place, BlockPlace)}
    assert blocks
    for name, place in blocks.items():
        assert bench.error(**{f"{name}_addr": bench.fresh}) == Error.COEFFICIENTS, name
        for word in (0, 1):
            assert bench.error(place.address + 4 * word + 1) == Error.COEFFICIENTS, f"word {word} of {name}"


@pytest.mark.parametrize("kind", ["map", "norm", "scale", "join", "error"])
@pytest.mark.parametrize(("images", "height", "width"), [(1, 4095, 257), (65535, 17, 1), (257, 64, 64)])
def test_more_pixels_than_a_tally_holds_are_refused(kind: str, images: int, height: int, width: int) -> None:
    assert images * height * width > 1 << 20
    assert Bench(kind).error(images=images, height=height, width=width) == Error.OVERFLOW


@pytest.mark.parametrize("kind", ["norm", "scale", "join", "error"])
def test_the_greatest_count_is_no_error_of_the_fields(kind: str) -> None:
    """2^20 pixels: only the tally, which is of fewer, is to blame."""
    assert Bench(kind).error(images=256, height=64, width=64) == Error.COEFFICIENTS


@pytest.mark.parametrize("kind", ["norm", "scale", "join", "error", "update", "weights"])
def test_a_size_that_the_blocks_do_not_have_is_refused(kind: str) -> None:
    bench = Bench(kind)
    name = "channels" if kind in ("norm", "scale", "join", "error") else "out_channels"
    grown = getattr(bench.command, name) + 16
    assert bench.error(**{name: grown}) in (Error.COEFFICIENTS, Error.OVERLAP)


def test_any_bit_flipped_ends_in_an_error_or_a_result(bench: Bench) -> None:
    """Nothing raises, and what is refused writes nothing."""
    for bit in range(8 * 128):
        data = bytearray(bench.command.encode())
        data[bit // 8] ^= 1 << bit % 8
        bench.run(bytes(data))
