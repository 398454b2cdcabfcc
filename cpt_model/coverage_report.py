"""How much of a model is quantised, by layers, weights and multiply-accumulates, and why the rest is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from cpt_model.layers.base import QuantLayer
from cpt_model.layers.forms import STAYS_FLOAT, form_of, multiplies
from cpt_model.model_precision import prepared_layers
from cpt_model.tracing.tracer import Tracer, traced
from sim.common.table import as_table

LEAST = 0.9  # of the weights, or of the multiply-accumulates: below, `prepare_` warns
BY_CHOICE = "left out by the policy or the filter"


@dataclass(frozen=True)
class Part:
    """One layer, or one place outside the layers where the model multiplies."""

    name: str
    kind: str
    weights: int
    macs: int | None  # multiply-accumulates for the given inputs; None without any
    why_float: str | None  # None: it is quantised

    @property
    def counts(self) -> bool:
        """Whether it is a gap if it is float: what was left out by choice is none."""
        return self.why_float not in (BY_CHOICE, STAYS_FLOAT)


@dataclass(frozen=True)
class Coverage:
    """What multiplies in a model. Shares are from 0 to 1."""

    parts: tuple[Part, ...]

    @property
    def layers(self) -> tuple[int, int]:
        """Quantised ones, and all."""
        layers = [part for part in self.parts if part.weights]
        return sum(part.why_float is None for part in layers), len(layers)

    @property
    def weights(self) -> float:
        return _share([(part.weights, part.why_float is None) for part in self.parts])

    @property
    def macs(self) -> float | None:
        """None where no inputs were given."""
        if any(part.macs is None for part in self.parts):
            return None
        return _share([(part.macs or 0, part.why_float is None) for part in self.parts])

    @property
    def without_choices(self) -> float:
        """The share, of multiply-accumulates if they are known, else of weights, leaving out what was left out."""
        known = self.macs is not None
        sizes = [(part.macs or 0 if known else part.weights, part.why_float is None) for part in self._considered]
        return _share(sizes)

    @property
    def _considered(self) -> list[Part]:
        return [part for part in self.parts if part.counts]

    def summary(self) -> str:
        """In one line, with what stays float."""
        done, every = self.layers
        macs = "" if self.macs is None else f", {100 * self.macs:.1f} % of the multiply-accumulates"
        said = f"{done} of {every} layers, {100 * self.weights:.1f} % of their weights{macs} quantised"
        kinds = Counter(part.kind if part.weights else f"products in {part.kind}" for part in self.parts
                        if part.why_float is not None)  # fmt: skip
        rest = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        return f"{said}; float: {rest}" if rest else said

    def __str__(self) -> str:
        """Every part in a line of its own."""
        head = ("layer", "class", "weights", "MACs", "")
        rows = [
            (part.name or "(itself)", part.kind, f"{part.weights:,}", "?" if part.macs is None else f"{part.macs:,}",
             part.why_float or "quantised") for part in self.parts
        ]  # fmt: skip
        return f"{as_table(head, rows, left=(0, 1, 4))}\n{self.summary()}"


def _share(sizes: Sequence[tuple[int, bool]]) -> float:
    total = sum(size for size, _ in sizes)
    return sum(size for size, quantised in sizes if quantised) / total if total else 1.0


def coverage(model: nn.Module, *inputs: Tensor) -> Coverage:
    """Of a prepared model.

    Args:
        model: as `prepare_` left it.
        inputs: what it is called with; then multiply-accumulates are counted, those outside of layers too.

    >>> from cpt_model import prepare_
    >>> model = prepare_(nn.Sequential(nn.Conv2d(3, 16, 3), nn.Flatten(), nn.Linear(16, 10)))
    >>> print(coverage(model).summary())
    1 of 2 layers, 73.0 % of their weights quantised; float: 1 Linear
    """
    prepared = prepared_layers(model)
    found = {
        name: Part(name, _kind(module), _weights(module), None, None if name in prepared else _why(module))
        for name, module in model.named_modules()
        if name in prepared or multiplies(module)
    }
    if not inputs:
        return Coverage(tuple(found.values()))
    macs = {layer.name: layer.macs for layer in _traced(model, inputs).layers.values() if layer.macs}
    parts = [Part(**(vars(part) | {"macs": macs.pop(name, 0)})) for name, part in found.items()]
    places = [
        Part(name, _kind(model.get_submodule(name)), 0, rest, "computed outside of layers")
        for name, rest in macs.items()
    ]
    return Coverage((*parts, *places))


def _traced(model: nn.Module, inputs: tuple[Tensor, ...]) -> Tracer:
    """On shapes alone, in a fraction of the time; on the inputs themselves where the model's code looks at values."""
    try:
        return traced(model, tuple(each.to("meta") for each in inputs))
    except Exception:  # other people's code
        return traced(model, inputs)


def _why(module: nn.Module) -> str:
    form = form_of(module)
    return form if isinstance(form, str) else BY_CHOICE


def _kind(module: nn.Module) -> str:
    return (module.original if isinstance(module, QuantLayer) else type(module)).__name__


def _weights(module: nn.Module) -> int:
    return sum(each.numel() for each in module.parameters() if each.ndim > 1)
