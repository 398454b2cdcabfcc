"""What the plots of all pages share: frame, colours, smoothing, and a figure as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

WIDTH = 12.6  # of a figure that fills a page, in inches
WINDOW = 5  # lines of metrics in a moving mean, at least
SHARE = 50  # or one in this number of a long run's lines


def tidy(*panels: Any) -> None:
    """A light grid behind the data, no frame above and on the right."""
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_axisbelow(True)


def colour(number: int) -> Any:
    """The same for the same number on every plot; ten are clearly different, twenty are different."""
    from matplotlib import colormaps

    return f"C{number}" if number < 10 else colormaps["tab20"](2 * (number % 10) + 1)


def thousands(axis: Any, ticks: int = 6) -> None:
    """Few ticks, with commas: 64,000."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def logarithmic(panel: Any) -> None:
    """A logarithmic scale with plain numbers: 60, not 6 × 10¹."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    panel.set_yscale("log", subs=[2, 5])
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    low, high = panel.get_ylim()
    few = high < 100 * low
    panel.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}") if few else NullFormatter())


def smooth(values: Sequence[float]) -> list[float]:
    """Mean of the last few.

    >>> smooth([0.0, 2.0])
    [0.0, 1.0]
    """
    window = max(WINDOW, len(values) // SHARE)
    parts = [values[max(0, end - window) : end] for end in range(1, len(values) + 1)]
    return [sum(part) / len(part) for part in parts]
