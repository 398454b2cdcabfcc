"""The precision of a prepared model, and what else of it a checkpoint must keep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial
from typing import Literal, overload

from torch import nn

from cpt_model.layers.state import LayerState
from cpt_model.schedules import ClosedLoop, ClosedLoopScheduler, PrecisionScheduler, Schedule
from host.compiler.bits import Bits
from host.compiler.results import Results


def prepared_layers(model: nn.Module) -> dict[str, nn.Module]:
    """The layers that `prepare_` converted, by name."""
    return {
        name: module for name, module in model.named_modules() if isinstance(getattr(module, "cpt", None), LayerState)
    }


def layer_states(model: nn.Module) -> dict[str, LayerState]:
    states = {name: module.cpt for name, module in prepared_layers(model).items()}
    if not states:
        raise ValueError("the model has no quantised layer: call prepare_(model) first")
    return states  # type: ignore[return-value]


def set_precision(model: nn.Module, bits: Bits | tuple[int, int] | int, layers: str | None = None) -> None:
    """From the next step on; costs one assignment a layer. A number sets the forward width alone.

    Layers whose bits are fixed (`Config(layer_bits=…)`) keep them, unless `layers`, a pattern of names, asks for them.
    """
    if isinstance(bits, tuple):
        bits = Bits(*bits)
    states = layer_states(model)
    chosen = [
        state for name, state in states.items() if (not state.fixed if layers is None else fnmatchcase(name, layers))
    ]
    if layers is not None and not chosen:
        raise ValueError(f"no quantised layer is called '{layers}'; there are: {', '.join(states)}")
    for state in chosen:
        state.bits = bits if isinstance(bits, Bits) else Bits(bits, state.bits.backward)


@overload
def get_precision(model: nn.Module) -> Bits: ...


@overload
def get_precision(model: nn.Module, by_layer: Literal[True]) -> dict[str, Bits]: ...


def get_precision(model: nn.Module, by_layer: bool = False) -> Bits | dict[str, Bits]:
    """The precision in force: of all layers by name, or the one of the layers that follow the schedule.

    >>> from cpt_model import Config, prepare_
    >>> layers = nn.Sequential(nn.Conv2d(3, 4, 1), nn.Conv2d(4, 4, 1))
    >>> model = prepare_(layers, Config(bits=(3, 8), layer_bits={"0": (8, 8)}))
    >>> get_precision(model)
    Bits(forward=3, backward=8)
    >>> get_precision(model, by_layer=True)
    {'0': Bits(forward=8, backward=8), '1': Bits(forward=3, backward=8)}
    """
    states = layer_states(model)
    if by_layer:
        return {name: state.bits for name, state in states.items()}
    found = {state.bits for state in states.values() if not state.fixed} or {state.bits for state in states.values()}
    if len(found) > 1:
        raise ValueError(f"layers have different bits ({', '.join(map(str, sorted(found)))}): give by_layer=True")
    return found.pop()


@contextmanager
def precision(model: nn.Module, bits: Bits | tuple[int, int] | int) -> Iterator[nn.Module]:
    """Another precision for a while, as for evaluation at stated bits.

    >>> from cpt_model import prepare_
    >>> model = prepare_(nn.Conv2d(3, 4, 1))
    >>> with precision(model, 3):
    ...     get_precision(model)
    Bits(forward=3, backward=8)
    >>> get_precision(model)
    Bits(forward=8, backward=8)
    """
    before = {name: state.bits for name, state in layer_states(model).items()}
    set_precision(model, bits)
    try:
        yield model
    finally:
        for name, state in layer_states(model).items():
            state.bits = before[name]


def scheduler(
    model: nn.Module, forward: Schedule, backward: Schedule | int, total_steps: int, every: int = 1
) -> PrecisionScheduler:
    """A scheduler of the model's precision: call `step()` after each optimiser step."""
    return PrecisionScheduler(partial(set_precision, model), forward, backward, total_steps, every)


def closed_loop(model: nn.Module, rule: ClosedLoop) -> ClosedLoopScheduler:
    """A scheduler that looks at the training: `step()` after each optimiser step, `observe(…)` after each epoch."""
    return ClosedLoopScheduler(partial(set_precision, model), rule)


def quantisation_state(model: nn.Module) -> dict[str, object]:
    """What resuming bit for bit needs in addition to `model.state_dict()`: noise positions and ranges of evaluation."""
    return {name: state.state_dict() for name, state in layer_states(model).items()}


def load_quantisation_state(model: nn.Module, saved: dict) -> None:
    """Continues where the saved model was; one of other layers, quantisers or seeds is refused, and nothing changed."""
    states = layer_states(model)
    if saved.keys() != states.keys():
        odd = sorted(saved.keys() ^ states.keys())
        raise ValueError(f"the saved state has other layers than the model: {', '.join(odd[:5])}")
    for name, state in states.items():
        theirs = {"results": Results.EXACT.value} | saved[name]  # states from before there was a choice do not say
        for what, ours in state.settings().items():
            if theirs.get(what) != ours:
                raise ValueError(f"layer '{name}' was saved with {what} {theirs.get(what)}, here it is {ours}")
        if type(theirs.get("draws")) is not int or theirs["draws"] < 0:
            raise ValueError(f"layer '{name}' was saved with draws {theirs.get('draws')}, which is no count")
    for name, state in states.items():
        state.load_state_dict(saved[name])
