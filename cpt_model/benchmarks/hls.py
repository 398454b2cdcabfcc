"""The zc706 kernel C-simulated on one core, through the driver: 8×8-bit MAC/s, and one iteration of ResNet-8."""

from __future__ import annotations

import time

from tqdm import tqdm

from cpt_model.benchmarks.timing import best_seconds
from host.compiler.jobs import random_operands
from host.compiler.layer import Conv, Pass
from host.compiler.networks import cifar_resnet
from host.compiler.precision import Precision
from host.driver.accelerator import Accelerator
from host.driver.devices import open_simulated
from host.driver.execute import run_pass
from sim.contract import Build
from sim.devices.hls_executor import HlsExecutor

BITS = Precision(8, 8, b_signed=True)


def run_on(accelerator: Accelerator, layer: Conv, which: Pass) -> None:
    """One pass with random codes."""
    run_pass(accelerator, layer, which, BITS, *random_operands(layer, which, BITS, seed=1))


def measure(repeat: int) -> dict[str, float]:
    """MAC/s of each pass of a full round of lanes; seconds of the iteration, once."""
    with open_simulated(HlsExecutor(Build.named("zc706")), "hls", log=lambda _: None) as accelerator:
        return measure_on(accelerator, repeat)


def measure_on(accelerator: Accelerator, repeat: int) -> dict[str, float]:
    layer = Conv(accelerator.build.lanes, 16, 16, 32, 32, (3, 3), padding=(1, 1))
    results = {}
    for which in Pass:
        seconds = best_seconds(lambda which=which: run_on(accelerator, layer, which), min(repeat, 2))  # type: ignore[misc]
        results[f"{which.value}_million_macs_per_second"] = layer.macs / seconds / 1e6
    network = cifar_resnet(8, batch=8)
    jobs = [(layer, which) for layer in network.values() for which in Pass]
    start = time.perf_counter()
    for layer, which in tqdm(jobs, desc="ResNet-8 iteration", unit="pass", leave=False):
        run_on(accelerator, layer, which)
    results["resnet8_batch8_iteration_seconds"] = time.perf_counter() - start
    return results
