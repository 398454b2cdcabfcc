"""Golden data: what every pass of a run must give, as digests in one file that a board can read without PyTorch.

`cpt board export` writes it from PyTorch's integers; operands are drawn again from their seeds on the other side.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from host.compiler.bits import Bits
from host.compiler.jobs import Job, Step, drawn_operands
from host.compiler.layer import Conv, Pass
from host.compiler.precision import EXACT, Output
from host.compiler.results import Results, stored_results
from sim.common.files import write_atomically
from sim.common.json_file import read_json

Codes = npt.NDArray[np.integer]
Product = Callable[[Conv, Pass, Codes, Codes], Codes]
FORMAT = 1


class GoldenError(ValueError):
    """Golden data that cannot be read, is missing, or does not agree; the message says which pass."""


@dataclass(frozen=True)
class Golden:
    """A run and the digests of its results."""

    network: str
    batch: int
    results: Results
    layers: dict[str, Conv]
    steps: tuple[Step, ...]
    digests: dict[str, str]

    @classmethod
    def made(
        cls,
        network: str,
        layers: Mapping[str, Conv],
        steps: Iterable[Step],
        jobs: Iterable[Job],
        results: Results,
        product: Product,
    ) -> Golden:
        """Digests of the jobs' results by an independent product; each shape, pass and pair of widths once."""
        digests: dict[str, str] = {}
        for job in jobs:
            key = job_key(job)
            if key not in digests:
                digests[key] = expected_digest(job, results, product)
        batch = next(iter(layers.values())).batch
        return cls(network, batch, results, dict(layers), tuple(steps), digests)

    def check(self, job: Job, result: Codes, sums: Codes | None) -> None:
        """Refuses a result that differs in a single bit."""
        key = job_key(job)
        if key not in self.digests:
            raise GoldenError(f"{job}: the golden data has no such pass; export it with this schedule and these layers")
        if digest(result, sums) != self.digests[key]:
            raise GoldenError(f"{job}: the results differ from the golden data")

    def save(self, path: Path) -> None:
        document = {
            "format": FORMAT,
            "network": self.network,
            "batch": self.batch,
            "results": self.results.value,
            "layers": {name: asdict(layer) for name, layer in self.layers.items()},
            "steps": [[step.iteration, *step.bits] for step in self.steps],
            "digests": self.digests,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(document, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Golden:
        """Golden data from a file; anything else is refused."""
        document: Any = read_json(path, GoldenError)
        with suppress(ImportError):  # on a board: what is wrong is said there less well
            from host.measure.golden_file import GoldenFile

            GoldenFile.of(document, path)
        try:
            if document["format"] != FORMAT:
                raise GoldenError(f"{path}: format {document['format']}, this version reads {FORMAT}")
            layers = {name: _layer(shape) for name, shape in document["layers"].items()}
            steps = tuple(Step(number, Bits(*bits)) for number, *bits in document["steps"])
            results = Results(document["results"])
            return cls(document["network"], document["batch"], results, layers, steps, dict(document["digests"]))
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            what = f"{type(problem).__name__}: {problem}"
            raise GoldenError(f"{path}: not golden data ({what}); write it with 'cpt board export'") from problem


def _layer(shape: dict[str, Any]) -> Conv:
    pairs = {key: tuple(value) if isinstance(value, list) else value for key, value in shape.items()}
    return Conv(**pairs)  # type: ignore[arg-type]


def job_key(job: Job) -> str:
    """A pass by what its result depends on: the same for layers of one shape."""
    layer = job.layer
    parts = (layer.input_shape, layer.weight_shape, layer.stride, layer.padding, layer.groups)
    numbers = "-".join("x".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in parts)
    return f"{numbers} {job.which.value} {job.precision.a_bits}x{job.precision.b_bits}"


def digest(result: Codes, sums: Codes | None) -> str:
    """Of all values in order, as 64-bit integers, the row sums behind the results."""
    hashed = hashlib.sha256()
    for values in (result, sums):
        if values is not None:
            hashed.update(np.ascontiguousarray(values, dtype="<i8").tobytes())
    return hashed.hexdigest()


def expected_digest(job: Job, results: Results, product: Product) -> str:
    """What a product of plain integers and the contract's rounding give."""
    a, b = drawn_operands(job)
    output = stored_results(job.layer, job.which, job.precision, results)
    accumulators = np.asarray(product(job.layer, job.which, a, b)).astype(np.int64)
    sums = None
    if output.row_sums:
        sums = np.asarray(product(job.layer, job.which, a, np.ones_like(b))).astype(np.int64)
    return digest(_stored(accumulators, output), sums)


def _stored(accumulators: Codes, output: Output) -> Codes:
    """Half to even, as NumPy rounds; exact in float64 below 2^53."""
    if output == EXACT:
        return accumulators
    return np.rint(accumulators / 2.0**output.shift).astype(np.int64)
