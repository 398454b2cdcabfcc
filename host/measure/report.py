"""What a run took, by layer, pass and precision: as rows, a table, a CSV file and a plot."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import get_type_hints

from host.compiler.bits import Bits
from host.compiler.jobs import Job
from host.compiler.results import Results
from host.driver.outcome import ListOutcome
from host.measure.colours import COLOURS
from host.measure.source import COUNTED, MEASURED, Source
from sim.common.files import write_atomically
from sim.common.table import as_table


@dataclass(frozen=True)
class Row:
    """One layer's pass at one precision; latencies over its repeats, in microseconds.

    `source` says what the latencies are: measured, simulated or counted. The bound is what array and memory allow, the
    model what the RTL core should take (`host.measure.prediction`).
    """

    source: str
    device: str
    network: str
    batch: int
    layer: str
    layers: int  # how many layers of this shape the row stands for
    which: str
    fw_bits: int
    bw_bits: int
    a_bits: int
    b_bits: int
    runs: int
    latency_us: float  # median
    latency_us_min: float
    latency_us_max: float
    latency_us_stdev: float
    cycles: int  # median of the counter CYCLES_TOTAL
    busy: int
    load_stall: int
    store_stall: int
    bound_us: float
    model_us: float
    ratio: float  # latency over model
    upload_us: float  # the host's share: packing and flushing, once
    read_us: float
    golden: str  # "equal", or "unchecked"
    build: str
    clock_mhz: float
    results: str  # what passes store

    @property
    def bits(self) -> Bits:
        return Bits(self.fw_bits, self.bw_bits)


@dataclass
class Gathered:
    """All runs of one layer's pass at one precision."""

    job: Job
    outcomes: list[ListOutcome]
    bound_cycles: float
    model_cycles: float
    results: Results = Results.ROUNDED
    upload_seconds: float = 0.0
    read_seconds: float = 0.0
    golden: str = "unchecked"
    layers: int = 1

    def row(self, source: Source, network: str) -> Row:
        times = [source.microseconds(outcome) for outcome in self.outcomes]
        middle = sorted(self.outcomes, key=lambda outcome: outcome.cycles)[len(self.outcomes) // 2].counters
        median, model = statistics.median(times), self.model_cycles / source.clock_mhz
        return Row(
            source=source.kind,
            device=source.device,
            network=network,
            batch=self.job.layer.batch,
            layer=self.job.name,
            layers=self.layers,
            which=self.job.which.value,
            fw_bits=self.job.step.bits.forward,
            bw_bits=self.job.step.bits.backward,
            a_bits=self.job.precision.a_bits,
            b_bits=self.job.precision.b_bits,
            runs=len(times),
            latency_us=round(median, 3),
            latency_us_min=round(min(times), 3),
            latency_us_max=round(max(times), 3),
            latency_us_stdev=round(statistics.stdev(times), 3) if len(times) > 1 else 0.0,
            cycles=middle.total,
            busy=middle.busy,
            load_stall=middle.load_stall,
            store_stall=middle.store_stall,
            bound_us=round(self.bound_cycles / source.clock_mhz, 3),
            model_us=round(model, 3),
            ratio=round(median / model, 3),
            upload_us=round(self.upload_seconds * 1e6, 1),
            read_us=round(self.read_seconds * 1e6, 1),
            golden=self.golden,
            build=source.build,
            clock_mhz=source.clock_mhz,
            results=self.results.value,
        )


def as_text(rows: Sequence[Row], source: Source) -> str:
    """For people: the source first, then a line for each row, then a sum for each precision."""
    shown = [
        *("layer", "layers", "which", "fw_bits", "bw_bits", "runs"),
        *("latency_us", "latency_us_stdev", "cycles", "bound_us", "model_us", "ratio", "golden"),
    ]
    if source.kind == COUNTED:  # steps cannot be compared with times
        shown = [key for key in shown if key not in ("bound_us", "model_us", "ratio")]
    table = as_table(shown, [[_cell(getattr(row, key)) for key in shown] for row in rows])
    sums = (sum_line(bits, rows, source) for bits in precisions(rows))
    return "\n".join([f"latencies are {source}", table, "", *sums])


def precisions(rows: Iterable[Row]) -> list[Bits]:
    return sorted({row.bits for row in rows})


def sum_line(bits: Bits, rows: Iterable[Row], source: Source) -> str:
    """The passes of one step at this precision, all layers counted."""
    chosen = [row for row in rows if row.bits == bits]
    passes = sum(row.layers for row in chosen)
    total = sum(row.layers * row.latency_us for row in chosen)
    if source.kind == COUNTED:
        return f"{bits} bits: {passes} passes, {total:,.1f} us {source.kind}, without loads and stores"
    bound, model = (sum(row.layers * getattr(row, key) for row in chosen) for key in ("bound_us", "model_us"))
    return (
        f"{bits} bits: {passes} passes, {total:,.1f} us {source.kind}; the latency model says"
        f" {model:,.1f} us, array and memory need {bound:,.1f} us at least"
    )


def _cell(value: object) -> object:
    return f"{value:,.1f}" if isinstance(value, float) else value


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """One line a row, all columns; `source` and `device` are the first two."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [field.name for field in fields(Row)])
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    write_atomically(path, text.getvalue())


def read_csv(path: Path) -> list[Row]:
    """The rows of a file that `write_csv` wrote; another file is refused with the line at fault."""
    types = get_type_hints(Row)
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        found: list[Row] = []
        try:
            if rows.fieldnames != list(types):
                raise ValueError("the first line does not name the columns of 'cpt board measure'")
            for line in rows:
                found.append(Row(**{name: kind(line[name]) for name, kind in types.items()}))
        except (TypeError, ValueError, csv.Error) as problem:
            raise ValueError(f"{path}, line {rows.line_num}: {problem}") from problem
    return found


def plot(rows: Sequence[Row], source: Source, path: Path) -> None:
    """Latency by layer, a panel for each precision, the bound as a mark on each bar. Needs matplotlib."""
    from matplotlib.figure import Figure

    panels = precisions(rows)
    layers = list(dict.fromkeys(row.layer for row in rows))
    figure = Figure(figsize=(max(8.0, 0.35 * len(layers) + 3), 2.6 * len(panels) + 1), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, bits in zip(axes, panels, strict=True):
        for number, (which, colour) in enumerate(COLOURS.items()):
            chosen = [row for row in rows if row.bits == bits and row.which == which.value]
            places = [layers.index(row.layer) + 0.27 * (number - 1) for row in chosen]
            spread = [
                [row.latency_us - row.latency_us_min for row in chosen],
                [row.latency_us_max - row.latency_us for row in chosen],
            ]
            errors = spread if any(map(any, spread)) else None  # otherwise the caps look like the marks of the bound
            look = {"yerr": errors, "color": colour, "label": which.value, "capsize": 2}
            axis.bar(places, [row.latency_us for row in chosen], 0.25, **look)
            marks = axis.scatter(places, [row.bound_us for row in chosen], marker="_", color="black", s=30, zorder=3)
        marks.set_label("least by array and memory")
        axis.set_title(f"{bits} bits", loc="left", fontsize=10)
        axis.set_ylabel("us" if source.kind == MEASURED else f"us, {source.kind}")
        axis.spines[["top", "right"]].set_visible(False)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", frameon=False, fontsize=8, ncols=4)
    axes[-1].set_xticks(range(len(layers)), layers, rotation=60, ha="right", fontsize=8)
    figure.suptitle(f"{rows[0].network}, batch {rows[0].batch}: {source}", fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
