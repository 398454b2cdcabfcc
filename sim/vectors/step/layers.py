"""Vectors of whole layers: conv, batch norm and ReLU; forward, backward, update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.contract import (
    Block,
    BlockPlace,
    Build,
    Command,
    Encoded,
    Flag,
    Format,
    MapCommand,
    MapFlag,
    Opcode,
    ScalarCommand,
    ScalarFlag,
    Tensor,
    WeightCommand,
    WeightFlag,
    blocks_of,
    flag_bits,
)
from sim.reference.scalar import scalar
from sim.vectors.step.masters import grouped, spread
from sim.vectors.step.norms import parameters, step_block
from sim.vectors.step.region import Region
from sim.vectors.vector import Vector

Place = Tensor | BlockPlace
Y_BITS, E_BITS = 14, 12
X0, X1, OUT = MapFlag.X0_SIGNED, MapFlag.X1_SIGNED, MapFlag.OUT_SIGNED


@dataclass
class Layer:
    """A convolution that keeps the map's size, and every place that its commands use, by the contract's names."""

    region: Region
    images: int
    ins: int
    outs: int
    size: int
    bits: tuple[int, int]
    half: bool
    group: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        region, kernel, channels = self.region, (3, 3), (self.ins, self.outs)
        values = spread(region, -(1 << 25), 1 << 25, (*channels, *kernel)) * grouped(channels, self.group)
        maxima = {"max_out": np.abs(values).max((0, 2, 3)), "max_in": np.abs(values).max((1, 2, 3))}
        forward, backward = self.bits
        ins, outs = (16 * blocks_of(count) for count in channels)
        self.places: dict[str, Place] = {
            "x": region.codes(self.shape(self.ins), forward),
            "x_tensor": region.block(Block.TENSOR, step=scalar(3, -7)),
            "w": region.words(channels, kernel, lambda _: values),
            "v": region.words(channels, kernel, lambda shape: np.zeros(shape)),
            "acc": region.words(channels, kernel),
            **{name: region.block(Block.MAXIMA, row.size, list(row)) for name, row in maxima.items()},
            "codes": region.empty((outs, ins, *kernel), forward),
            "codes_in": region.empty((ins, outs, *kernel), forward),
            "units": region.absent(Block.UNITS, outs),
            "units_in": region.absent(Block.UNITS, ins),
            "y": region.empty(self.shape(self.outs), Y_BITS),
            "tally": region.absent(Block.TALLY, outs),
            "norm": region.absent(Block.NORM, outs),
            "parameters": parameters(region, self.outs),
            "coefficients": region.absent(Block.COEFFICIENTS, outs),
            "q": region.empty(self.shape(self.outs), forward),
            "q_tensor": region.absent(Block.TENSOR),
            "mask": region.empty(self.shape(self.outs), 1),
            "e": region.codes(self.shape(self.outs), E_BITS, True),
            "e_tensor": region.block(Block.TENSOR, fraction=18),
            "sums": region.absent(Block.TALLY, outs),
            "back": region.absent(Block.COEFFICIENTS, outs),
            "codes_of_e": region.empty(self.shape(self.outs), backward),
            "back_tensor": region.absent(Block.TENSOR),
            "e_in": region.empty(self.shape(self.ins), E_BITS),
            "tally_in": region.absent(Block.TALLY, ins),
            "step": step_block(region),
        }

    @property
    def shifts(self) -> tuple[int, int]:
        """Of y and of the input error: few results saturate."""
        forward, backward = self.bits
        return max(0, 2 * forward - 9), max(0, forward + backward - 8)

    def shape(self, channels: int) -> tuple[int, int, int, int]:
        return (self.images, channels, self.size, self.size)

    def at(self, command: Any, **places: str) -> Encoded:
        """The command with the addresses, and in a matrix command the strides, of the named places."""
        for field, name in places.items():
            place = self.places[name]
            setattr(command, f"{field}_addr", place.address)
            if isinstance(command, Command) and isinstance(place, Tensor):
                setattr(command, f"{field}_image_stride", place.image_stride)
                setattr(command, f"{field}_block_stride", place.block_stride)
        return command

    def matrix(self, opcode: Opcode, a: tuple[str, int], b: tuple[str, int], out: str, **change: Any) -> Encoded:
        ins, outs = blocks_of(self.ins), blocks_of(self.outs)
        command = Command(opcode, a[1], b[1], kernel_h=3, kernel_w=3, images=self.images, a_blocks=ins, y_blocks=outs)
        command.a_height = command.a_width = command.y_height = command.y_width = self.size
        command.pad_top = command.pad_left = command.pad_bottom = command.pad_right = 1
        for field, value in change.items():
            setattr(command, field, value)
        return self.at(command, a=a[0], b=b[0], out=out)

    def conv(self, a: tuple[str, int], b: str, out: str, bits: int, tally: str, **change: Any) -> Encoded:
        flags = [Flag.B_SIGNED, Flag.OUT_SIGNED, Flag.STATS, *[Flag.HALF] * self.half]
        flags += [Flag.A_SIGNED] if out == "e_in" else []
        result: dict[str, Any] = {"out_format": Format.PLANES, "out_bits": bits, "shift": self.shifts[out == "e_in"]}
        command = self.matrix(Opcode.CONV, a, (b, self.bits[0]), out, flags=flag_bits(*flags), **result, **change)
        return self.at(command, tally=tally)

    def vector(self, *flags: MapFlag, **change: int) -> MapCommand:
        fields = {"images": self.images, "blocks": blocks_of(self.outs), "height": self.size, "width": self.size}
        return MapCommand(flags=flag_bits(*flags), **fields, **change)

    def scalar(self, opcode: Opcode, *flags: ScalarFlag, **change: int) -> ScalarCommand:
        fields = {"images": self.images, "channels": self.outs, "height": self.size, "width": self.size}
        return ScalarCommand(opcode, flags=flag_bits(*flags), **fields, **change)

    def master(self, opcode: Opcode, **change: int) -> WeightCommand:
        fields = {"in_channels": self.ins, "out_channels": self.outs, "kernel_h": 3, "kernel_w": 3}
        return WeightCommand(opcode, group_in=self.group[0], group_out=self.group[1], **fields, **change)

    def normalise(self) -> list[Encoded]:
        """Weights to codes, the convolution, and its normalisation."""
        flags = flag_bits(WeightFlag.BOTH, *[WeightFlag.HALF] * self.half)
        weights = self.master(Opcode.WEIGHTS, bits=self.bits[0], acc_format=0, flags=flags)
        names = ("w", "max_out", "max_in", "codes", "codes_in", "units", "units_in")
        norm = self.scalar(Opcode.NORM, shift=self.shifts[0])
        same = ("tally", "norm", "parameters", "units", "step")
        return [
            self.at(weights, **{name: name for name in names}),
            self.conv(("x", self.bits[0]), "codes", "y", Y_BITS, "tally"),
            self.at(norm, **{name: name for name in same}, **{"in": "x_tensor"}),
        ]

    def forward(self) -> list[Encoded]:
        scale = self.scalar(Opcode.SCALE, ScalarFlag.RELU, bits=self.bits[0])
        relu = self.vector(X0, MapFlag.MASK_WRITE, x0_bits=Y_BITS, out0_bits=self.bits[0])
        return [
            *self.normalise(),
            self.at(scale, norm="norm", out="q_tensor", coefficients="coefficients"),
            self.at(relu, x0="y", out0="q", mask="mask", coefficients="coefficients"),
        ]

    def backward(self) -> list[Encoded]:
        sums = self.vector(X0, MapFlag.MASK_X0, MapFlag.TALLY, x0_bits=E_BITS, x2_bits=Y_BITS)
        error = self.scalar(Opcode.ERROR, ScalarFlag.POWER, bits=self.bits[1])
        codes = self.vector(X0, X1, OUT, MapFlag.STOCHASTIC, MapFlag.MASK_X0, x0_bits=E_BITS, x1_bits=Y_BITS, seed_lo=5)
        codes.out0_bits = self.bits[1]
        sides = {"a_blocks": blocks_of(self.outs), "y_blocks": blocks_of(self.ins)}
        of_e = ("codes_of_e", self.bits[1])
        exact = {"out_format": Format.INT32, "flags": flag_bits(Flag.B_SIGNED)}
        update = self.master(Opcode.UPDATE)
        blocks = {"tally": "sums", "tally1": "tally", "norm": "norm", "parameters": "parameters", "in": "e_tensor"}
        same = ("acc", "w", "v", "max_out", "max_in", "step")
        return [
            self.at(sums, x0="e", x2="y", mask="mask", tally="sums"),
            self.at(error, **blocks, out="back_tensor", coefficients="back", step="step"),
            self.at(codes, x0="e", x1="y", mask="mask", out0="codes_of_e", coefficients="back", step="step"),
            self.conv(of_e, "codes_in", "e_in", E_BITS, "tally_in", **sides),
            self.matrix(Opcode.WGRAD, ("x", self.bits[0]), of_e, "acc", **exact),
            self.at(update, **{name: name for name in same}, x="x_tensor", e="back_tensor"),
        ]


def whole_layers(build: Build) -> Iterator[Vector]:
    """One iteration of a layer; and two of them, the second with the weights and statistics of the first."""
    cases: dict[str, tuple[Any, ...]] = {
        "layer-half": (2, 16, 16, 4, (5, 8), True),
        "layer-odd-channels": (3, 5, 17, 3, (3, 6), True),
        "layer-symmetric": (2, 16, 16, 4, (8, 8), False),
        "layer-depthwise": (2, 12, 12, 3, (4, 8), False, (1, 1)),
    }
    for name, case in cases.items():
        region = Region(name, build)
        layer = Layer(region, *case)
        region.add(*layer.forward(), *layer.backward())
        yield region.vector()
    region = Region("layer-two-iterations", build)
    layer = Layer(region, 2, 16, 16, 3, (4, 8), True)
    region.add(*2 * [*layer.forward(), *layer.backward()])
    yield region.vector()
