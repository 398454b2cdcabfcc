"""What other tools read: rows of layers, lookup tables over widths, topologies, and cycles between whole bits."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from cpt_model.cost import count_network
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
from cpt_model.cost.exports import lookup_table, quantised, write_exports
from cpt_model.cost.interpolation import interpolated
from cpt_model.cost.topology import HEAD, TopologyError, topology, topology_of
from host.compiler.bits import Bits
from host.compiler.layer import Pass

ARCH, BATCH = "cifar10_resnet_8", 8
COUNT, ZC706 = count_network(ARCH), PROFILES["zc706"]
PASSES = {(each.layer, each.which): each for each in AcceleratorBoard(ZC706).passes(COUNT, BATCH, Bits(3, 8))}


@pytest.fixture(scope="module")
def tables() -> dict[Pass, np.ndarray]:
    return {which: lookup_table(COUNT, BATCH, which, ZC706) for which in Pass}


def test_lookup_tables_are_haqs_and_have_the_boards_cycles(tables: dict[Pass, np.ndarray]) -> None:
    widths = {Pass.FORWARD: (3, 3), Pass.INPUT_ERROR: (3, 8), Pass.WEIGHT_GRADIENT: (3, 8)}
    for which, table in tables.items():
        assert (table.dtype, table.shape) == (np.int64, (len(quantised(COUNT)), 8, 8))
        i, j = widths[which]
        for place, layer in enumerate(quantised(COUNT)):
            known = PASSES.get((layer.name, which))
            assert table[place, i - 1, j - 1] == (round(known.time.cycles) if known else 0)
    assert (np.diff(tables[Pass.FORWARD].diagonal(axis1=1, axis2=2)) >= 0).all(), "more bits, more cycles"
    assert (tables[Pass.INPUT_ERROR][0] == 0).all(), "the images' own error is not needed"


def test_files_say_the_same(tmp_path: Path, tables: dict[Pass, np.ndarray]) -> None:
    names = write_exports(tmp_path / "new", COUNT, BATCH, [Bits(3, 8), Bits(8, 8)], ZC706)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(names)
    about = json.loads((tmp_path / "new" / "layers.json").read_text())
    lines = list(csv.DictReader((tmp_path / "new" / "layers.csv").read_text().splitlines()))
    assert [{key: str(value) for key, value in row.items()} for row in about["rows"]] == lines
    assert len(lines) == 2 * len(PASSES)
    assert about["lookup_layers"] == [layer.name for layer in quantised(COUNT)]
    row = next(each for each in about["rows"] if (each["layer"], each["which"]) == ("layer1.0.conv1", "input-error"))
    assert (row["shape"], row["a_bits"], row["b_bits"]) == ("conv:n8,c16-16,32x32,k3,p1", 8, 3)
    assert row["cycles"] == round(PASSES["layer1.0.conv1", Pass.INPUT_ERROR].time.cycles)
    planes = 8 * 16 * 32 * 32  # pixels of a bit: 8 bits in, results of 9 to 16 bits and row sums out
    assert planes * 8 / 8 + planes * 9 / 8 < row["bytes"] < planes * 8 / 8 + planes * 18 / 8
    saved = np.load(tmp_path / "new" / "lookup-weight-gradient.npy")
    assert (saved == tables[Pass.WEIGHT_GRADIENT]).all()
    assert (tmp_path / "new" / "topology.csv").read_text() == topology(COUNT)


def test_a_topology_comes_back_as_it_went() -> None:
    text = topology(COUNT)
    again = topology_of(text, "net.csv")
    assert topology(again) == text
    assert again.macs == COUNT.quantised_macs
    assert [layer.name for layer in again.layers] == [layer.name for layer in quantised(COUNT)]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("conv1, 34, 34, 3, 3, 3, 16,", "net.csv, line 2: a name and 7 whole numbers are needed"),
        ("conv1, 34, 34, 3, 3, 3, 16, x,", "net.csv, line 2: a name and 7 whole numbers are needed"),
        ("conv1, 2, 34, 3, 3, 3, 16, 1,", "net.csv, line 2, layer 'conv1': height 2 "),
        ("", "net.csv: no layers"),
    ],
)
def test_topologies_that_cannot_be_read(line: str, problem: str) -> None:
    with pytest.raises(TopologyError, match=problem):
        topology_of(f"{HEAD}\n{line}\n", "net.csv")


def test_groups_are_not_in_a_topology(tmp_path: Path) -> None:
    mobile = count_network("cifar10_mobilenet_v2")
    with pytest.raises(ValueError, match="SCALE-Sim has no groups"):
        topology(mobile)


def test_cycles_between_whole_bits_and_their_gradient(tables: dict[Pass, np.ndarray]) -> None:
    table = torch.from_numpy(tables[Pass.FORWARD])
    layers = len(table)
    whole = interpolated(table, torch.full((layers,), 3.0), torch.full((layers,), 8.0))
    assert whole.tolist() == table[:, 2, 7].tolist()
    bits = torch.full((layers,), 4.25, dtype=torch.float64, requires_grad=True)
    other = torch.full((layers,), 6.5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda i, j: interpolated(table, i, j), (bits, other))
    interpolated(table, bits, other).sum().backward()
    corners = table[:, 3:5, 5:7].double()
    assert bits.grad is not None
    assert torch.allclose(bits.grad, corners[:, 1].mean(1) - corners[:, 0].mean(1))
    for wrong in (torch.full((layers,), 0.5), torch.full((layers,), 8.5), torch.ones(layers + 1)):
        with pytest.raises(ValueError, match=rf"first: a number in 1..8 for each of {layers} layers"):
            interpolated(table, wrong, other)
