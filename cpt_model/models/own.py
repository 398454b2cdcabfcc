"""A network of the user's own, by name: FILE.py:CLASS, or FILE.py:CLASS:CxHxW with the shape of one image.

The class is made with `classes` or `num_classes`, if its constructor takes one of them, and nothing else. Without a
shape in the name, its attribute `input_shape` counts, else 3×32×32. Whoever names such a network runs its file.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import torch
from torch import nn

SPEC = re.compile(r"(?P<file>.+\.py):(?P<name>\w*)(?::(?P<shape>.*))?")
USUAL_SHAPE, USUAL_CLASSES = (3, 32, 32), 10
COUNTS = ("classes", "num_classes")  # what a constructor may call their number


class OwnNetworkError(ValueError):
    """A class that cannot be used; the message says which, why, and what to do."""


class OwnNetwork(NamedTuple):
    """A class from a file, and the shape of one image it takes."""

    file: Path
    kind: type[nn.Module]
    image: tuple[int, ...]
    stated: bool  # whether the name or the class says the shape

    @property
    def name(self) -> str:
        """Whole: the same from every folder."""
        return f"{self.file}:{self.kind.__name__}:{'x'.join(map(str, self.image))}"

    def make(self, classes: int = USUAL_CLASSES) -> nn.Module:
        wanted = {name: classes for name in COUNTS if name in inspect.signature(self.kind).parameters}
        try:
            model = self.kind(**wanted)
        except Exception as problem:
            took = ", ".join(f"{name}={classes}" for name in wanted)
            raise OwnNetworkError(
                f"{self.where} cannot be made by {self.kind.__name__}({took}): {_where(problem, self.file)}; its"
                " constructor may take classes or num_classes, and must have defaults for all else"
            ) from problem
        self._try(model, classes)
        return model

    @property
    def where(self) -> str:
        return f"{self.file.name}:{self.kind.__name__}"

    def _try(self, model: nn.Module, classes: int) -> None:
        """Two images without values through it: what comes out must be scores of two images."""
        from cpt_model.copies import meta_copy

        shown = "x".join(map(str, self.image))
        try:
            with torch.no_grad():
                scores = meta_copy(model)(torch.empty(2, *self.image, device="meta"))
        except Exception as problem:
            raise OwnNetworkError(
                f"{self.where} does not take images of {shown}: {_where(problem, self.file)}; give their shape as"
                f" {self.file.name}:{self.kind.__name__}:CxHxW, or as the class's input_shape"
            ) from problem
        shape = tuple(scores.shape) if isinstance(scores, torch.Tensor) else type(scores).__name__
        if shape != (2, classes):
            raise OwnNetworkError(
                f"{self.where} makes {shape} of two images of {shown}: a classifier of {classes} classes makes"
                f" (2, {classes}); let its constructor take classes"
            )


def is_own(name: str) -> bool:
    """Whether a network's name is that of a class in a file.

    >>> is_own("my.py:Net"), is_own("resnet18")
    (True, False)
    """
    return ".py:" in name or name.endswith(".py")


def own_network(name: str) -> OwnNetwork:
    """The class by its name; whatever is in its way is named."""
    found = SPEC.fullmatch(name)
    if found is None or not found["name"]:
        classes = _classes_in(Path(name)) if name.endswith(".py") and Path(name).is_file() else ["Net"]
        raise OwnNetworkError(f"'{name}': a class of one's own is FILE.py:CLASS, as {name.strip(':')}:{classes[0]}")
    file = Path(found["file"]).resolve()
    if not file.is_file():
        raise OwnNetworkError(f"{found['file']}: no such file (looked for {file})")
    kind = getattr(_module(file, file.stat().st_mtime_ns), found["name"], None)
    if kind is None:
        there = ", ".join(_classes_in(file)) or "no nn.Module"
        raise OwnNetworkError(f"{file.name} has no class '{found['name']}'; there is: {there}")
    if not (inspect.isclass(kind) and issubclass(kind, nn.Module)):
        raise OwnNetworkError(f"{file.name}:{found['name']} is {_described(kind)}, not a class of torch.nn.Module")
    stated: Any = found["shape"] if found["shape"] is not None else getattr(kind, "input_shape", None)
    return OwnNetwork(file, kind, _shape(stated, name), stated is not None)


def _shape(stated: Any, name: str) -> tuple[int, ...]:
    if stated is None:
        return USUAL_SHAPE
    try:
        shape = tuple(map(int, stated.split("x") if isinstance(stated, str) else stated))
    except (TypeError, ValueError):
        shape = ()
    if len(shape) != 3 or min(shape) < 1:
        raise OwnNetworkError(f"{name}: '{stated}' is no shape of an image; write CxHxW, as 3x32x32")
    return shape


@cache
def _module(file: Path, _changed: int) -> ModuleType:
    """The file as a module; its folder is where it finds what it imports."""
    spec = importlib.util.spec_from_file_location(f"cpt_own_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    sys.path.append(str(file.parent))
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as missing:
        raise OwnNetworkError(
            f"{file.name} imports '{missing.name}', which is not installed here: pip install it into the environment"
            " of cpt, or put it next to the file"
        ) from missing
    except Exception as problem:
        raise OwnNetworkError(f"{file.name} cannot be imported: {_where(problem, file)}") from problem
    finally:
        sys.path.remove(str(file.parent))
    return module


def _classes_in(file: Path) -> list[str]:
    module = _module(file.resolve(), file.stat().st_mtime_ns)
    return [
        name
        for name, kind in vars(module).items()
        if inspect.isclass(kind) and issubclass(kind, nn.Module) and kind.__module__ == module.__name__
    ] or ["CLASS"]


def _described(value: object) -> str:
    return f"the class {value.__name__}" if inspect.isclass(value) else f"of type {type(value).__name__}"


def _where(problem: BaseException, file: Path) -> str:
    """The problem in a line, and the line of the file it came from."""
    lines = str(problem).strip().splitlines()
    text = f"{type(problem).__name__}: {lines[0]}" if lines else type(problem).__name__
    if isinstance(problem, SyntaxError):
        return f"{text.split(' (')[0]} (line {problem.lineno})"
    places = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if Path(frame.filename) == file]
    return f"{text} (line {places[-1]})" if places else text
