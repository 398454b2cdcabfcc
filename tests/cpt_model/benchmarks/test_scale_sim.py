"""The comparison with SCALE-Sim: what it is given, and that it runs where it is installed."""

from __future__ import annotations

import sys

import pytest

import sim.latency
from cpt_model.benchmarks import cost, scale_sim
from cpt_model.benchmarks.timing import forget
from cpt_model.cost import ModelCount, Run, accelerator, count_network
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
from cpt_model.tracing.counts import LayerCount, Product
from host.compiler.layer import Conv


def test_the_topology_is_the_networks() -> None:
    network = count_network("cifar100_resnet_74")
    lines = scale_sim.topology(network).splitlines()[1:]
    assert len(lines) == 75  # the paper's 73 and two shortcuts; the last, fully connected layer is float
    macs = 0
    for line in lines:
        _, high, wide, kernel_high, kernel_wide, channels, filters, stride = line.rstrip(",").split(", ")
        rows = (int(high) - int(kernel_high)) // int(stride) + 1
        columns = (int(wide) - int(kernel_wide)) // int(stride) + 1
        macs += rows * columns * int(kernel_high) * int(kernel_wide) * int(channels) * int(filters)
    assert macs == network.quantised_macs
    assert lines[-1].startswith("layer3.11.conv2, 10, 10, 3, 3, 64, 64, 1")


def test_groups_are_refused() -> None:
    depthwise = Product(Conv(1, 8, 8, 4, 4, (3, 3), padding=(1, 1), groups=8))
    network = ModelCount((LayerCount("depthwise", "Conv2d", quantised=True, products=(depthwise,)),))
    with pytest.raises(ValueError, match="layer 'depthwise': SCALE-Sim has no groups"):
        scale_sim.topology(network)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # it does not close its files
def test_it_simulates_every_layer() -> None:
    pytest.importorskip("scalesim", reason=scale_sim.HOW_TO_GET)
    small = Product(Conv(1, 16, 16, 8, 8, (3, 3), padding=(1, 1)))
    layers = tuple(LayerCount(name, "Conv2d", quantised=True, products=(small,)) for name in ("one", "two"))
    done = scale_sim.simulate(ModelCount(layers))
    assert done.layers == 2
    # 64 outputs of 16 channels on 48 x 16 places: two folds of K = 144 and more.
    assert 2 * 2 * 144 < done.cycles < 2 * 2 * 300


def test_without_it_the_benchmark_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scalesim", None)
    monkeypatch.setattr(cost, "LATENCY_OF", "cifar10_resnet_8")
    results = cost.measure_latency(1)
    assert "pip install" in capsys.readouterr().err
    assert set(results) == {
        "resnet74_schedule_hours_of_board",
        "resnet74_schedule_cpu_seconds",
        "resnet74_whole_step_hours_of_board",
        "resnet74_whole_step_schedule_cpu_seconds",
        "resnet74_tracing_and_schedule_cpu_seconds",
    }


def test_our_side_begins_with_empty_caches() -> None:
    network, board = count_network("cifar10_resnet_8"), AcceleratorBoard(PROFILES["zc706"])
    board.hours(network, Run.named("8/8", iterations=1, batch=4))
    modules = (sim.latency, accelerator)
    caches = [value for module in modules for value in vars(module).values() if hasattr(value, "cache_info")]
    caches.append(count_network)
    assert len(caches) == 4
    assert all(cache.cache_info().currsize for cache in caches)
    forget()
    assert not any(cache.cache_info().currsize for cache in caches)
