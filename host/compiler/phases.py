"""The input error of a strided layer without zero insertion: pixel by pixel modulo the stride.

Of the input's row i = s·j + r only taps k ≡ r + p (mod s) meet an output: k = k0 + s·t, that is row j + q − t of it.
So the rows of one phase r are a convolution of the error at stride 1 with every s-th tap, padded by T − 1 − q where it
has T taps; likewise the columns. All phases together do a part of the work that a zero-inserted map takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from host.compiler.layer import Conv
from sim.contract import Command


@dataclass(frozen=True)
class Steps:
    """One axis of a phase: rows (or columns) `rest`, `rest` + `stride`, ... of the input, `extent` of them."""

    rest: int
    stride: int
    extent: int
    first_tap: int
    taps: int  # 0: no tap meets an output, and the error is 0 there
    before: int  # padding of the error
    after: int

    @property
    def pixels(self) -> slice:
        return slice(self.rest, None, self.stride)

    @property
    def every_tap(self) -> slice:
        return slice(self.first_tap, None, self.stride)

    @classmethod
    def of(cls, rest: int, kernel: int, stride: int, padding: int, extent: int, out_extent: int) -> Steps:
        first_tap = (rest + padding) % stride
        taps = max(0, -(-(kernel - first_tap) // stride))
        before = taps - 1 - (rest + padding - first_tap) // stride
        results = max(0, -(-(extent - rest) // stride))
        return cls(rest, stride, results, first_tap, taps, before, results - 1 + taps - out_extent - before)


@dataclass(frozen=True)
class Phase:
    """Pixels of the input whose row and column have the same remainders."""

    rows: Steps
    columns: Steps

    @property
    def empty(self) -> bool:
        return 0 in (self.rows.taps, self.columns.taps, self.rows.extent, self.columns.extent)

    @property
    def fits(self) -> bool:
        """Whether a command can express it: a command cannot read part of a map, as negative padding would."""
        return self.empty or min(self.rows.before, self.rows.after, self.columns.before, self.columns.after) >= 0

    def command(self, whole: Command) -> Command:
        """The input error's command, of this phase alone."""
        rows, columns = self.rows, self.columns
        return replace(
            whole,
            kernel_h=rows.taps,
            kernel_w=columns.taps,
            up_y=1,
            up_x=1,
            pad_top=rows.before,
            pad_left=columns.before,
            pad_bottom=rows.after,
            pad_right=columns.after,
            y_height=rows.extent,
            y_width=columns.extent,
        )

    def weights(self, whole: npt.NDArray[np.integer]) -> npt.NDArray[np.integer]:
        """Its taps of weights (.., kh, kw)."""
        return whole[..., self.rows.every_tap, self.columns.every_tap]


def phases(layer: Conv) -> list[Phase]:
    """The phases that meet an output; none if the layer has no stride or a phase cannot be expressed."""
    if layer.stride == (1, 1):
        return []
    sizes = zip(layer.kernel, layer.stride, layer.padding, layer.input_shape[2:], layer.output_shape[2:], strict=True)
    rows, columns = ([Steps.of(rest, *axis) for rest in range(axis[1])] for axis in sizes)
    found = [Phase(*pair) for pair in product(rows, columns)]
    return [phase for phase in found if not phase.empty] if all(phase.fits for phase in found) else []
