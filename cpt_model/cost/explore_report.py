"""A design space as values for JSON, as tables, and as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cpt_model.cost.accelerator import AcceleratorBoard
from cpt_model.cost.breakdown import LayerPass, at_extremes, extremes
from cpt_model.cost.explore import WORDS, Design, Sweep
from cpt_model.cost.resources import NAMES, Resources, ResourceTable
from cpt_model.cost.run import MATRIX_PASSES, WHOLE_STEPS, Run
from cpt_model.drawing.html import folded, heading, page, paragraph, picture, table
from cpt_model.tracing.counts import ModelCount
from host.compiler.layer import Pass

ESTIMATE = (
    "Everything here is an estimate: hours by the latency model of the core, storing rounded results, resources by "
    "Yosys' counts of the zc706 build's modules, scaled with the sizes; nothing was placed or routed."
)
OF = {
    WHOLE_STEPS: "Hours are of whole training steps, without the host's own share. The vector unit, which they need, "
    "is not in the resources: docs/resources.md.",
    MATRIX_PASSES: "Hours are of matrix passes alone: the network does not run as whole training steps.",
}
FRONT_HEAD = ("lanes x columns x K bits", "hours", "saved", "products", *WORDS.values(), "compute/load/store", "RTL")


@dataclass(frozen=True)
class Report:
    """A sweep and what it was of."""

    arch: str
    precision: str
    static_precision: str
    run: Run
    count: ModelCount
    part_name: str
    part: Resources
    table: ResourceTable
    hours_of: str
    found: Sweep

    @property
    def title(self) -> str:
        return f"{self.arch}, {self.precision}, {self.run.iterations:,} x {self.run.batch} samples, in {self.part_name}"

    def layers(self) -> list[tuple[LayerPass, LayerPass]]:
        """Passes of the best design at the lowest and the highest bits."""
        return at_extremes(self.count, self.run, AcceleratorBoard(self.found.best.profile))

    def notes(self) -> Iterator[str]:
        """What a reader should know of the numbers."""
        best, slowest = self.found.best, self.table.slowest
        yield ESTIMATE
        yield OF[self.hours_of]
        if slowest.logic_ns * best.profile.clock_mhz > 1e3:
            yield (
                f"The longest path of logic in the table, {slowest.logic_ns:.1f} ns in {slowest.name}, allows "
                f"{1e3 / slowest.logic_ns:.0f} MHz before any wire; a faster clock asks for another core."
            )
        yield (
            "RTL 'as is': the core elaborates at these sizes (3 groups of K for 16 lanes, 48 or 144 bits); the others "
            "are legal by the contract and need changes to the RTL, so their numbers are less sure."
        )
        if "xczu" in self.part_name:
            yield "The counts are of 7-series cells; an UltraScale+ part's carry chains and DSPs differ."
        if self.table.unknown:
            yield f"Modules without a rule of scaling, taken as fixed: {', '.join(self.table.unknown)}."


def front_row(design: Design, part: Resources) -> tuple[str, ...]:
    """Cells under FRONT_HEAD."""
    counts = {name: (getattr(design.resources, name), getattr(part, name)) for name in NAMES}
    needs = (f"{need:,.0f} ({need / have:.0%})" for need, have in counts.values())
    shares = "/".join(f"{design.shares_pct[stream]:.0f}" for stream in ("compute", "load", "store"))
    times = (f"{design.hours:.4g}", f"{design.saving_hours_pct:.1f} %", f"{design.products_hours:.4g}")
    return design.array, *times, *needs, f"{shares} %", "as is" if design.buildable else "changed"


def best_rows(found: Sweep) -> list[tuple[str, ...]]:
    """The fastest design at each clock and bandwidth."""
    fastest = {place: front[-1] for place, front in found.fronts.items()}
    return [
        (f"{clock:g}", f"{bandwidth:g}", each.array, f"{each.hours:.4g}", f"{each.resources.lut:,.0f}")
        for (clock, bandwidth), each in fastest.items()
    ]


def grouped_layers(report: Report) -> list[tuple[str, ...]]:
    """Layers of the same cycles in all passes together: the first one's name, their number, what rules each pass."""
    passes: dict[str, list[tuple[str, ...]]] = {}
    for low, high in report.layers():
        passes.setdefault(low.layer, []).append(_cells(low, high))
    alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for layer, cells in passes.items():
        alike.setdefault(tuple(cells), []).append(layer)
    rows: list[tuple[str, ...]] = []
    for kind, names in alike.items():
        for place, each in enumerate(kind):
            rows.append((*((names[0], f"{len(names)}") if not place else ("", "")), *each))
    return rows


def _cells(low: LayerPass, high: LayerPass) -> tuple[str, ...]:
    return low.which, f"{low.cycles:,.0f}", low.bottleneck, f"{high.cycles:,.0f}", high.bottleneck


def layer_head(run: Run) -> tuple[str, ...]:
    low, high = (f"at {bits}" for bits in extremes(run))
    return ("layer", "number", "pass", f"cycles {low}", "ruled by", f"cycles {high}", "ruled by")


def as_values(report: Report) -> dict[str, Any]:
    """Everything, for JSON."""
    found = report.found
    fronts = [
        {"clock_mhz": clock, "gigabytes_per_second": bandwidth, "designs": [design.profile.name for design in front]}
        for (clock, bandwidth), front in found.fronts.items()
    ]
    return {
        "arch": report.arch,
        "precision": report.precision,
        "static_precision": report.static_precision,
        "iterations": report.run.iterations,
        "batch": report.run.batch,
        "hours_of": report.hours_of,
        "part": {"name": report.part_name, **asdict(report.part)},
        "best": _values(found.best),
        "best_in_rtl": _values(found.best_buildable) if found.best_buildable else None,
        "fronts": fronts,
        "layers": [asdict(each) for pair in report.layers() for each in pair],
        "designs": [_values(design) for design in found.designs],
        "skipped": [{"reason": reason, **asdict(skipped)} for reason, skipped in found.skipped.items()],
        "notes": list(report.notes()),
    }


def _values(design: Design) -> dict[str, Any]:
    return {
        "name": design.profile.name,
        "build": design.profile.build.parameters(),
        "clock_mhz": design.profile.clock_mhz,
        "gigabytes_per_second": design.profile.gigabytes_per_second,
        "hours": design.hours,
        "products_hours": design.products_hours,
        "static_hours": design.static_hours,
        "saving_hours_pct": design.saving_hours_pct,
        **asdict(design.resources),
        "shares_pct": design.shares_pct,
        "in_rtl": design.buildable,
    }


def as_page(report: Report, fronts: Path, roofline: Path) -> str:
    """One page, the pictures inside."""
    found = report.found
    clock, bandwidth = found.best.place
    parts = [
        *(paragraph(note) for note in report.notes()),
        picture(fronts, "hours against LUTs, with the Pareto front of each clock and bandwidth"),
        table(
            FRONT_HEAD,
            [front_row(design, report.part) for design in found.fronts[found.best.place]],
            f"Pareto front at {clock:g} MHz and {bandwidth:g} GB/s",
        ),
        table(("MHz", "GB/s", "array", "hours", "LUT"), best_rows(found), "The fastest at each clock and bandwidth"),
        heading("Where the fastest design's matrix passes spend their time"),
        picture(roofline, "roofline of the fastest design"),
        table(layer_head(report.run), grouped_layers(report)),
        folded("every layer", [table(("layer", *layer_head(report.run)[2:]), _every_layer(report))]),
        table(
            ("left out", "combinations", "for example"),
            [(reason, f"{skipped.count}", skipped.example) for reason, skipped in found.skipped.items()],
            "Left out",
        ),
    ]
    return page(f"Design space of {report.title}", parts)


def _every_layer(report: Report) -> list[tuple[str, ...]]:
    first = Pass.FORWARD.value
    return [(low.layer if low.which == first else "", *_cells(low, high)) for low, high in report.layers()]
