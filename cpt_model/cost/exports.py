"""The latency model's numbers for other tools: a table of layers, lookup tables over widths, a topology.

A lookup table has the cycles of one pass, int64, at [layer, i − 1, j − 1], as HAQ's cost tables have them:

| pass | i: bits of | j: bits of |
|---|---|---|
| forward | weights | activations |
| input-error | weights | errors |
| weight-gradient | activations | errors |
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cpt_model.cost.accelerator import Profile, layer_passes, pass_time
from cpt_model.cost.topology import topology
from cpt_model.tracing.counts import LayerCount, ModelCount
from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, Pass
from host.compiler.layer_spec import layer_text
from host.compiler.precision import Precision
from host.compiler.results import precision_commands
from host.measure.prediction import moved_bytes
from sim.common.files import write_atomically

MOST_BITS = 8  # of a lookup table


@dataclass(frozen=True)
class Row:
    """One pass of one layer at some bits, for one batch; bytes are every operand and every result once."""

    layer: str
    which: str
    shape: str
    fw_bits: int
    bw_bits: int
    a_bits: int
    b_bits: int
    cycles: int
    bytes: int
    bound: str


def rows(count: ModelCount, batch: int, widths: Iterable[Bits], profile: Profile) -> list[Row]:
    """At each of these bits, every pass of every quantised layer."""
    found = []
    for scheduled in widths:
        for layer, which in layer_passes(count):
            bits = layer.bits or scheduled
            precision = pass_precision(which, bits)
            products = [product.of_batch(batch) for product in layer.products]
            time = pass_time(layer, which, batch, precision, profile)
            moved = sum(each.times * _moved(each.shape, which, precision, profile) for each in products)
            shape = " + ".join(_times(each.times) + layer_text(each.shape) for each in products)
            numbers = (bits.forward, bits.backward, precision.a_bits, precision.b_bits)
            found.append(Row(layer.name, which.value, shape, *numbers, round(time.cycles), moved, time.bottleneck))
    return found


def _times(number: int) -> str:
    return f"{number} x " if number > 1 else ""


@lru_cache(maxsize=4096)
def _moved(shape: Conv, which: Pass, precision: Precision, profile: Profile) -> int:
    return sum(map(moved_bytes, precision_commands(shape, which, precision, profile.build, profile.results)))


def lookup_table(count: ModelCount, batch: int, which: Pass, profile: Profile) -> npt.NDArray[np.int64]:
    """Cycles of a pass of each quantised layer, at every pair of widths; 0 where the pass is not needed."""
    layers = quantised(count)
    table = np.zeros((len(layers), MOST_BITS, MOST_BITS), np.int64)
    needed = {layer.name for layer, each in layer_passes(count) if each is which}
    for place, layer in enumerate(layers):
        if layer.name in needed:
            for i, j in np.ndindex(MOST_BITS, MOST_BITS):
                time = pass_time(layer, which, batch, _precision(which, i + 1, j + 1), profile)
                table[place, i, j] = round(time.cycles)
    return table


def quantised(count: ModelCount) -> list[LayerCount]:
    """The layers that a lookup table has, in its order."""
    return [layer for layer in count.layers if layer.quantised]


def _precision(which: Pass, i: int, j: int) -> Precision:
    """The operands as a command has them: B is the weights, or the errors of a weight gradient."""
    a_bits, b_bits = (i, j) if which is Pass.WEIGHT_GRADIENT else (j, i)
    return replace(pass_precision(which, Bits(MOST_BITS, MOST_BITS)), a_bits=a_bits, b_bits=b_bits)


def write_exports(folder: Path, count: ModelCount, batch: int, widths: Iterable[Bits], profile: Profile) -> list[str]:
    """All of them into a folder; the names of the files. A network that a topology cannot hold has none."""
    folder.mkdir(parents=True, exist_ok=True)
    table = [asdict(row) for row in rows(count, batch, widths, profile)]
    text = io.StringIO()
    lines = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    lines.writeheader()
    lines.writerows(table)
    about = {
        "profile": profile.name,
        "clock_mhz": profile.clock_mhz,
        "batch": batch,
        "lookup_layers": [layer.name for layer in quantised(count)],
        "rows": table,
    }
    files: dict[str, str | bytes] = {"layers.csv": text.getvalue(), "layers.json": json.dumps(about, indent=1) + "\n"}
    for which in Pass:
        stream = io.BytesIO()
        np.save(stream, lookup_table(count, batch, which, profile))
        files[f"lookup-{which.value}.npy"] = stream.getvalue()
    try:
        files["topology.csv"] = topology(count)
    except ValueError:
        (folder / "topology.csv").unlink(missing_ok=True)
    for name, content in files.items():
        write_atomically(folder / name, content)
    return list(files)
