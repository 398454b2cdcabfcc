"""What all quantised layers share, and forms of subclasses, which are made while running."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from torch import nn

if TYPE_CHECKING:
    from cpt_model.layers.state import LayerState


class QuantLayer(nn.Module):
    """A layer whose class was changed by `prepare_`, and can be changed back to `original`."""

    original: ClassVar[type[nn.Module]]
    cpt: LayerState


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
