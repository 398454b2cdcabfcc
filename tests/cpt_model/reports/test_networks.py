"""Networks on the core: which precisions are shown, and layers that are alike."""

from __future__ import annotations

from pathlib import Path

from cpt_model.cost.accelerator import PROFILES
from cpt_model.reports.costs import run_cost
from cpt_model.reports.networks import Network, bars, networks
from cpt_model.reports.runs import read_runs
from cpt_model.schedules import Bits
from tests.cpt_model.reports.report_tools import leave_run

ZC706 = PROFILES["zc706"]


def found(folder: Path) -> list[Network]:
    runs, _ = read_runs([folder])
    return networks(runs, [run_cost(run, ZC706) for run in runs], ZC706)


def test_runs_of_one_network_share_it_with_all_their_precisions(tmp_path: Path) -> None:
    leave_run(tmp_path / "a")
    leave_run(tmp_path / "b", fw_bits=(2,))
    leave_run(tmp_path / "c", fw_bits=(0,))
    (network,) = found(tmp_path)
    assert list(network.passes) == [Bits(forward, 8) for forward in range(2, 9)]
    assert network.ends == [Bits(2, 8), Bits(8, 8)]
    assert len(network.points(ZC706)) == 2 * 26  # 9 layers, 3 passes, the first has no input error


def test_another_batch_is_another_network(tmp_path: Path) -> None:
    leave_run(tmp_path / "a")
    leave_run(tmp_path / "b", batch=32)
    assert [network.title for network in found(tmp_path)] == [
        "cifar10_resnet_8, batch 64",
        "cifar10_resnet_8, batch 32",
    ]


def test_float32_alone_has_no_network_on_the_core(tmp_path: Path) -> None:
    leave_run(tmp_path / "a", fw_bits=(0,))
    assert found(tmp_path) == []


def test_what_the_core_cannot_run_says_why(tmp_path: Path) -> None:
    leave_run(tmp_path / "a", fw_bits=(3, 16), bw_bits=(16,))
    (network,) = found(tmp_path)
    assert network.passes == {}
    assert network.refused is not None
    assert "can exceed the accumulator" in network.refused


def test_every_layer_has_a_bar_and_many_are_drawn_once(tmp_path: Path) -> None:
    leave_run(tmp_path / "a", arch="cifar10_resnet_20")
    (network,) = found(tmp_path)
    layers = dict.fromkeys(each.layer for each in network.passes[Bits(8, 8)])
    assert [bar.title for bar in bars(network)] == list(layers)
    few = bars(network, most=10)
    assert sum(bar.alike for bar in few) == len(layers)
    assert [bar.title for bar in few][:2] == ["conv1", "layer1.0.conv1 and 5 alike"]
