"""Vectors of residual outputs: a stream added to a normalised y, and the errors of both ways joined."""

from __future__ import annotations

from collections.abc import Iterator

from sim.contract import Block, Build, MapFlag, Opcode, ScalarFlag
from sim.vectors.step.layers import E_BITS, OUT, X0, X1, Y_BITS, Layer
from sim.vectors.step.region import Region
from sim.vectors.vector import Vector


def residual_outputs(build: Build) -> Iterator[Vector]:
    for relu in (True, False):
        yield residual_output(build, relu).region.vector()


def residual_output(build: Build, relu: bool) -> Layer:
    """y plus a stream to z and codes, then both errors joined; twice, so that the second time has a history."""
    region = Region(f"layer-residual-{'relu' if relu else 'signed'}", build)
    layer = Layer(region, 2, 20, 20, 4, (4, 8), True)
    z_bits, shape = 10, layer.shape(20)
    layer.places |= {
        "z0": region.codes(shape, z_bits, not relu),
        "z0_tensor": region.block(Block.TENSOR, fraction=7),
        "z0_tally": region.absent(Block.TALLY, 20),
        "z": region.empty(shape, z_bits),
        "z_tally": region.absent(Block.TALLY, 20),
        "dz": region.empty(shape, E_BITS),
        "dz_tensor": region.absent(Block.TENSOR),
        "dz_tally": region.absent(Block.TALLY, 20),
        "join": region.absent(Block.COEFFICIENTS, 20),
        "host": region.codes((2, 20, 1, 1), 16, True),
        "host_tensor": region.block(Block.TENSOR, fraction=22),
        "host_tally": region.absent(Block.TALLY, 20),
    }
    signed = () if relu else (OUT,)
    of_z0 = layer.vector(MapFlag.TALLY, *(() if relu else (X0,)), x0_bits=z_bits)
    flags = (ScalarFlag.NODE, ScalarFlag.STREAM, *((ScalarFlag.RELU,) * relu))
    scale = layer.scalar(Opcode.SCALE, *flags, bits=4, wide_bits=z_bits)
    node = layer.vector(X0, *signed, *(() if relu else (X1,)), MapFlag.TALLY, MapFlag.MASK_WRITE, x0_bits=Y_BITS)
    node.x1_bits, node.out0_bits, node.out1_bits = z_bits, z_bits, 4
    of_host = layer.vector(X0, MapFlag.BROADCAST, MapFlag.TALLY, x0_bits=16)
    join = layer.scalar(Opcode.JOIN, ScalarFlag.POWER, ScalarFlag.STREAM, wide_bits=E_BITS)
    add = layer.vector(X0, X1, OUT, MapFlag.BROADCAST, MapFlag.MASK_OUT, MapFlag.TALLY, x0_bits=16, x1_bits=E_BITS)
    add.x2_bits, add.out0_bits = Y_BITS, E_BITS
    of_e = layer.vector(X0, MapFlag.TALLY, x0_bits=E_BITS)
    own, added = {"coefficients": "coefficients"}, {"coefficients": "join"}
    joined = {"in": "host_tensor", **added}
    history = {"tally": "z_tally", "out": "q_tensor"}
    region.add(
        *2
        * [
            layer.at(of_z0, x0="z0", tally="z0_tally"),
            *layer.normalise(),
            layer.at(scale, norm="norm", tally1="z0_tally", in1="z0_tensor", **own, **history),
            layer.at(node, x0="y", x1="z0", out0="z", out1="q", mask="mask", tally="z_tally", **own),
            layer.at(of_host, x0="host", tally="host_tally"),
            layer.at(of_e, x0="e", tally="sums"),
            layer.at(join, **joined, tally="host_tally", tally1="sums", in1="e_tensor", out="dz_tensor"),
            layer.at(add, x0="host", x1="e", x2="y", out0="dz", mask="mask", tally="dz_tally", **added),
        ]
    )
    return layer
