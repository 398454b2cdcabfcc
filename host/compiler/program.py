"""A lowered pass: its commands, where its tensors lie, and how codes get in and results out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from host.compiler.groups import Bundle
from host.compiler.layer import Conv, Pass
from host.compiler.phases import Phase
from host.compiler.slots import Slot
from sim.contract import Command, Memory, row_sums

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Part:
    """One command, the bundle of groups and the phase it computes, and the tensors it names."""

    command: Command
    bundle: Bundle
    a: Slot
    b: Slot
    out: Slot
    phase: Phase | None = None  # of a strided layer's input error; else all pixels


@dataclass(frozen=True)
class Program:
    """One matrix pass of a layer. Tensors have the shapes PyTorch gives them."""

    layer: Conv
    which: Pass
    parts: tuple[Part, ...]

    @property
    def commands(self) -> list[Command]:
        return [part.command for part in self.parts]

    def load(self, memory: Memory, a: Codes, b: Codes) -> None:
        """Writes the operands into the region.

        a and b: input and weights (forward), output error and weights (input error), input and output error
        (weight gradient). Weights are given as the layer has them; flipping and padding happen here.
        """
        a, b = np.asarray(a), np.asarray(b)  # plain lists are accepted
        self.parts[0].a.write(memory, a)
        if self.which is Pass.WEIGHT_GRADIENT:
            self.parts[0].b.write(memory, b)
        else:
            self._write_weights(memory, b)

    def _write_weights(self, memory: Memory, weights: Codes) -> None:
        if weights.shape != self.layer.weight_shape:
            raise ValueError(f"weights have shape {weights.shape}, expected {self.layer.weight_shape}")
        for part in self.parts:
            if self.which is Pass.FORWARD:
                dense = part.bundle.dense(weights)
            else:
                dense = part.bundle.transposed().dense(weights).transpose(1, 0, 2, 3)
                dense = (part.phase.weights(dense) if part.phase else dense)[:, :, ::-1, ::-1]
            padded = np.zeros(part.b.shape, dtype=weights.dtype)
            padded[: len(dense)] = dense
            part.b.write(memory, padded)

    def result(self, memory: Memory) -> Codes:
        """The output (forward), the input's error (input error) or the weights' gradient (weight gradient)."""
        if self.which is not Pass.WEIGHT_GRADIENT:
            return self._all_pixels({part.phase: part.out.read(memory) for part in self.parts})
        return np.concatenate(
            [
                part.bundle.sparse(part.out.read(memory)[: part.bundle.in_channels].transpose(1, 0, 2, 3))
                for part in self.parts
            ]
        )

    def row_sums(self, memory: Memory) -> Codes:
        """Σ of operand A's codes for each result, shaped to broadcast against `result`."""
        sums: dict[Phase | None, list[Codes]] = {}
        for part in self.parts:
            tensor = row_sums(part.command)
            if tensor is None:
                raise ValueError("this program was lowered without row sums")
            words = tensor.read(memory)[0, 0]
            if self.which is Pass.WEIGHT_GRADIENT:
                shape = (part.bundle.out_channels, part.bundle.in_channels, *self.layer.kernel)
                of_part = part.bundle.sparse(np.broadcast_to(words[: part.bundle.in_channels], shape))
            else:
                of_part = np.repeat(words[:, None], part.bundle.out_channels, axis=1)
            sums.setdefault(part.phase, []).append(of_part)
        axis = 0 if self.which is Pass.WEIGHT_GRADIENT else 1
        return self._all_pixels({phase: np.concatenate(each, axis=axis) for phase, each in sums.items()})

    def _all_pixels(self, by_phase: dict[Phase | None, Codes]) -> Codes:
        """Phases put in their places; pixels of none are 0."""
        if None in by_phase:
            return by_phase[None]
        first = next(iter(by_phase.values()))
        whole = np.zeros((*first.shape[:2], self.layer.height, self.layer.width), dtype=first.dtype)
        for phase, codes in by_phase.items():
            assert phase is not None
            whole[..., phase.rows.pixels, phase.columns.pixels] = codes
        return whole
