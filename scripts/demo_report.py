"""The demo's plot and its one self-contained HTML page."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scripts.demo import Row

COLOURS = {"forward": "#1b6ca8", "input-error": "#e07b39", "weight-gradient": "#3a9d5d"}


def draw(rows: list[Row], path: Path) -> Path:
    """Cycles of each pass, and the error quantisation makes, over the forward precision."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (cycles, error) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    precisions = list(dict.fromkeys(row.precision for row in rows))
    for offset, (which, colour) in enumerate(COLOURS.items()):
        mine = [row for row in rows if row.which == which]
        places = [place + 0.27 * (offset - 1) for place in range(len(mine))]
        cycles.bar(places, [row.cycles for row in mine], width=0.25, color=colour, label=which)
        error.plot([row.rms_error_percent for row in mine], "o-", color=colour, label=which)
    cycles.set(title="Array cycles by contract, zc706 build", ylabel="cycles")
    error.set(title="Error of the quantised pass", ylabel="rms error, % of the exact result", yscale="log")
    for axes in (cycles, error):
        axes.set_xticks(range(len(precisions)), precisions)
        axes.set_xlabel("forward / backward bits")
        axes.grid(axis="y", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_axisbelow(True)
    cycles.legend(frameon=False)
    figure.savefig(path, dpi=140)
    plt.close(figure)
    return path


def write_page(rows: list[Row], plot: Path, path: Path) -> Path:
    """Table and plot in one file that needs no other."""
    picture = base64.b64encode(plot.read_bytes()).decode()
    cells = "\n".join(
        f"<tr><td>{escape(row.precision)}</td><td>{escape(row.which)}</td><td>{escape(row.bits)}</td>"
        f"<td>{row.cycles:,}</td><td>{row.microseconds:.1f}</td><td>{row.relative_to_8_bits:.3f}</td>"
        f"<td>{'equal' if row.integers_agree else 'DIFFER'}</td><td>{'equal' if row.floats_agree else 'DIFFER'}</td>"
        f"<td>{row.rms_error_percent:.2f} %</td></tr>"
        for row in rows
    )
    path.write_text(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>CPT kit: demo</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}}
table{{border-collapse:collapse}}td,th{{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ddd}}
img{{max-width:100%}}</style>
<h1>One layer, three passes, precisions 3 to 8</h1>
<p>Cycles are array cycles by contract: a lower bound, not a measurement. Integers and float32 results are compared
with PyTorch element by element; the error is against the unquantised layer.</p>
<img alt="cycles and error over precision" src="data:image/png;base64,{picture}">
<table><tr><th>fw/bw</th><th>pass</th><th>bits</th><th>cycles</th><th>µs at 200 MHz</th><th>vs 8/8</th>
<th>integers</th><th>float32</th><th>rms error</th></tr>
{cells}</table></html>
"""
    )
    return path
