"""Topology files of SCALE-Sim: the convolutions of a network, one a line, of one image.

    Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,

It knows no padding, which is part of the map here, no groups, and one stride for both axes.
"""

from __future__ import annotations

import csv
import io
from math import prod
from pathlib import Path

from cpt_model.tracing.counts import LayerCount, ModelCount, Product
from host.compiler.layer import Conv, LayerError

HEAD = "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,"
NUMBERS = 7


class TopologyError(ValueError):
    """A topology that cannot be read; the message says where and what is needed."""


def topology(count: ModelCount) -> str:
    """The convolutions of a network as SCALE-Sim reads them.

    >>> from cpt_model.cost import count_network
    >>> print(topology(count_network("cifar10_resnet_8")).splitlines()[1])
    conv1, 34, 34, 3, 3, 3, 16, 1,
    """
    shapes = [(layer.name, each.shape) for layer in count.layers if layer.quantised for each in layer.products]
    return "\n".join([HEAD, *(_line(name, shape) for name, shape in shapes)]) + "\n"


def _line(name: str, shape: Conv) -> str:
    if shape.groups != 1 or shape.stride[0] != shape.stride[1]:
        raise ValueError(f"layer '{name}': SCALE-Sim has no groups, and one stride for both axes")
    high, wide = shape.height + 2 * shape.padding[0], shape.width + 2 * shape.padding[1]
    values = (high, wide, *shape.kernel, shape.in_channels, shape.out_channels, shape.stride[0])
    return ", ".join([name, *map(str, values)]) + ","


def read_topology(path: Path) -> ModelCount:
    """A network of quantised convolutions as such a file has it."""
    return topology_of(path.read_text(), path)


def topology_of(text: str, where: object) -> ModelCount:
    r"""From the text of a file.

    >>> topology_of(HEAD + "\nconv1, 34, 34, 3, 3, 3, 16, 1,\n", "net.csv").macs
    442368
    """
    layers = []
    for number, row in enumerate(csv.reader(io.StringIO(text)), start=1):
        cells = [cell.strip() for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if number > 1 and cells:
            layers.append(_layer(cells, f"{where}, line {number}"))
    if not layers:
        raise TopologyError(f"{where}: no layers; the first line names the columns: {HEAD}")
    return ModelCount(tuple(layers))


def _layer(cells: list[str], where: str) -> LayerCount:
    name, *values = cells
    if len(values) != NUMBERS or not all(value.isascii() and value.isdecimal() for value in values):
        raise TopologyError(f"{where}: a name and {NUMBERS} whole numbers are needed ({HEAD})")
    high, wide, kernel_h, kernel_w, channels, filters, stride = map(int, values)
    try:
        shape = Conv(1, channels, filters, high, wide, (kernel_h, kernel_w), (stride, stride))
    except LayerError as problem:
        raise TopologyError(f"{where}, layer '{name}': {problem}") from problem
    macs = filters * shape.out_height * shape.out_width * prod(shape.weight_shape[1:])
    return LayerCount(name, "Conv2d", macs, quantised=True, products=(Product(shape),))
