"""Vectors of places and blocks that a vector command may not have, and of memories that do not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

from sim.contract import (
    COMMAND_BYTES,
    COMMAND_WORDS,
    TENSOR_ALIGNMENT,
    BlockPlace,
    Build,
    Encoded,
    Error,
    Memory,
    Tensor,
    operands,
)
from sim.vectors.step.maps import add_map, coefficients
from sim.vectors.step.masters import add_update, add_weights
from sim.vectors.step.refusals import FAR, GOOD, good_then
from sim.vectors.step.region import Region
from sim.vectors.vector import Vector


def step_reserved_errors(build: Build) -> Iterator[Vector]:
    """A reserved bit in a word that holds no field."""

    def set_last_word(encoded: bytearray) -> None:
        encoded[COMMAND_BYTES + 4 * (COMMAND_WORDS - 1)] = 1

    for kind in GOOD:
        region, _ = good_then(f"{kind}-error-reserved-word", build, kind)
        yield region.vector((Error.RESERVED, 1), spoil=set_last_word)


def step_place_errors(build: Build) -> Iterator[Vector]:
    """Where operands and results may not lie: the first place that is read, and the last that is written."""
    for kind in GOOD:
        for error, shift in ((Error.ALIGNMENT, 32), (Error.RANGE, FAR)):
            for first in (True, False):
                region, bad = good_then(
                    f"{kind}-error-{error.name.lower()}-{'read' if first else 'write'}", build, kind
                )
                places = operands(bad)
                name = next(iter(places.reads)) if first else list(places.writes)[-1]
                now = getattr(bad, f"{name}_addr")
                setattr(bad, f"{name}_addr", now + shift if error is Error.ALIGNMENT else FAR)
                yield region.vector((error, 1))
        for target in ("read", "write", "list"):
            region, bad = good_then(f"{kind}-error-overlap-{target}", build, kind)
            places = operands(bad)
            written = list(places.results)
            if target == "write" and len(written) == 1:
                continue
            region.place(1 << 12)  # so that nothing ends behind the region
            addresses = {
                "read": getattr(bad, f"{next(iter(places.reads))}_addr"),
                "write": getattr(bad, f"{written[0]}_addr"),
                "list": region.bytes,
            }
            setattr(bad, f"{written[-1]}_addr", addresses[target])
            yield region.vector((Error.OVERLAP, 1), registers={"mem_bytes": region.bytes + (1 << 12)})


def step_every_place(build: Build) -> Iterator[Vector]:
    """Each place of a command: not aligned; and if it is written or changed, on the first that is read."""
    for kind in GOOD:
        places = operands(good_then("", build, kind)[1])
        for name in places.all:
            region, bad = good_then(f"{kind}-error-alignment-{name.replace('_', '-')}", build, kind)
            setattr(bad, f"{name}_addr", getattr(bad, f"{name}_addr") + 32)
            yield region.vector((Error.ALIGNMENT, 1))
        for name in places.results:
            region, bad = good_then(f"{kind}-error-overlap-{name.replace('_', '-')}", build, kind)
            region.place(1 << 12)
            setattr(bad, f"{name}_addr", getattr(bad, f"{next(iter(places.reads))}_addr"))
            yield region.vector((Error.OVERLAP, 1))
    region, bad = good_then("scale-error-overlap-history", build, "scale")
    bad.tally_addr = bad.out_addr
    yield region.vector((Error.OVERLAP, 1))


def step_ends(build: Build) -> Iterator[Vector]:
    """A tensor of several images and blocks that ends with MEM_BYTES, behind the memory; and 64 bytes too late."""
    makes: dict[str, Callable[[Region], object]] = {
        "map": lambda region: add_map(region, shape=(2, 40, 3, 3)),
        "update": lambda region: add_update(region, (17, 33), (1, 2)),
        "weights": lambda region: add_weights(region, channels=(17, 33), kernel=(1, 2)),
    }
    for kind, make in makes.items():
        for read, late in product((True, False), repeat=2):
            region = Region(f"{kind}-{'read' if read else 'write'}-ends-{'late' if late else 'in-time'}", build)
            make(region)
            command: Any = region.commands[-1]
            places = operands(command)
            tensors = (places.reads if read else places.results).items()
            name, tensor = next((name, place) for name, place in tensors if isinstance(place, Tensor))
            start = region.bytes + COMMAND_BYTES
            setattr(command, f"{name}_addr", start)
            size = start + -(-(tensor.end - tensor.address) // TENSOR_ALIGNMENT) * TENSOR_ALIGNMENT
            changed = read or name in places.changes
            error = Error.RANGE if late else Error.READ_BUS if changed else Error.WRITE_BUS
            yield region.vector((error, 0), registers={"mem_bytes": size - TENSOR_ALIGNMENT * late})


def step_block_errors(build: Build) -> Iterator[Vector]:
    """Each block that a command reads: never written, of another kind, of another size; tallies of another count."""
    for kind in GOOD:
        names = [name for name, place in _read(kind, build).items() if isinstance(place, BlockPlace)]
        for name in names:
            region, bad = good_then(f"{kind}-error-coefficients-{name}-absent", build, kind)
            place = _read_by(bad)[name]
            setattr(bad, f"{name}_addr", region.place(place.end - place.address))
            yield region.vector((Error.COEFFICIENTS, 1))
        for word, what in ((0, "kind"), (1, "size")):
            region, bad = good_then(f"{kind}-error-coefficients-{what}", build, kind)
            at = _read_by(bad)[names[-1]].address + 4 * word
            region.loads.append(partial(_flip, at))
            yield region.vector((Error.COEFFICIENTS, 1))
    for kind in ("norm", "scale", "join", "error", "norm-evaluate", "join-stream", "error-power"):
        region, bad = good_then(f"{kind}-error-coefficients-count", build, kind)
        bad.width -= 1
        yield region.vector((Error.COEFFICIENTS, 1))
    ends = {"k": (-1, 31), "j": (-48, 48), "scale_shift": (-1, 48)}
    for field, value in ((field, value) for field, values in ends.items() for value in values):
        region = Region(f"map-error-coefficients-{field.replace('_', '-')}-{value}".replace("--", "-minus-"), build)
        add_map(region)
        add_map(region, places={"coefficients": coefficients(region, 1, **{field: value})})
        yield region.vector((Error.COEFFICIENTS, 1))


def _flip(at: int, memory: Memory) -> None:
    memory[at] ^= 0x20


def _read(kind: str, build: Build) -> dict[str, Any]:
    return _read_by(good_then("", build, kind)[1])


def _read_by(command: Encoded) -> dict[str, Any]:
    places = operands(command)
    return {**places.reads, **places.changes}


def step_bus_errors(build: Build) -> Iterator[Vector]:
    """A region claimed larger than its memory; the headers of blocks are read, then judged, before anything else.

    All results of a WRITE_BUS lie behind the memory, so that none is written; UPDATE has none, as it changes w and v.
    """
    beyond = 1 << 28
    for kind in GOOD:
        region, bad = good_then(f"{kind}-error-read-bus", build, kind)
        setattr(bad, f"{next(iter(operands(bad).reads))}_addr", beyond)
        yield region.vector((Error.READ_BUS, 1), registers={"mem_bytes": 2 * beyond})
    for kind in (kind for kind in GOOD if kind != "update"):
        region, bad = good_then(f"{kind}-error-write-bus", build, kind)
        places = operands(bad)
        written = [name for name in places.writes if name not in places.history]
        for number, name in enumerate(written):
            setattr(bad, f"{name}_addr", beyond + (number << 20))
        yield region.vector((Error.WRITE_BUS, 1), registers={"mem_bytes": 2 * beyond})
    for name, error in (("read", Error.READ_BUS), ("write", Error.COEFFICIENTS)):
        region, bad = good_then(f"norm-error-bus-{name}-and-coefficients", build, "norm")
        bad.units_addr = region.place(192)  # never written
        setattr(bad, "parameters_addr" if name == "read" else "norm_addr", beyond)
        yield region.vector((error, 1), registers={"mem_bytes": 2 * beyond})
    region, bad = good_then("map-error-bus-operand-and-coefficients", build, "map")
    bad.x0_addr, bad.coefficients_addr = beyond, region.place(1 << 10)
    yield region.vector((Error.COEFFICIENTS, 1), registers={"mem_bytes": 2 * beyond})
    region, bad = good_then("map-error-bus-read-and-write", build, "map")
    bad.x0_addr, bad.out0_addr = beyond + (1 << 20), beyond
    yield region.vector((Error.READ_BUS, 1), registers={"mem_bytes": 2 * beyond})
    for name in ("tally", "out"):  # history counts as read, though it need not be written
        region, bad = good_then(f"scale-error-bus-{name}-and-coefficients", build, "scale")
        bad.norm_addr = region.place(1 << 11)
        setattr(bad, f"{name}_addr", beyond)
        yield region.vector((Error.READ_BUS, 1), registers={"mem_bytes": 2 * beyond})
