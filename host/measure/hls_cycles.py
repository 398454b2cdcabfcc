"""Cycles of the HLS kernel by its timed C-simulation, compared with those of the RTL core.

    python -m host.measure.hls_cycles              the table of hls/cycles.json
    python -m host.measure.hls_cycles --measure    simulates the passes again and writes that file (two minutes)

The RTL's cycles are those of vivado/cycles.json, of a pass between two others; the kernel's are of a pass alone, with
its beginning and its end. `scaled` divides their ratio by that of the arrays.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from itertools import product
from pathlib import Path
from typing import Any

from tqdm import tqdm

from host.compiler.jobs import random_operands
from host.compiler.layer import Pass
from host.compiler.layer_spec import parse_layer
from host.driver.execute import run_pass
from host.measure.cycle_grid import BODY, Point, Stored
from host.measure.efficiency import PLAIN
from sim.common.files import write_atomically
from sim.common.places import HLS, VIVADO
from sim.contract import BOARD_BYTES_PER_CYCLE, BOARD_LATENCY_CYCLES, Build
from sim.devices.hls_timed import TimedHlsExecutor

Row = dict[str, Any]
FILE, RTL_FILE = HLS / "cycles.json", VIVADO / "cycles.json"
BUILD = "hls"
NARROW, WIDE = (3, 3), (8, 8)
STRIDED = ("conv:n128,c16-32,32x32,k3,s2,p1", "conv:n128,c16-32,32x32,k1,s2")  # not of the body
FEW = tuple(layer.replace("n128", "n8") for layer in BODY)  # images: half as many as lanes
MOST_SCALED, MOST_NARROW = 1.5, 0.35  # the goals


def points() -> list[Point]:
    body = [Point(layer, which, bits) for bits, layer, which in product((NARROW, WIDE), BODY, Pass)]
    strided = [Point(layer, Pass.WEIGHT_GRADIENT, bits) for layer, bits in product(STRIDED, (NARROW, WIDE))]
    return body + strided + [Point(layer, Pass.FORWARD, bits) for layer, bits in product(FEW, (NARROW, WIDE))]


def measure(executor: TimedHlsExecutor, point: Point) -> Row:
    layer, precision = parse_layer(point.layer), point.precision()
    operands = random_operands(layer, point.which, precision, seed=1)
    run_pass(executor, layer, point.which, precision, *operands, point.output())
    return {
        "layer": point.layer,
        "pass": point.which.value,
        "a_bits": precision.a_bits,
        "b_bits": precision.b_bits,
        "stored": str(Stored.of(point.output())),
        "cycles": executor.timing["cycles"],
    }


def measured() -> dict[str, Any]:
    """All points, with the build and the memory they were simulated with."""
    executor = TimedHlsExecutor(Build.named(BUILD))
    rows = [measure(executor, point) for point in tqdm(points(), unit="pass", leave=False)]
    memory = {"bytes_per_cycle": BOARD_BYTES_PER_CYCLE, "latency": BOARD_LATENCY_CYCLES}
    return {"build": executor.build.parameters(), **memory, "points": rows}


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def size(build: dict[str, int]) -> int:
    """Bit products of an array in a cycle."""
    return build["lanes"] * build["columns"] * 16 * build["slice_groups"]


def key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("layer", "pass", "a_bits", "b_bits", "stored"))


def compared(hls: dict[str, Any], rtl: dict[str, Any]) -> list[Row]:
    """The kernel's points that the RTL has as well, with its cycles and the ratio scaled by the arrays."""
    for name in ("bytes_per_cycle", "latency"):
        if hls[name] != rtl[name]:
            raise ValueError(f"{name}: {hls[name]} of the HLS kernel and {rtl[name]} of the RTL are not comparable")
    arrays = size(rtl["build"]) / size(hls["build"])
    known = {key(row): row["cycles"] for row in rtl["points"] if row["stored"] == PLAIN}
    return [
        row | {"rtl": known[key(row)], "scaled": row["cycles"] / known[key(row)] / arrays}
        for row in hls["points"]
        if key(row) in known
    ]


def narrowed(rows: list[Row]) -> dict[str, float]:
    """Cycles of forward passes of the body at narrow widths, of those at wide ones."""
    forward = {
        (row["layer"], (row["a_bits"], row["b_bits"])): row["cycles"]
        for row in rows
        if row["pass"] == Pass.FORWARD.value
    }
    return {layer: forward[layer, NARROW] / forward[layer, WIDE] for layer in BODY}


def few_images(hls: dict[str, Any]) -> list[float]:
    """Cycles an image of small batches, of those an image of full ones takes."""
    known = {(row["layer"], row["a_bits"]): row["cycles"] for row in hls["points"] if row["pass"] == Pass.FORWARD.value}
    return [
        known[few, bits] / parse_layer(few).batch / (known[many, bits] / parse_layer(many).batch)
        for many, few in zip(BODY, FEW, strict=True)
        for bits in (NARROW[0], WIDE[0])
    ]


def as_page(hls: dict[str, Any], rtl: dict[str, Any]) -> str:
    """The comparison as Markdown."""
    rows = compared(hls, rtl)
    shape = "{lanes} × {columns} × {bits} bits"
    hls_shape, rtl_shape = (
        shape.format(bits=16 * each["build"]["slice_groups"], **each["build"]) for each in (hls, rtl)
    )
    lines = [
        f"| layer | pass | bits | HLS, {hls_shape} | RTL, {rtl_shape} | scaled |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row['layer']} | {row['pass']} | {row['a_bits']}×{row['b_bits']} | {row['cycles']:,} | {row['rtl']:,} "
            f"| {row['scaled']:.2f} |"
            for row in rows
        ),
    ]
    body = [row for row in rows if row["layer"] in BODY]
    above = [row for row in body if row["scaled"] > MOST_SCALED]
    few = few_images(hls)
    shares = ", ".join(f"{share:.2f}" for share in narrowed(hls["points"]).values())
    summary = (
        f"The RTL's array is {size(rtl['build']) / size(hls['build']):.3g} times as large. Of {len(body)} passes of "
        f"body layers {len(above)} take more than {MOST_SCALED} times the RTL's scaled cycles; the most is "
        f"{max(row['scaled'] for row in body):.2f}. Forward at 3×3 bits takes {shares} of 8×8 (goal: {MOST_NARROW}). "
        f"An image of a batch of 8 takes {min(few):.2f} to {max(few):.2f} times as long as one of 128, forward."
    )
    lines += ["", *textwrap.wrap(summary, 110)]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m host.measure.hls_cycles", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--measure", action="store_true", help="simulate the passes again (minutes)")
    if parser.parse_args().measure:
        write_atomically(FILE, json.dumps(measured(), indent=1) + "\n")
    hls = read(FILE)
    if hls["build"] != Build.named(BUILD).parameters():
        print(f"{FILE.name}: not of today's build '{BUILD}'; run with --measure", file=sys.stderr)
        return 2
    print(as_page(hls, read(RTL_FILE)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
