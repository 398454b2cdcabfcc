"""The state of a training run: from PyTorch's floats into the region, and as integers out of it and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from host.compiler.layer import Pass
from host.compiler.step.fixed import VELOCITY_FRACTION, WEIGHT_FRACTION, Words, fixed, scalar_of
from host.compiler.step.head import Classifier
from host.compiler.step.master_words import from_words, maxima, to_words
from host.compiler.step.network import Block, Unit
from sim.contract import Block as Kind
from sim.contract import BlockPlace

if TYPE_CHECKING:
    from host.driver.integer_step import IntegerStep

Array = npt.NDArray
PLAIN = ("gamma", "beta", "gamma_velocity", "beta_velocity")
SCALARS = ("mean", "variance")
HEAD = ("weight", "velocity", "bias", "bias_velocity")
PASSES = (Pass.FORWARD.value, Pass.INPUT_ERROR.value)


def write_parameters(step: IntegerStep, floats: Mapping[str, Array]) -> None:
    """Weights and parameters at rest; running statistics that are missing are 0 and 1."""
    for unit in step.network.units:
        weights = fixed(_checked(floats, f"{unit.name}.weight", unit.layer.weight_shape), WEIGHT_FRACTION)
        write_weights(step, unit, weights, np.zeros_like(weights))
        channels = (unit.layer.out_channels,)
        usual = {f"{unit.norm}.running_mean": np.zeros(channels), f"{unit.norm}.running_var": np.ones(channels)}
        names = ("weight", "bias", "running_mean", "running_var")
        gamma, beta, *running = (_checked({**usual, **floats}, f"{unit.norm}.{name}", channels) for name in names)
        values = {"gamma": fixed(gamma, VELOCITY_FRACTION), "beta": fixed(beta, VELOCITY_FRACTION)}
        pairs = [np.array([scalar_of(float(each)) for each in row]) for row in running]
        write_records(step, unit, {**values, **dict(zip(SCALARS, pairs, strict=True))})
    head, shape = step.network.head, (step.network.head.classes, step.network.last_map[0])
    weight = _checked(floats, f"{head.name}.weight", shape)
    step.head = Classifier.of(weight, _checked(floats, f"{head.name}.bias", shape[:1]))


def _checked(floats: Mapping[str, Array], name: str, shape: tuple[int, ...]) -> Array:
    if name not in floats:
        raise ValueError(f"parameter '{name}' is missing")
    found = np.asarray(floats[name], dtype=np.float64)
    if found.shape != shape or not np.isfinite(found).all():
        raise ValueError(f"parameter '{name}' must be finite numbers of shape {shape}; it has shape {found.shape}")
    return found


def write_weights(step: IntegerStep, unit: Unit, weights: Words, velocity: Words) -> None:
    memory, places = step.machine.memory, step.places
    for name, words in (("weight", weights), ("velocity", velocity)):
        tensor = places.words(unit, name)
        tensor.write(memory, to_words(unit, words))
        step.wrote(tensor)
    blocks = places.of_unit(Kind.MAXIMA, unit, kept=True), places.of_input(Kind.MAXIMA, unit, kept=True)
    for block, sizes in zip(blocks, maxima(unit, weights), strict=True):
        block.begin(memory)[1][: len(sizes)] = sizes
        step.wrote(block)


def write_records(step: IntegerStep, unit: Unit, values: Mapping[str, Array]) -> None:
    """γ, β, velocities and running statistics, those that are given; the others are 0."""
    block = step.places.of_unit(Kind.PARAMETERS, unit, kept=True)
    _, records = block.begin(step.machine.memory)
    for name, row in values.items():
        if name in SCALARS:
            records[name]["m"][: len(row)], records[name]["e"][: len(row)] = row[:, 0], row[:, 1]
        else:
            records[name][: len(row)] = row
    step.wrote(block)


def read_state(step: IntegerStep) -> dict[str, Array]:
    memory, places = step.machine.memory, step.places
    found: dict[str, Array] = {"iteration": np.array(step.iteration), "seed": np.array(step.seed)}
    for unit in step.network.units:
        for name in ("weight", "velocity"):
            tensor = places.words(unit, name)
            step.reads(tensor)
            found[f"{unit.name}.{name}"] = from_words(unit, tensor.read(memory))
        block = places.of_unit(Kind.PARAMETERS, unit, kept=True)
        step.reads(block)
        records = block.records(memory)[: unit.layer.out_channels]
        for name in PLAIN:
            found[f"{unit.norm}.{name}"] = records[name].copy()
        for name in SCALARS:
            found[f"{unit.norm}.{name}"] = np.stack([records[name]["m"], records[name]["e"]], axis=1)
    for name in HEAD:
        found[f"{step.network.head.name}.{name}"] = getattr(step.head, name).copy()
    found["nodes"] = np.array([_node_history(step, *_node(step, block)) for block in step.network.blocks])
    rows = step.seen.greatest.items()
    seen = [(places.numbers[unit], PASSES.index(which), *bits, most) for (unit, which, *bits), most in rows]
    found["seen"] = np.array(sorted(seen), dtype=np.int64).reshape(-1, 5)
    return found


def load_state(step: IntegerStep, state: Mapping[str, Array]) -> None:
    step.iteration, step.seed = int(state["iteration"]), int(state["seed"])
    for unit in step.network.units:
        write_weights(step, unit, state[f"{unit.name}.weight"], state[f"{unit.name}.velocity"])
        write_records(step, unit, {name: state[f"{unit.norm}.{name}"] for name in (*PLAIN, *SCALARS)})
    for name in HEAD:
        setattr(step.head, name, state[f"{step.network.head.name}.{name}"].copy())
    for block, history in zip(step.network.blocks, state["nodes"], strict=True):
        _write_node_history(step, *_node(step, block), history)
    units = step.network.units
    step.seen.greatest = {
        (units[unit].name, PASSES[which], forward, backward): greatest
        for unit, which, forward, backward, greatest in state["seen"].tolist()
    }
    step.seen.changes += 1


def _node(step: IntegerStep, block: Block) -> tuple[BlockPlace, BlockPlace]:
    return step.places.node_step(block), step.places.node_tally(block)


def _node_history(step: IntegerStep, record: BlockPlace, tally: BlockPlace) -> list[int]:
    """What the next ratio is made of: bound, bits behind the point, greatest magnitude."""
    for place in (record, tally):
        step.reads(place)
    memory = step.machine.memory
    header = record.header(memory)[0]
    bound, fraction = header["bound"], header["fraction"]
    return [int(bound["m"]), int(bound["e"]), int(fraction), greatest(tally.records(memory))]


def greatest(tally: npt.NDArray) -> int:
    """The greatest magnitude in records of a tally."""
    return int(max(np.abs(tally[name].astype(np.int64)).max() for name in ("least", "most")))


def _write_node_history(step: IntegerStep, record: BlockPlace, tally: BlockPlace, history: Array) -> None:
    m, e, fraction, greatest = history.tolist()
    memory = step.machine.memory
    for place in (record, tally):
        memory[place.address : place.end] = 0
    if m:
        header, _ = record.begin(memory)
        header["bound"][0], header["fraction"] = (m, e), fraction
        tally.begin(memory)[1]["most"][0] = greatest
    for place in (record, tally):
        step.wrote(place)
