"""Charts that a page's own script draws (charts.js): light or dark, as wide as the screen, with words on every dot.

A colour belongs to a precision: that of its forward bits, or the cycles' own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, Literal

from host.compiler.bits import Bits

Point = tuple[Any, float | None, str]  # x or the bar's name, y, and the words for it
PARTS = 7  # colours for what has no precision


@dataclass(frozen=True)
class Series:
    """A line, dots without one (`marks`), or a bar in each group."""

    name: str
    colour: str
    points: Sequence[Point]
    dash: bool = False
    step: bool = False
    marks: bool = False
    hollow: bool = False


@dataclass(frozen=True)
class Frame:
    """What is drawn at one place of the slider."""

    name: str
    series: Sequence[Series]


def colour_of(bits: Iterable[Bits]) -> str:
    """Of a run that has these bits.

    >>> colour_of([Bits(8, 8)]), colour_of([Bits(3, 8), Bits(8, 8)]), colour_of([Bits(0, 0)])
    ('b8', 'cycle', 'float')
    """
    forward = {each.forward for each in bits}
    if len(forward) > 1:
        return "cycle"
    (one,) = forward
    return f"b{min(one, 9)}" if one else "float"


def part_colour(number: int) -> str:
    """Of a kind of work.

    >>> part_colour(0), part_colour(7)
    ('p1', 'p1')
    """
    return f"p{number % PARTS + 1}"


def chart(
    title: str,
    kind: Literal["lines", "bars"],
    x: str,
    y: str = "",
    series: Sequence[Series] = (),
    frames: Sequence[Frame] = (),
    **options: Any,
) -> str:
    """The figure; `options` are the script's: logx, logy, least, stacked, slider (words before it)."""
    spec: dict[str, Any] = {"title": title, "kind": kind, "x": x, "y": y, **options}
    if frames:
        spec["frames"] = [{"name": frame.name, "series": [asdict(one) for one in frame.series]} for frame in frames]
    else:
        spec["series"] = [asdict(one) for one in series]
    data = escape(json.dumps(spec, separators=(",", ":")), quote=True)
    return f'<figure data-chart="{data}"><figcaption>{escape(title)}</figcaption></figure>'
