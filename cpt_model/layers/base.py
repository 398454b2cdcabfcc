"""What all quantised layers share, and forms of subclasses, which are made while running."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import torch
from torch import nn

from cpt_model.layers.state import NO_TRACE, LayerState
from cpt_model.quantisers.running_range import SIZE, RunningRange

PREFIX = "cpt_range_"
# `torch.compile` goes round a quantised layer, and does not compile again when its bits change.
not_traced = torch.compiler.disable(reason=NO_TRACE)


class QuantLayer(nn.Module):
    """A layer whose class was changed by `prepare_`, and can be changed back to `original`."""

    original: ClassVar[type[nn.Module]]
    cpt: LayerState

    def activations(self) -> tuple[str, ...]:
        """Names of the tensors whose ranges evaluation needs."""
        return ("input",)

    def begin(self, state: LayerState) -> None:
        """Takes its state; ranges become buffers, empty ones."""
        self.cpt = state
        if not state.quantiser.tracks_ranges:
            return
        device = next(self.parameters()).device
        for what in self.activations():
            self.register_buffer(f"{PREFIX}{what}", torch.zeros(SIZE, device=device))
            state.ranges[what] = RunningRange(self._buffers, f"{PREFIX}{what}")

    def end(self) -> None:
        """Is what it was before."""
        for what in self.cpt.ranges:
            delattr(self, f"{PREFIX}{what}")
        del self.cpt
        self.__class__ = self.original  # type: ignore[assignment]

    def _load_from_state_dict(self, state_dict: dict, prefix: str, *rest: Any) -> None:
        """A float model's state has no ranges: those of other weights must not stay."""
        absent = [key for what in self.cpt.ranges if (key := f"{prefix}{PREFIX}{what}") not in state_dict]
        super()._load_from_state_dict(state_dict, prefix, *rest)
        missing: list[str] = rest[2]
        for key in absent:
            if key in missing:  # it is not, unless the state is loaded strictly
                missing.remove(key)
            self.get_buffer(key.removeprefix(prefix)).zero_()
        if absent:
            warnings.warn(
                "the state that is loaded has no ranges of activations: evaluation takes each batch's own until the "
                "model has been trained, or update_statistics has measured them",
                stacklevel=2,
            )


_DERIVED: dict[tuple[type[nn.Module], type[nn.Module]], type[QuantLayer]] = {}


def derived(form: type[QuantLayer], original: type[nn.Module]) -> type[QuantLayer]:
    """The quantised form of a subclass: `form` in front of it."""
    if (form, original) not in _DERIVED:
        _DERIVED[form, original] = _derive(form, original)
    return _DERIVED[form, original]


def _derive(form: type[QuantLayer], original: type[nn.Module]) -> type[QuantLayer]:
    def reduce(self: QuantLayer, protocol: Any) -> Any:
        """The class has no name to be found by, when a layer is copied or loaded; those it is made of have."""
        return _empty, (form, original), self.__dict__

    own = {"original": original, "__module__": form.__module__, "__reduce_ex__": reduce}
    return type(f"Quant{original.__name__}", (form, original), own)


def _empty(form: type[QuantLayer], original: type[nn.Module]) -> QuantLayer:
    made = derived(form, original)
    return made.__new__(made)
