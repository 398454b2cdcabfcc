"""Loss landscape around trained models, in two random directions (Li et al. 2018), at stated bits.

The loss of θ + a·δ + b·η on a grid of (a, b). δ and η are Gaussian, drawn from a seed and so the same for every
compared model, then scaled filter by filter (first axis of a weight) to the norms of each model's own filters: a
step of 1 moves every filter by its own length, whatever the scale of the weights. Parameters of one axis (biases, batch
normalisation) stay. Models are evaluated in evaluation mode: running statistics and ranges are those of training.

A grid is slow: its file is written after each row, whole or not at all, and a second call goes on from there.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cpt_model.model_precision import precision, quantisation_state
from host.compiler.bits import Bits, check_bits
from sim.common.files import write_atomically
from sim.common.json_file import parse_json
from sim.common.progress import Progress

Batch = tuple[Tensor, Tensor]
Loss = Callable[[Tensor, Tensor], Tensor]
Direction = dict[str, Tensor]


class LandscapeError(ValueError):
    """A landscape that cannot be; the message says what and what is allowed."""


@dataclass(frozen=True)
class Landscape:
    """Losses of each model over the grid: `losses[model][row, column]` at a = `axis[column]`, b = `axis[row]`."""

    settings: dict[str, Any]
    axis: npt.NDArray[np.float64]
    losses: dict[str, npt.NDArray[np.float64]]

    @classmethod
    def load(cls, path: str | Path) -> Landscape:
        """Reads a finished grid."""
        settings, losses, rows = _read(Path(path))
        if rows < settings["points"] * len(losses):
            raise LandscapeError(f"{path} has only {rows} of its {settings['points'] * len(losses)} rows: continue it")
        return cls(settings, _axis(settings["span"], settings["points"]), losses)

    def plot(self, path: str | Path) -> None:
        """Draws contours of every model on the same levels, and the two slices through the centre."""
        from cpt_model.methods.landscape_plot import plot

        plot(self.axis, self.losses, self.settings["bits"], Path(path))


def direction(model: nn.Module, generator: torch.Generator) -> Direction:
    """A random direction with the model's filter norms, one tensor per weight of two axes or more.

    >>> model = nn.Linear(5, 3)
    >>> step = direction(model, torch.Generator().manual_seed(0))
    >>> list(step), torch.allclose(step["weight"].norm(dim=1).float(), model.weight.norm(dim=1))
    (['weight'], True)
    """
    scaled = {}
    for name, parameter in model.named_parameters():
        if parameter.dim() < 2:
            continue
        random = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        weight = parameter.detach().cpu().double()
        axes = tuple(range(1, parameter.dim()))
        scaled[name] = random * (_norm(weight, axes) / _norm(random, axes))
    return scaled


def _norm(weight: Tensor, axes: tuple[int, ...]) -> Tensor:
    return torch.linalg.vector_norm(weight, dim=axes, keepdim=True)


def landscape(
    models: Mapping[str, nn.Module],
    data: Iterable[Batch],
    loss: Loss,
    path: str | Path,
    bits: int | Bits = 8,
    span: float = 1.0,
    points: int = 25,
    seed: int = 0,
    progress: bool = True,
) -> Landscape:
    """The grid of every model, continued from `path` where that was begun; the models are not touched.

    Args:
        models: by the names the plot shows; prepared by `prepare_`, and all of the same shape.
        data: (input, target) batches; read once and kept.
        loss: called as loss(output, target), a mean over the batch.
        path: file of the grid, `.npz`.
        bits: precision of the evaluation.
        span: the grid reaches from −span to span in both directions.
        points: an odd number on each side, so that the centre is one.
        seed: of the directions.
        progress: whether a bar is shown.
    """
    path = Path(path)
    batches = list(data)
    _check(models, batches, path, bits, span, points)
    settings: dict[str, Any] = {
        "bits": [int(each) for each in bits] if isinstance(bits, Bits) else int(bits),
        "span": span,
        "points": points,
        "seed": seed,
        "data": _digest(tensor for batch in batches for tensor in batch),
        "models": {name: _fingerprint(model) for name, model in models.items()},
    }
    losses = {name: np.full((points, points), np.nan) for name in models}
    rows = 0
    if path.exists():
        found, losses, rows = _read(path)
        if different := [key for key in settings if found.get(key) != settings[key]]:
            raise LandscapeError(f"{path} was begun with other {' and '.join(different)}: choose another file")
    axis = _axis(span, points)
    with Progress(points * len(models), "landscape", "rows", rows, progress) as bar:
        for index, (name, model) in enumerate(models.items()):
            if rows >= (index + 1) * points:
                continue
            walk = _Walk(model, seed, batches, loss, bits)
            walk.check_centre(name)
            for row in range(rows - index * points, points):
                losses[name][row] = [walk.loss_or_infinity(float(a), float(axis[row])) for a in axis]
                rows += 1
                _write(path, settings, losses, rows)
                bar.update()
    return Landscape(settings, axis, losses)


class _Walk:
    """A copy of a model that is moved about; the model itself is never written."""

    def __init__(self, model: nn.Module, seed: int, batches: list[Batch], loss: Loss, bits: int | Bits) -> None:
        self.model = copy.deepcopy(model).eval()
        self.batches, self.loss, self.bits = batches, loss, bits
        generator = torch.Generator().manual_seed(seed)
        self.directions = direction(model, generator), direction(model, generator)
        self.centre = {name: value.detach().clone() for name, value in model.named_parameters()}

    @torch.no_grad()
    def loss_at(self, a: float, b: float) -> float:
        for name, parameter in self.model.named_parameters():
            if name in self.directions[0]:
                moved = a * self.directions[0][name] + b * self.directions[1][name]
                parameter.copy_(self.centre[name].double() + moved.to(parameter.device))
        with precision(self.model, self.bits):
            total = math.fsum(float(self.loss(self.model(x), target)) * len(target) for x, target in self.batches)
        return total / sum(len(target) for _, target in self.batches)

    def loss_or_infinity(self, a: float, b: float) -> float:
        """Far out activations may overflow, which quantisers refuse; the centre has shown that all else is well."""
        try:
            return self.loss_at(a, b)
        except ValueError:
            return math.inf

    def check_centre(self, name: str) -> None:
        if not math.isfinite(value := self.loss_at(0, 0)):
            raise LandscapeError(f"the loss of model '{name}' is {value} before any step")


def _axis(span: float, points: int) -> npt.NDArray[np.float64]:
    half = points // 2
    return np.arange(-half, half + 1) * (span / half)


def _digest(tensors: Iterable[Tensor]) -> str:
    sha = hashlib.sha256()
    for tensor in tensors:
        sha.update(f"{tensor.dtype} {tuple(tensor.shape)} ".encode())
        sha.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    return sha.hexdigest()


def _fingerprint(model: nn.Module) -> str:
    """Of all that evaluation depends on: parameters, buffers (with ranges of activations), quantisers and rounding."""
    state: Any = quantisation_state(model)
    layers = {name: (layer["quantiser"], layer["results"]) for name, layer in state.items()}
    return _digest(model.state_dict().values()) + hashlib.sha256(json.dumps(layers).encode()).hexdigest()


def _write(path: Path, settings: dict[str, Any], losses: Mapping[str, npt.NDArray[np.float64]], rows: int) -> None:
    """The file appears whole, also when the process dies meanwhile."""
    grids = {f"loss {name}": grid for name, grid in losses.items()}
    about = {"settings": np.array(json.dumps(settings)), "rows": np.array(rows)}
    content = io.BytesIO()  # small; on a full disk, a ZIP archive's own end would print a traceback
    np.savez(content, **about, **grids)
    write_atomically(path, content.getvalue())


def _read(path: Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.float64]], int]:
    try:
        with path.open("rb") as file, np.load(file) as arrays:
            settings = parse_json(str(arrays["settings"]))
            losses = {name: arrays[f"loss {name}"] for name in settings["models"]}
            if any(grid.shape != 2 * (settings["points"],) for grid in losses.values()):
                raise ValueError("its grids have another shape than it says")
            return settings, losses, int(arrays["rows"])
    except (OSError, ValueError, LookupError, TypeError, EOFError, BadZipFile) as error:
        raise LandscapeError(f"{path} is not the file of a landscape: {error}") from error


def _check(
    models: Mapping[str, nn.Module], batches: list[Batch], path: Path, bits: int | Bits, span: float, points: int
) -> None:
    if not models:
        raise LandscapeError("there is no model")
    if not sum(len(target) for _, target in batches):
        raise LandscapeError("the data has no samples")
    if not isinstance(bits, Bits):
        check_bits("forward bits", bits, least=0, error=LandscapeError)
    if points < 3 or points % 2 == 0:
        raise LandscapeError(f"points = {points} is not an odd number from 3 on")
    if not 0 < span < math.inf:
        raise LandscapeError(f"span = {span} is not above 0")
    if path.suffix != ".npz" or not path.parent.is_dir():
        raise LandscapeError(f"{path} is not a .npz file in a folder that exists")
    shapes = {name: [(key, value.shape) for key, value in model.named_parameters()] for name, model in models.items()}
    first = next(iter(shapes))
    for name in shapes:
        if shapes[name] != shapes[first]:
            raise LandscapeError(f"models '{first}' and '{name}' differ in shape: they cannot share directions")
