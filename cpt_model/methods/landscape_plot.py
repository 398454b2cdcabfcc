"""The picture of loss landscapes: contours of every model on the same levels, and slices through the centre."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure

Grid = npt.NDArray[np.float64]
LEVELS = 14


def levels(losses: list[Grid]) -> Grid:
    """Contour levels over all grids, in equal ratios where every loss is above 0: minima are shallow, borders steep.

    >>> levels([np.array([1.0, np.nan, 4.0]), np.array([2.0, 16.0])])[[0, -1]].tolist()
    [1.0, 16.0]
    """
    values = np.concatenate([grid[np.isfinite(grid)] for grid in losses])
    low, high = values.min(), max(values.max(), values.min() + 1e-9)
    return np.geomspace(low, high, LEVELS) if low > 0 else np.linspace(low, high, LEVELS)


def plot(axis: Grid, losses: dict[str, Grid], bits: int | list[int], path: Path) -> None:
    """Draws the losses of each model over the grid into a PNG; the folder must exist."""
    count = len(losses)
    figure = Figure(figsize=(4.2 * (count + 1), 4), layout="compressed")
    panels = figure.subplots(1, count + 1)
    shared = levels(list(losses.values()))
    centre = len(axis) // 2
    norm = BoundaryNorm(shared, ncolors=256)
    for panel, (name, grid) in zip(panels, losses.items(), strict=False):
        shown = np.ma.masked_invalid(grid)
        filled = panel.contourf(axis, axis, shown, levels=shared, norm=norm, cmap="viridis")
        panel.contour(axis, axis, shown, levels=shared, colors="black", linewidths=0.5)
        panel.plot(0, 0, "r+", markersize=9)
        panel.set(title=f"{name}: {grid[centre, centre]:.3g} at the centre", xlabel="a (δ)", ylabel="b (η)")
        panel.set_aspect("equal")
    figure.colorbar(filled, ax=panels[:count], format="%.3g", label="loss", shrink=0.8)
    for index, (name, grid) in enumerate(losses.items()):
        panels[-1].plot(axis, grid[centre], color=f"C{index}", label=f"{name}, along δ")
        panels[-1].plot(axis, grid[:, centre], color=f"C{index}", linestyle="--", label=f"{name}, along η")
    panels[-1].set(title="slices through the centre", xlabel="a or b", ylabel="loss")
    if shared[0] > 0:
        panels[-1].set_yscale("log")
    panels[-1].legend(fontsize=8)
    figure.suptitle(f"Loss landscape at {bits if isinstance(bits, int) else '/'.join(map(str, bits))} bits")
    figure.savefig(path, dpi=150)
